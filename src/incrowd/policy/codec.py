"""TOML ⇄ Policy: versioned; edits keep comments; errors give the line and never the value."""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, get_args

from pydantic import TypeAdapter

from incrowd import values
from incrowd.errors import PolicyError
from incrowd.hierarchy import AnyHierarchy
from incrowd.loss import AnyLoss
from incrowd.models import AnyModel
from incrowd.policy import toml
from incrowd.policy.policy import VERSION, Column, Policy
from incrowd.search import AnySearch
from incrowd.values import Fault, FaultyPolicyError, Path, type_fault

_Made = TypeVar("_Made")

HEADER: tuple[str, ...] = (
    "What a release must satisfy. Name every column of the table below.",
    "roles: quasi, sensitive, identifier, keep, drop, unit, weight",
)


def loads(text: str, source: str = "policy") -> Policy:
    """Read a policy from TOML text; `PolicyError`, in which `source` names it, if it is none."""
    data = _parse_toml(text, source)
    try:
        _check_version(data)
        return make_value(lambda: _read_policy(data))
    except FaultyPolicyError as error:
        faults = _sort_by_line(error.faults, text, data)
    if len(faults) == 1:
        raise PolicyError(f"{source}: {faults[0].message}", remedy=faults[0].remedy)
    listed = (f"- {fault.sentence()}" for fault in faults)
    raise PolicyError("\n".join([f"{source} has {len(faults)} errors:", *listed]))


def make_value(make: Callable[[], _Made]) -> _Made:
    """Call `make`; errors of pydantic become a `FaultyPolicyError` that names the file's keys."""
    return values.make_value(make, keys_at)


def dumps(
    policy: Policy | Mapping[str, Any],
    *,
    header: Sequence[str] = HEADER,
    comments: Mapping[str, Sequence[str]] | None = None,
    beside: Mapping[str, str] | None = None,
    of_models: Mapping[int, str] | None = None,
) -> str:
    """Write a policy, also one in plain values, as readable TOML with comments.

    `comments` stand above the settings of columns, by column, `beside` behind their roles,
    `of_models` above models, by number, and `header` on top.
    """
    plain = policy if isinstance(policy, Mapping) else plain_values(policy)
    told = of_models or {}
    settings = {key: value for key, value in plain.items() if key not in {"models", "columns"}}
    parts = ["\n".join([*map(toml.comment_text, header), *toml.table_lines(settings)])]
    for number, model in enumerate(plain.get("models", ())):
        remarks = [toml.comment_text(told[number])] if number in told else []
        parts.append("\n".join(["[[models]]", *remarks, *toml.table_lines(model)]))
    for name, column in plain.get("columns", {}).items():
        about = map(toml.comment_text, (comments or {}).get(name, ()))
        head = f"[columns.{toml.key_text(name)}]"
        role, *rest = toml.table_lines(column)
        remark = (beside or {}).get(name)
        role += f"  {toml.comment_text(toml.shorten(remark))}" if remark else ""
        parts.append("\n".join([head, *about, role, *rest]))
    return "\n\n".join(parts) + "\n"


def plain_values(policy: Policy) -> dict[str, Any]:
    """The plain values that TOML text of this policy holds, without writing and reading it."""
    models = [_plain_plugin(model) for model in policy.models]
    columns = {name: _plain_column(column) for name, column in policy.columns.items()}
    whole = {"models": models, "columns": columns}
    return dict(_settings(policy)) | {key: value for key, value in whole.items() if value}


def edit(text: str, changes: Mapping[str | Path, Any], source: str = "policy") -> str:
    r"""Change some keys of the text of a policy; everything else, comments too, stays as it was.

    A key is a name or a path (`("columns", "age", "role")`, `("models", 0, "k")`); None takes it
    away. `PolicyError` if the outcome is no policy.

    >>> text = 'version = 1\nsuppression = 0.1 # enough\n[[models]]\nname = "k-anonymity"\n'
    >>> text += 'k = 5\n[columns.age]\nrole = "quasi"\n'
    >>> print(edit(text, {"suppression": 0.0}).splitlines()[1])
    suppression = 0.0 # enough
    """
    _parse_toml(text, source)
    edited = toml.edit_text(text, changes)
    loads(edited, source)
    return edited


def lines_for(names: Iterable[str]) -> str:
    """The lines that declare these columns as dropped, for a user to edit."""
    role = 'role = "drop"  # or quasi, sensitive, identifier, keep'
    return "\n\n".join(f"[columns.{toml.key_text(name)}]\n{role}" for name in names)


def keys_at(path: Path) -> tuple[str, ...]:
    """The keys that a table at this place may have, or the known names where a plug-in is named.

    `path` is where pydantic says that a fault is, so it has the names of plug-ins in it:
    `("search", "auto")`, `("models", 0, "k-anonymity")`. Empty if nothing is known of the place.
    """
    if not path:
        return tuple(Policy.model_fields)
    if path[0] == "columns" and len(path) == 2:
        return tuple(Column.model_fields)
    before, last = ("", "", *(part for part in path if isinstance(part, str)))[-2:]
    if last in _UNIONS:
        return tuple(_plugins_by_name(_UNIONS[last]))
    plugins = _plugins_by_name(_UNIONS[before]) if before in _UNIONS else {}
    return tuple(getattr(plugins.get(last), "__dataclass_fields__", ()))


_UNIONS: dict[str, Any] = {
    "models": AnyModel,
    "loss": AnyLoss,
    "search": AnySearch,
    "hierarchy": AnyHierarchy,
}
"""The plug-ins that a place of the policy may name."""


def _plugins_by_name(union: Any) -> dict[str, type]:
    """The plug-in classes of an annotated union, or the one that is annotated, by name."""
    inner = get_args(union)[0]
    members = get_args(inner) or (inner,)
    return {member.__dataclass_fields__["name"].default: member for member in members}


def _parse_toml(text: str, source: str) -> dict[str, Any]:
    """Parse TOML text; `PolicyError` with the line if it is not valid or nested too deeply."""
    if (line := toml.line_too_deep(text)) is not None:
        raise PolicyError(
            f"{source}: brackets or dotted keys are nested too deeply (line {line})",
            remedy=f"use at most {toml.DEEPEST} levels",
        )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+),", str(error))
        where = f" (line {place[1]})" if place else ""
    remedy = "look for a missing quote, bracket or '=', or a duplicate key"
    raise PolicyError(f"{source}: not valid TOML{where}", remedy=remedy)


def _check_version(data: Mapping[str, Any]) -> None:
    """Refuse a policy without a version, or with one that this incrowd does not know."""
    version = data.get("version")
    if version is None:
        raise FaultyPolicyError([Fault((), "'version' is missing", "add version = 1 on top")])
    if type(version) is not int or version < 1:
        raise FaultyPolicyError([Fault(("version",), "'version' must be 1")])
    if version > VERSION:
        fault = Fault(("version",), "written by a newer incrowd", "update incrowd to use it")
        raise FaultyPolicyError([fault])


def _read_policy(data: Mapping[str, Any]) -> Policy:
    """Make a policy of parsed TOML; refuses texts and truth values in place of other types."""
    policy = Policy.model_validate_json(json.dumps(data, default=str))
    if found := tuple(_mistyped_values(data, policy.model_dump(mode="json"), ())):
        raise FaultyPolicyError(found)
    return policy


def _mistyped_values(written: Any, taken: Any, path: Path) -> Iterator[Fault]:
    """Yield a fault for each text or truth value that pydantic read as another type."""
    if isinstance(written, Mapping) and isinstance(taken, Mapping):
        for key in written:
            yield from _mistyped_values(written[key], taken[key], (*path, key))
    elif isinstance(written, list) and isinstance(taken, list):
        for place, (one, other) in enumerate(zip(written, taken, strict=False)):
            yield from _mistyped_values(one, other, (*path, place))
    elif type(written) in {str, bool} and type(taken) in {*_SCALARS} - {type(written)}:
        yield type_fault(path, _SCALARS[type(taken)])


_SCALARS: Mapping[type, str] = {bool: "bool", int: "int", float: "float", str: "string"}


def _sort_by_line(faults: Sequence[Fault], text: str, data: Mapping[str, Any]) -> list[Fault]:
    """Sort faults by their line in the file and give each its line; equal faults come once."""
    lines = toml.lines_of(text)
    found = [(_line_of_path(lines, data, fault.path), fault) for fault in dict.fromkeys(faults)]
    found.sort(key=lambda pair: pair[0] or 0)
    return [fault.with_line(line) for line, fault in found]


def _line_of_path(lines: Mapping[Path, int], data: Any, path: Path) -> int | None:
    """The line of the innermost part of a path that the file has; None if it has none of it."""
    here: Path = ()
    line = None
    for part in path:  # pydantic's paths also name the kind of a thing, which is no key
        there = isinstance(data, Mapping) and part in data
        if there or (isinstance(data, list) and isinstance(part, int) and part < len(data)):
            data, here = data[part], (*here, part)
            line = lines.get(here, line)
    return line


def _settings(policy: Policy) -> Iterable[tuple[str, Any]]:
    """Yield keys and values of a policy's settings; most only if they are no defaults."""
    yield "version", policy.version
    yield "missing", policy.missing.value
    if policy.missing_values != Policy.model_fields["missing_values"].default:
        yield "missing_values", list(policy.missing_values)
    yield "order", policy.order
    for key in ("show", "ends", "split_ends", "class_column", "consistent", "max_alone"):
        if getattr(policy, key) != Policy.model_fields[key].default:
            yield key, getattr(policy, key)
    yield "suppression", policy.suppression
    if policy.time_limit is not None:
        yield "time_limit", policy.time_limit
    yield "search", _name_or_table(policy.search)
    yield "loss", _name_or_table(policy.loss)


def _plain_column(column: Column) -> dict[str, Any]:
    """The plain keys of a column's settings, the role first, without defaults."""
    keys = column.model_dump(mode="json", exclude_defaults=True, exclude={"hierarchy"})
    if column.hierarchy is None:
        return keys
    role = keys.pop("role")
    return {"role": role, "hierarchy": _name_or_table(column.hierarchy), **keys}


def _name_or_table(plugin: Any) -> str | dict[str, Any]:
    """A plug-in as its name, or as a table if it has settings that are no defaults."""
    values = _plain_plugin(plugin, exclude_defaults=True)
    return str(values["name"]) if list(values) == ["name"] else values


def _plain_plugin(plugin: Any, *, exclude_defaults: bool = False) -> dict[str, Any]:
    """The settings of a plug-in in plain values, its name first."""
    adapter: TypeAdapter[Any] = TypeAdapter(type(plugin))
    values: dict[str, Any] = adapter.dump_python(
        plugin, mode="json", exclude_none=True, exclude_defaults=exclude_defaults
    )
    return {"name": plugin.name} | {key: _without_fraction(value) for key, value in values.items()}


def _without_fraction(value: Any) -> Any:
    """Turn whole numbers below 2^53 into ints, also in lists: 5, not 5.0."""
    if isinstance(value, list):
        return [_without_fraction(item) for item in value]
    whole = isinstance(value, float) and value.is_integer() and abs(value) < _EXACT
    return int(value) if whole else value


_EXACT = 2.0**53
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
        _clarify_definition(definition)
    for owner, key in _SHORT:
        properties = (whole if owner == "Policy" else definitions[owner])["properties"]
        properties[key] = _allow_bare_names(properties[key], definitions)
    whole["required"] = ["version", *whole["required"]]
    _clarify_definition(whole)
    whole["title"] = "incrowd policy"
    return {"$schema": DIALECT, **whole}


def schema_text() -> str:
    """The JSON Schema of a policy file as the text that is published."""
    return json.dumps(schema(), indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def _without_null(part: Any) -> Any:
    """Copy a part of the schema without nulls, which TOML does not have."""
    if isinstance(part, list):
        return [_without_null(one) for one in part if one != {"type": "null"}]
    if not isinstance(part, dict):
        return part
    kept = {key: _without_null(one) for key, one in part.items() if (key, one) != ("default", None)}
    if len(choices := kept.get("anyOf", ())) == 1:
        kept |= kept.pop("anyOf")[0] | {key: kept[key] for key in kept if key in choices[0]}
    return kept


def _clarify_definition(definition: dict[str, Any]) -> None:
    """Take examples out of a description and require the name of a plug-in, in place."""
    description, _, _ = definition.get("description", "").partition(">>>")
    definition["description"] = " ".join(description.split())
    if "const" in definition.get("properties", {}).get("name", {}):
        others = [key for key in definition.get("required", ()) if key != "name"]
        definition["required"] = ["name", *others]


def _allow_bare_names(field: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A field's schema that also takes the bare name of plug-ins without required settings."""
    about: dict[str, Any] = {key: field[key] for key in ("description", "title") if key in field}
    choices = field.get("anyOf", [field])
    references = [one["$ref"] for c in choices for one in c.get("oneOf", [c]) if "$ref" in one]
    members = [definitions[one.rsplit("/", maxsplit=1)[-1]] for one in references]
    plain = [one for one in members if not set(one.get("required", ())) - {"name"}]
    names = sorted(one["properties"]["name"]["const"] for one in plain)
    tables = [{k: v for k, v in c.items() if k not in {*about, "default"}} for c in choices]
    return {**about, "anyOf": [{"enum": names}, *tables]}
