"""The JSON Schema of the policy file: what an editor needs to help with it."""

import json
from typing import Any

from incrowd.policy.policy import Policy

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SHORT = (("Policy", "search"), ("Policy", "loss"), ("Column", "hierarchy"))


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a policy file.

    >>> schema()["title"]
    'incrowd policy'
    """
    whole: dict[str, Any] = _without_null(Policy.model_json_schema())
    definitions = whole["$defs"]
    for definition in definitions.values():
        _clarify(definition)
    for owner, key in _SHORT:
        properties = (whole if owner == "Policy" else definitions[owner])["properties"]
        properties[key] = _with_short(properties[key], definitions)
    whole["required"] = ["version", *whole["required"]]
    _clarify(whole)
    whole["title"] = "incrowd policy"
    return {"$schema": DIALECT, **whole}


def schema_text() -> str:
    """The published text of the schema."""
    return json.dumps(schema(), indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def _without_null(part: Any) -> Any:
    """TOML has no null: leave out what has no value."""
    if isinstance(part, list):
        return [_without_null(one) for one in part if one != {"type": "null"}]
    if not isinstance(part, dict):
        return part
    kept = {key: _without_null(one) for key, one in part.items() if (key, one) != ("default", None)}
    if len(choices := kept.get("anyOf", ())) == 1:
        kept |= kept.pop("anyOf")[0] | {key: kept[key] for key in kept if key in choices[0]}
    return kept


def _clarify(definition: dict[str, Any]) -> None:
    """Take examples out of the description, and require the name of plug-ins."""
    description, _, _ = definition.get("description", "").partition(">>>")
    definition["description"] = " ".join(description.split())
    if "const" in definition.get("properties", {}).get("name", {}):
        others = [key for key in definition.get("required", ()) if key != "name"]
        definition["required"] = ["name", *others]


def _with_short(field: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A field that also takes a bare name, for plug-ins without required settings."""
    about: dict[str, Any] = {key: field[key] for key in ("description", "title") if key in field}
    choices = field.get("anyOf", [field])
    names = sorted(
        definition["properties"]["name"]["const"]
        for definition in map(definitions.__getitem__, _members(choices))
        if not set(definition.get("required", ())) - {"name"}
    )
    tables = [{k: v for k, v in c.items() if k not in {*about, "default"}} for c in choices]
    return {**about, "anyOf": [{"enum": names}, *tables]}


def _members(choices: list[dict[str, Any]]) -> list[str]:
    references = [one["$ref"] for c in choices for one in c.get("oneOf", [c]) if "$ref" in one]
    return [reference.rsplit("/", maxsplit=1)[-1] for reference in references]
