"""The types for which kernels are compiled, as text, and the list of those that incrowd uses.

Types of arguments are written as JSON: `"int64"`; `["int32", 2, "C"]` for an array (with
`"readonly"` at its end if it is); `{"tuple": […]}`; `{"named": "module:class", "of": {field: …}}`:
a kernel reads fields by their place, so that one compiled for another order of them is another one.

`signatures.json` holds what the commands of incrowd call: every signature, and for each verb those
that a common run of it needs, in their order. `tests/record_signatures.py` writes it.
"""

import json
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from numba.core import types

Signature: TypeAlias = tuple[str, str]
"""The name of a kernel, such as `fold.first_places`, and the types of its arguments as text."""

LIST = Path(__file__).with_name("signatures.json")
_TYPES: Any = types


def types_as_text(signature: Any) -> str:
    """Return the types of a kernel's arguments as text; ValueError if one cannot be written."""
    return json.dumps([_as_json(one) for one in signature])


def _as_json(one: Any) -> Any:
    """Return a type as JSON; ValueError if there is no way to write it."""
    name = str(one)
    if isinstance(one, _TYPES.Array) and one.aligned:
        ends = [] if one.mutable else ["readonly"]
        return [_as_json(one.dtype), one.ndim, one.layout, *ends]
    if isinstance(one, _TYPES.BaseNamedTuple):
        home = f"{one.instance_class.__module__}:{one.instance_class.__qualname__}"
        parts = zip(one.fields, one, strict=True)
        return {"named": home, "of": {field: _as_json(part) for field, part in parts}}
    if isinstance(one, _TYPES.BaseTuple):
        return {"tuple": [_as_json(part) for part in one]}
    if isinstance(one, _TYPES.Number | _TYPES.Boolean) and one is getattr(types, name, None):
        return name
    raise ValueError(f"no text for the type {one}")


def parse_types(text: str) -> tuple[Any, ...]:
    """Return the types that `types_as_text` has written; errors as in `_parse_type`."""
    return tuple(_parse_type(one) for one in json.loads(text))


def _parse_type(one: Any) -> Any:
    """Return the type that `_as_json` wrote; an error if written otherwise or fields changed."""
    match one:
        case str():
            return getattr(types, one)
        case [dtype, dimensions, layout, *ends]:
            return _TYPES.Array(_parse_type(dtype), dimensions, layout, readonly=bool(ends))
        case {"named": home, "of": parts}:
            module, _, name = home.partition(":")
            kind = getattr(import_module(module), name)
            if kind._fields != tuple(parts):
                raise ValueError(f"{name} has other fields now")
            return _TYPES.BaseTuple.from_types([_parse_type(part) for part in parts.values()], kind)
        case {"tuple": parts}:
            return _TYPES.BaseTuple.from_types([_parse_type(part) for part in parts])
    raise ValueError("no type is written like this")


@cache
def load_signatures() -> dict[str, tuple[Signature, ...]]:
    """Return signatures of each verb, and all recorded ones as "all": none without the file."""
    if not LIST.exists():
        return {"all": ()}
    found = json.loads(LIST.read_text(encoding="utf-8"))
    every = tuple((name, json.dumps(takes)) for name, takes in found["signatures"])
    return {"all": every} | {
        verb: tuple(every[place] for place in places) for verb, places in found["verbs"].items()
    }


def list_as_text(verbs: dict[str, list[Signature]]) -> str:
    """Return the text of `signatures.json`; `verbs["all"]` holds every signature."""
    every = sorted(set(verbs["all"]))
    place = {one: number for number, one in enumerate(every)}
    lines = [f"  [{json.dumps(name)}, {takes}]" for name, takes in every]
    orders = [
        f"  {json.dumps(verb)}: {json.dumps([place[one] for one in used])}"
        for verb, used in sorted(verbs.items())
        if verb != "all"
    ]
    signatures, order = ",\n".join(lines), ",\n".join(orders)
    return f'{{"signatures": [\n{signatures}\n], "verbs": {{\n{order}\n}}}}\n'


def load_kernel(name: str) -> Any:
    """Return the kernel of this name, as in a `Signature`."""
    module, _, called = name.rpartition(".")
    return getattr(import_module(f"{__package__}.{module}"), called)
