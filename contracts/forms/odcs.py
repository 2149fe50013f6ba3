"""To ODCS 3.1, the Open Data Contract Standard; from_odcs reads it.

What the standard has no home for (unit, consumers, evolution, …) is in `customProperties` under our names, so that a
contract comes back as it went.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from contracts.document import Contract, Field, as_plain, to_mapping
from contracts.forms import Exported, evolution, regex
from contracts.forms.yaml_blocks import written
from contracts.values import duration_text

VERSION = "v3.1.0"


def export(contract: Contract) -> Exported:
    """The contract as an ODCS file."""
    table: dict[str, Any] = {
        "name": contract.dataset,
        "logicalType": "object",
        "physicalType": "table",
        "properties": [property_of(field, contract) for field in contract.fields],
    }
    if contract.volume:
        table["quality"] = list(row_counts(contract))
    document = {
        "apiVersion": VERSION,
        "kind": "DataContract",
        "id": contract.dataset,
        "name": contract.dataset,
        "version": contract.version,
        "status": "active",
        "team": {"name": contract.owner},
        "schema": [table],
    }
    own: dict[str, Any] = {"consumers": list(contract.consumers), "evolution": evolution(contract)}
    if contract.freshness:
        document["slaProperties"] = [service_level(contract)]
        if contract.freshness.timezone:
            own["timezone"] = contract.freshness.timezone
    document["customProperties"] = custom(own)
    return Exported(written(document), tuple(left_out(contract)))


def custom(properties: dict[str, Any]) -> list[dict[str, Any]]:
    """A mapping as the standard's list of custom properties."""
    return [{"property": name, "value": value} for name, value in properties.items()]


def property_of(field: Field, contract: Contract) -> dict[str, Any]:
    """One column."""
    made: dict[str, Any] = {"name": field.name, "logicalType": field.type}
    if field.meaning:
        made["description"] = field.meaning
    made |= {name: True for name in ("required", "unique") if getattr(field, name)}
    options = {}
    if field.min is not None:
        options["minimum"] = as_plain(field.min)
    if field.max is not None:
        options["maximum"] = as_plain(field.max)
    if field.pattern is not None:
        options["pattern"] = regex.whole(field.pattern)
    if field.type == "timestamp" and contract.freshness and contract.freshness.timezone:
        options["defaultTimezone"] = contract.freshness.timezone
    if options:
        made["logicalTypeOptions"] = options
    rules = list(quality(field))
    if rules:
        made["quality"] = rules
    own: dict[str, Any] = {}
    if field.unit:
        own["unit"] = field.unit
    if field.max_null_rate is not None:
        own["max_null_rate"] = field.max_null_rate
    if field.meanings:
        own["meanings"] = [{"value": as_plain(value), "meaning": says} for value, says in field.meanings]
    if field.deprecated:
        own["deprecated"] = to_mapping(field.deprecated)
    if own:
        made["customProperties"] = custom(own)
    return made


def quality(field: Field) -> Iterator[dict[str, Any]]:
    """The clauses that are rules of the standard's own library."""
    if field.enum is not None:
        values = [as_plain(value) for value in field.enum]
        yield {"type": "library", "metric": "invalidValues", "arguments": {"validValues": values}, "mustBe": 0}
    if field.max_null_rate is not None:
        share = 100 * field.max_null_rate
        yield {"type": "library", "metric": "nullValues", "unit": "percent", "mustBeLessOrEqualTo": share}


def row_counts(contract: Contract) -> Iterator[dict[str, Any]]:
    """The volume as a rule of quality."""
    low, high = (contract.volume.min_rows, contract.volume.max_rows) if contract.volume else (None, None)
    rule = {"type": "library", "metric": "rowCount"}
    if low is not None and low == high:
        yield {**rule, "mustBe": low}
    elif low is not None and high is not None:
        yield {**rule, "mustBeBetween": [low, high]}
    elif low is not None:
        yield {**rule, "mustBeGreaterOrEqualTo": low}
    elif high is not None:
        yield {**rule, "mustBeLessOrEqualTo": high}


def service_level(contract: Contract) -> dict[str, Any]:
    """How old the newest row may be."""
    assert contract.freshness is not None
    span = duration_text(contract.freshness.max_lag)
    made: dict[str, Any] = {"property": "freshness", "value": int(span[:-1]), "unit": span[-1]}
    if span.endswith("s"):  # tools read days, hours and minutes, and else the form of ISO 8601
        made = {"property": "freshness", "value": f"PT{span[:-1]}S"}
    element = contract.dataset + (f".{contract.freshness.field}" if contract.freshness.field else "")
    return {**made, "element": element}


def left_out(contract: Contract) -> Iterator[str]:
    """What no rule of the standard's checks, or may read otherwise, a sentence each."""
    for field in contract.fields:
        if field.pattern is not None and regex.portable(field.pattern) is None:
            yield f"{field.name}: the pattern is RE2's, and ODCS speaks of ECMA-262, which may read it otherwise"
    if contract.evolution.additive == "forbidden":
        yield "additive: forbidden is in customProperties, and no rule of the standard's checks it"
