"""From ODCS, the Open Data Contract Standard, 2.2 to 3.2.

Our own clauses come from `customProperties`, where odcs puts them; all others from where the standard has them.
"""

from __future__ import annotations

from typing import Any

from contracts.forms import Imported, limits
from contracts.forms.drafting import Draft
from contracts.forms.taking import Taken, is_null, known_type, plainly, read_yaml, to_type, unreadable, words
from contracts.values import plain

DESCRIBES = ("id", "name", "type", "dimension")  # of a rule of quality, as the clause says it too
METRICS = {
    "nullvalues": "null",
    "nullcount": "null",
    "nullcheck": "null",
    "missingvalues": "missing",
    "invalidvalues": "valid",
    "validvalues": "valid",
    "duplicatevalues": "unique",
    "duplicatecount": "unique",
    "uniquecheck": "unique",
    "rowcount": "rows",
}


def read(path: str, named: str | None = None) -> Imported:
    """A draft from an ODCS file, 2.2 to 3.2. Raises ContractError where it is none."""
    data, faults = read_yaml(path)
    draft = Draft(path, "an ODCS file")
    if isinstance(data, dict) and "dataContractSpecification" in data:
        says = (
            "this is a Data Contract Specification, which came before ODCS; convert it first, as datacontract-cli does"
        )
        raise unreadable(path, says)
    for fault in faults:
        draft.leave(fault)
    top = Taken(draft, "", data)
    is_old = "schema" not in top.data and "dataset" in top.data  # 2.2
    tables = [one for one in top.items("dataset" if is_old else "schema") if isinstance(one, dict)]
    name_of = "table" if is_old else "name"
    chosen = draft.chosen(tables, lambda one: words(one.get(name_of)) or "?", named, "table under schema")
    table = Taken(draft, "schema", chosen)
    top.pass_over("apiVersion", "kind", "id", "uuid", "name", "status", "type", "datasetName", "quantumName")
    own = customs(top)
    draft.name(own.text("dataset") or table.text(name_of) or top.text("datasetName"))
    draft.version(top.text("version"))
    draft.owner(*owner(top, own))
    for key in ("consumers", "evolution"):
        if (value := own.raw(key)) is not None:
            draft.top[key] = plainly(value)
    draft.timezone_is_said = "evolution" in own.data
    for part in table.parts("columns" if is_old else "properties"):
        column(draft, part)
    keys(draft, table)
    for rule in table.parts("quality"):
        about_table(draft, rule)
    table.pass_over("logicalType", "physicalType")
    if table.data.get("physicalName") == table.data.get(name_of):
        table.pass_over("physicalName")
    service_levels(draft, top, own, words(chosen.get(name_of)) or "")
    for part in (own, table, top):
        part.close()
    return draft.imported()


def customs(part: Taken) -> Taken:
    """The custom properties as one mapping."""
    found: dict[Any, Any] = {}
    for one in part.parts("customProperties"):
        if (name := one.text("property")) is not None:
            found.setdefault(name, one.raw("value"))
    return Taken(part.draft, f"{part.where}.customProperties".removeprefix("."), found)


def owner(top: Taken, own: Taken) -> tuple[str | None, str | None]:
    """The team's name; else a member of it, as a guess."""
    if (said := own.text("owner")) is not None:
        top.pass_over("team")
        return said, None
    team = top.raw("team")
    if isinstance(team, dict):
        part = Taken(top.draft, "team", team)
        name, members = part.text("name"), list(part.parts("members"))
        part.pass_over("id")
        part.close()
        if name is not None:
            return name, None
    else:
        members = list(top.parts("team")) or list(top.parts("stakeholders"))
    people = [(one.text("username") or one.text("name"), (one.text("role") or "").lower()) for one in members]
    owners = [name for name, role in people if name and "owner" in role] + [name for name, _ in people if name]
    return None, next(iter(owners), None)


def column(draft: Draft, part: Taken) -> None:
    """One property as one field."""
    name, stored = part.text("name") or part.text("column"), part.text("physicalName")
    if name is None and stored is None:
        draft.leave(f"{part.where}: a property without a name")
        return
    made_of = type_of(draft, part, stored or str(name))
    made = draft.field(stored or str(name), made_of) if made_of else None
    if made is None:
        return
    part.pass_over("primaryKeyPosition", "physicalType")
    if stored and stored != name:
        draft.review(stored, "name", f"it is called {name} there, and {stored} in the data")
    if (meaning := part.text("description")) is not None:
        made["meaning"] = meaning
    if part.flag("required") or ("isNullable" in part.data and not part.flag("isNullable")):
        made["required"] = True
    if part.flag("unique") or part.flag("isUnique"):
        made["unique"] = True
    own, options = customs(part), part.part("logicalTypeOptions")
    limits.bounds(draft, options, made)
    limits.pattern(draft, made, options.text("pattern"))
    limits.lengths(draft, options, made)
    options.pass_over("defaultTimezone")
    values = options.items("enum") or own.items("enum")
    said = {}
    for one in part.parts("enum"):
        values.append(one.raw("value"))
        if (says := one.text("description") or one.text("label")) is not None:
            said[len(values) - 1] = says
    if values:
        own.meanings(made, limits.domain(draft, made, values))
        if len(said) == len(values) and isinstance(made.get("enum"), list) and len(made["enum"]) == len(values):
            made["enum"] = dict(zip(made["enum"], said.values(), strict=True))
    if any(key in own.data for key in ("unit", "deprecated")):
        own.own(made)
    rate = own.number("max_null_rate")
    for rule in part.parts("quality"):
        about_column(draft, rule, made, own, rate)
    if rate is not None and not close(made.get("max_null_rate"), rate):
        if "max_null_rate" in made:
            draft.leave(
                f"{made['name']}: max_null_rate {rate} of customProperties, as a rule of quality says otherwise"
            )
        else:
            made["max_null_rate"] = rate
    elif rate is not None:
        made["max_null_rate"] = rate  # 100 times it, divided by 100, may be another number
    if part.data.get("deprecated") is not None and part.flag("deprecated") and "deprecated" not in made:
        draft.leave(f"{made['name']}: that it is deprecated, as nobody says since when")
    part.pass_over("primaryKey", "isPrimaryKey", "isPrimary")
    for each in (own, options, part):
        each.close()


def close(one: Any, other: float) -> bool:
    """Whether the two are one share, but for what 100 times it, divided by 100, may change."""
    return isinstance(one, int | float) and abs(one - other) < 1e-9


def type_of(draft: Draft, part: Taken, name: str) -> str | None:
    """The contract's type; None where there is none, which is said."""
    logical, physical = part.text("logicalType"), part.text("physicalType")
    is_nested = any(part.data.get(key) for key in ("properties", "items", "map"))
    if is_nested or (logical or "").lower() in ("object", "array", "map", "vector", "struct", "record"):
        draft.leave(
            f"{name}: {logical or 'what it holds'} is no single value, and a contract is flat; the column is left out"
        )
        return None
    if (logical or physical or "").lower() == "time":
        draft.leave(f"{name}: a contract has no type for a time without a day; the column is left out")
        return None
    found = known_type(logical) or known_type(physical)
    options = part.data.get("logicalTypeOptions")
    form = words(options.get("format")) if isinstance(options, dict) else None
    if found == "date" and (known_type(physical) == "timestamp" or "H" in (form or "")):
        found = "timestamp"  # 3.0 had no such type
    if found is None:
        draft.review(
            name, "type", f"{logical or physical} is no type that is known" if logical or physical else "none was said"
        )
    return found or "string"


def keys(draft: Draft, table: Taken) -> None:
    """A primary key is never NULL, and unique: of one column, that column; of several, all together."""
    parts = [one for one in (*table.items("properties"), *table.items("columns")) if isinstance(one, dict)]
    names = [words(one.get("physicalName")) or words(one.get("name")) or words(one.get("column")) for one in parts
             if any(plain(one.get(key)) is True for key in ("primaryKey", "isPrimaryKey", "isPrimary"))]  # fmt: skip
    for made in draft.fields:
        if made["name"] in names:
            made["required"] = True
            made.pop("max_null_rate", None)
            made |= {"unique": True} if len(names) == 1 else {}
    if len(names) > 1:
        draft.leave(
            f"{', '.join(map(str, names))}: together unique, as a primary key; a contract says it of one column"
        )


def metric(rule: Taken) -> tuple[str | None, str]:
    """Which rule it is, and its name there."""
    name = rule.text("metric") or rule.text("rule") or rule.text("code")
    rule.pass_over(*DESCRIBES)
    return METRICS.get((name or "").lower()), name or words(rule.data.get("type")) or "a rule"


def threshold(rule: Taken) -> tuple[int | float | None, int | float | None] | None:
    """The least and the greatest count that a rule allows, or None where it says something else."""
    between = [to_type(one, "number") for one in rule.items("mustBeBetween")]
    exact, above, least = rule.number("mustBe"), rule.number("mustBeGreaterThan"), rule.number("mustBeGreaterOrEqualTo")
    below, most = rule.number("mustBeLessThan"), rule.number("mustBeLessOrEqualTo")
    if len(between) == 2 and all(isinstance(one, int | float) for one in between):
        return between[0], between[1]
    if exact is not None:
        return exact, exact
    low = above + 1 if above is not None else least
    high = below - 1 if below is not None else most
    return None if low is None and high is None else (low, high)


def about_table(draft: Draft, rule: Taken) -> None:
    """A rule of quality about the table as a whole."""
    which, name = metric(rule)
    limit = threshold(rule)
    if which != "rows" or limit is None or words(rule.data.get("unit")) in ("percent", "%"):
        draft.leave(f"{rule.where} ({name}): a contract has no place for this rule")
        return
    rule.pass_over("unit", "arguments")
    made = draft.top.setdefault("volume", {})
    for key, end in zip(("min_rows", "max_rows"), limit, strict=True):
        if end is not None:
            made[key] = to_type(end, "integer")
    doubt(draft, rule, None, "volume")
    rule.close()


def about_column(draft: Draft, rule: Taken, made: dict[str, Any], own: Taken, rate: Any) -> None:
    """A rule of quality about one column, as a clause of its field."""
    which, name = metric(rule)
    limit, is_share = threshold(rule), words(rule.raw("unit")) in ("percent", "%", "percentage")
    arguments = rule.part("arguments")
    none_allowed, key = limit is not None and limit[1] == 0, ""
    is_bare = limit is None and not any(str(name).startswith("must") for name in rule.data)  # as nullCheck was in 3.0
    if which == "null" and (none_allowed or is_bare) and rate is None:
        made["required"], key = True, "required"
    elif which == "null" and limit and limit[1] is not None and is_share and not limit[0]:
        made["max_null_rate"], key = limit[1] / 100, "max_null_rate"
        if "mustBeLessThan" in rule.data:
            made["max_null_rate"] = (limit[1] + 1) / 100
            draft.review(made["name"], "max_null_rate", "it had to be less, not at most")
    elif which == "missing" and none_allowed:
        empty = [value for value in arguments.items("missingValues") if not is_null(value)]
        if empty:
            draft.leave(f"{made['name']}: that {', '.join(map(limits.shown, empty))} count as missing")
        made["required"], key = True, "required"
    elif which == "valid" and (none_allowed or is_bare):
        values = arguments.items("validValues") or rule.items("validValues")
        if values and "enum" not in made:
            own.meanings(made, limits.domain(draft, made, values))
        if "pattern" not in made:
            limits.pattern(draft, made, arguments.text("pattern"))
        key = "enum" if values else "pattern"
    elif which == "unique" and (none_allowed or is_bare):
        made["unique"], key = True, "unique"
    if not key or key not in made:
        draft.leave(f"{made['name']}: {name}: a contract has no place for this rule")
        return
    if is_bare:
        draft.review(made["name"], key, "the rule says no number, so none may break it")
    doubt(draft, rule, made["name"], key)
    arguments.close()
    rule.close()


def doubt(draft: Draft, rule: Taken, field: str | None, key: str) -> None:
    """Mark a clause for review where the rule is only a warning there."""
    if (weight := rule.text("severity")) and weight.lower() in ("warning", "warn", "info"):
        draft.review(field, key, f"only of the severity {weight} there")


def service_levels(draft: Draft, top: Taken, own: Taken, table: str) -> None:
    """The freshness among the service levels."""
    default = top.text("slaDefaultElement") or top.text("slaDefaultColumn")
    for part in top.parts("slaProperties"):
        name = part.text("property")
        value, unit = part.raw("value"), part.text("unit")
        lag = limits.span(value, unit)
        if name not in ("freshness", "latency") or lag is None or "freshness" in draft.top:
            said = " ".join(map(limits.shown, filter(None, (name, value, unit))))
            draft.leave(f"{part.where} ({said}): a contract has no place for this service level")
            continue
        element = part.text("element") or part.text("column") or default
        draft.top["freshness"] = {"max_lag": lag}
        bare = "" if element == table else (element or "").removeprefix(f"{table}.")
        if any(made["name"] == bare for made in draft.fields):
            draft.top["freshness"]["field"] = bare
        elif element and element != table:
            draft.leave(f"{part.where}: the element {element}, which is no column of this table")
        if (zone := own.text("timezone")) or (zone := default_zone(top, bare)):
            draft.top["freshness"]["timezone"] = zone
        part.pass_over("id")
        part.close()


def default_zone(top: Taken, name: str) -> str | None:
    """The zone that a timestamp's own options give to times without one."""
    for table in top.items("schema"):
        columns = table.get("properties") if isinstance(table, dict) else None
        for one in columns if isinstance(columns, list) else []:
            options = (
                one.get("logicalTypeOptions") if isinstance(one, dict) and words(one.get("name")) == name else None
            )
            if isinstance(options, dict) and words(options.get("defaultTimezone")):
                return words(options["defaultTimezone"])
    return None
