"""From dbt's schema.yml: a source's table, a model, a seed or a snapshot, with its tests, constraints and freshness."""

from __future__ import annotations

import re
from typing import Any

from contracts.forms import Imported, limits
from contracts.forms.dbt import FIELD_KEYS
from contracts.forms.drafting import Draft
from contracts.forms.taking import Taken, known_type, plainly, read_yaml, to_type, words
from contracts.values import Scalar, plain

NOT_OF_THE_TEST = ("name", "description", "tags", "limit", "store_failures", "error_if", "warn_if", "meta", "alias")


def read(path: str, named: str | None = None) -> Imported:
    """A draft from a schema.yml; the table is a source's, a model, a seed or a snapshot. Raises ContractError."""
    data, faults = read_yaml(path)
    draft = Draft(path, "a dbt schema.yml")
    for fault in faults:
        draft.leave(fault)
    top = Taken(draft, "", data)
    top.pass_over("version")
    found: list[tuple[Taken, Taken]] = []
    for source in top.parts("sources"):
        found += [(source, table) for table in source.parts("tables")]
    for kind in ("models", "seeds", "snapshots"):
        found += [(Taken(draft, "", {}), table) for table in top.parts(kind)]
    found = [(source, table) for source, table in found if words(table.data.get("name"))]
    source, table = draft.chosen(
        found, lambda one: str(words(one[1].data.get("name"))), named, "table of a source, model, seed or snapshot"
    )
    config, above = table.part("config"), source.part("config")
    own, shared = meta_of(table, config), meta_of(source, above)
    own.data = {**shared.data, **own.data}
    draft.about(own, plainest(table.text("identifier")) or table.text("name"))
    table.pass_over("name", "quoting")
    source.pass_over("name", "tables", "schema", "quoting")
    for part in table.parts("columns"):
        column(draft, part)
    for test in (*table.items("data_tests"), *table.items("tests")):
        tested(draft, table.where or "the table", test, None)
    age(draft, [config, table, above, source])
    for part in (own, config, table, above, source, top):
        part.close()
    return draft.imported()


def meta_of(part: Taken, config: Taken) -> Taken:
    """What stands in meta, which may stand in config."""
    inside, beside = config.part("meta"), part.part("meta")
    data = {key: as_it_is(value) for key, value in {**beside.data, **inside.data}.items()}
    return Taken(part.draft, f"{part.where}.meta", data)


def plainest(said: str | None) -> str | None:
    """Text without the templates that `text` puts into it."""
    return None if said is None else re.sub(r"\{\{ '\{' \}\}(?=[{%#])", "{", said)


def as_it_is(value: Any) -> Any:
    """Data without the templates that `text` puts into its texts."""
    if isinstance(value, dict):
        return {key: as_it_is(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_it_is(item) for item in value]
    return plainest(value) if isinstance(value, str) else value


def column(draft: Draft, part: Taken) -> None:
    """One column as one field."""
    name, kind = plainest(part.text("name")), part.text("data_type")
    if name is None:
        draft.leave(f"{part.where}: a column without a name")
        return
    tests = [*part.items("data_tests"), *part.items("tests")]
    found = known_type(kind)
    if found is None and is_nested(kind):
        draft.leave(f"{name}: {kind} is no single value, and a contract is flat; the column is left out")
        return
    made = draft.field(name, found or guessed(tests))
    if made is None:
        return
    if found is None:
        draft.review(name, "type", f"{kind} is no type that is known" if kind else "none was said")
    if (meaning := plainest(part.text("description"))) is not None:
        made["meaning"] = meaning
    config = part.part("config")
    own = meta_of(part, config)
    for key in FIELD_KEYS:
        if (value := own.raw(key)) is not None:
            made[key] = to_type(value, made["type"]) if key in ("min", "max") else plainly(value)
    for test in tests:
        tested(draft, name, test, made, own)
    made |= {key: True for key in ("required", "unique") if own.flag(key)}
    if "enum" not in made and (kept := own.items("enum")):
        own.meanings(made, limits.domain(draft, made, kept))
    for rule in part.parts("constraints"):
        constraint(draft, rule, made)
    part.pass_over("quote")
    for each in (own, config, part):
        each.close()


def is_nested(kind: str | None) -> bool:
    """Whether a warehouse's type holds more than one value: an array, a struct, JSON."""
    return bool(re.match(r"(?i)(array|struct|object|map|json|variant|list|record|row|super)\b|.*\[", kind or ""))


def guessed(tests: list[Any]) -> str:
    """The type of a column that names none, from the domain that it has, if that stands without quotes."""
    for name, args in (named_test(test) for test in tests):
        values = args.get("values") if name == "accepted_values" else None
        if isinstance(values, list) and values and plain(args.get("quote")) is False:
            bare = [to_type(value, "number") for value in values]
            if all(isinstance(plain(value), bool) for value in values):
                return "boolean"
            if all(isinstance(value, int | float) for value in bare):
                return "integer" if all(isinstance(value, int) for value in bare) else "number"
    return "string"


def named_test(test: Any) -> tuple[str, dict[Any, Any]]:
    """A test's name without its package, and its arguments, wherever they stand."""
    if not isinstance(test, dict):
        return (words(test) or "?").rpartition(".")[2], {}
    name = words(test.get("test_name"))
    given: Any = test
    if name is None:
        first = next((key for key in test if words(key) not in (*NOT_OF_THE_TEST, "config", "arguments")), None)
        name, inner = words(first) or "?", test.get(first)
        given = {
            **{key: value for key, value in test.items() if key != first},
            **(inner if isinstance(inner, dict) else {}),
        }
    inner = given.get("arguments")
    return name.rpartition(".")[2], {**given, **(inner if isinstance(inner, dict) else {})}


def tested(draft: Draft, where: str, test: Any, made: dict[str, Any] | None, own: Taken | None = None) -> None:
    """A test as a clause."""
    name, given = named_test(test)
    args = Taken(draft, f"{where}: {name}", given)
    config = Taken(
        draft, f"{where}: {name}.config", given.get("config") if isinstance(given.get("config"), dict) else {}
    )
    if given.get("where") is not None or config.data.get("where") is not None:
        draft.leave(f"{where}: {name}: it is asked of some rows only, and a clause is about all")
        return
    if plain(given.get("enabled", config.data.get("enabled"))) is False:
        draft.leave(f"{where}: {name}: it is switched off")
        return
    key = clause_of(draft, name, args, made, own)
    if key is None:
        draft.leave(f"{where}: {name}: a contract has no place for this test")
        return
    severity = words(given.get("severity")) or words(config.data.get("severity"))
    if severity and severity.lower() == "warn":
        draft.review(made["name"] if made else None, key, "only a warning there")
    args.pass_over("config", "arguments", "test_name", "severity", "enabled", *NOT_OF_THE_TEST)
    args.close()


def clause_of(draft: Draft, name: str, args: Taken, made: dict[str, Any] | None, own: Taken | None) -> str | None:
    """The clause that a test comes to; None where there is none."""
    if made is None:
        if name != "expect_table_row_count_to_be_between":
            return None
        ends = {"min_rows": args.number("min_value"), "max_rows": args.number("max_value")}
        draft.top["volume"] = {key: to_type(end, "integer") for key, end in ends.items() if end is not None}
        return "volume"
    if name in ("not_null", "expect_column_values_to_not_be_null"):
        made["required"] = True
        return "required"
    if name in ("unique", "expect_column_values_to_be_unique"):
        made["unique"] = True
        return "unique"
    if name in ("accepted_values", "expect_column_values_to_be_in_set"):
        is_quoted = plain(args.raw("quote")) is not False and plain(args.raw("quote_values")) is not False
        values = args.items("values") or args.items("value_set")
        if any("{{" in text or "{%" in text for text in map(str, values) if "{{ '{' }}" not in text):
            draft.review(made["name"], "enum", "a value is a template, taken as it stands")
        values = [as_it_is(value) for value in values]
        values = limits.domain(draft, made, [unquoted(value) if is_quoted else value for value in values])
        if own is not None:
            own.meanings(made, values)
        return "enum" if "enum" in made else None
    if name in ("accepted_range", "expect_column_values_to_be_between"):
        is_open = plain(args.raw("inclusive")) is False or plain(args.raw("strictly")) is True
        for key, ours, step in (("min_value", "min", 1), ("max_value", "max", -1)):
            limit = to_type(args.raw(key), made["type"])
            if limit is not None and is_open:
                limits.exclude(draft, made, ours, limit, step)
            elif limit is not None:
                made[ours] = limit
        return "min" if "min" in made else "max" if "max" in made else None
    if name == "expect_column_values_to_match_regex":
        limits.pattern(draft, made, args.text("regex"))
        return "pattern" if "pattern" in made else None
    if name == "not_null_proportion" and (share := args.number("at_least")) is not None:
        made["max_null_rate"] = round(1 - share, 12)
        return "max_null_rate"
    return None


def unquoted(value: Any) -> Any:
    """A value as it is in SQL's quotes, in which two stand for one."""
    if isinstance(value, Scalar):
        return value
    return value.replace("''", "'") if isinstance(value, str) else value


def constraint(draft: Draft, rule: Taken, made: dict[str, Any]) -> None:
    """A constraint of a column as clauses of its field."""
    kind = rule.text("type")
    rule.pass_over("name", "warn_unenforced", "warn_unsupported", "columns")
    if kind in ("not_null", "primary_key"):
        made["required"] = True
    if kind in ("unique", "primary_key"):
        made["unique"] = True
    if kind not in ("not_null", "unique", "primary_key"):
        draft.leave(f"{made['name']}: the constraint {kind or '?'}: a contract has no place for it")
        rule.pass_over("expression", "to", "to_columns")
    rule.close()


def age(draft: Draft, places: list[Taken]) -> None:
    """The freshness, from the innermost place that says one; ours in meta knows more of it."""
    loaded_at = next(filter(None, [part.text("loaded_at_field") for part in places]), None)
    said = [part.part("freshness") for part in places if part.raw("freshness") is not None]
    made = draft.top.get("freshness")
    made = made if isinstance(made, dict) else {}
    for part in said[:1]:
        late, warned = (part.part(key) for key in ("error_after", "warn_after"))
        chosen = late if late.data else warned
        lag = limits.span(chosen.raw("count"), chosen.text("period") or "day")
        if lag is None:
            draft.leave(f"{part.where}: no count and period that a contract can hold")
        else:
            made["max_lag"] = lag
            if chosen is warned:
                draft.review(None, "freshness", "only a warning there")
            elif warned.data:
                draft.leave(f"{part.where}: warn_after, as a promise is kept or broken")
        warned.pass_over("count", "period")
        for each in (late, warned, part):
            each.close()
    if "max_lag" not in made:
        if loaded_at:
            draft.leave(f"loaded_at_field {loaded_at}: there is no freshness that would ask for it")
        return
    column_name = plainest(loaded_at) or ""
    if column_name.startswith('"') and column_name.endswith('"'):
        column_name = column_name[1:-1].replace('""', '"')
    if any(field["name"] == column_name for field in draft.fields):
        made["field"] = column_name
    elif column_name and column_name != made.get("field"):
        draft.leave(f"loaded_at_field {loaded_at}: it is no column of this table, perhaps an expression")
    draft.top["freshness"] = made
