"""Values of every plug-in, made from the union that lists them.

A new plug-in is tested without a line here: its settings get typical values of their types, and
each value of a setting that is one of several words gets a plug-in of its own.
"""

from dataclasses import MISSING, fields
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from incrowd.errors import PolicyError


def classes(union):
    """The classes of an annotated union."""
    return get_args(get_args(union)[0])


def values(union, column="s", special=()):
    """At least one plug-in of each class; those in `special` stand for their classes."""
    made = {type(one): [] for one in special}
    for one in special:
        made[type(one)].append(one)
    return [one for kind in classes(union) for one in made.get(kind) or _made(kind, column)]


def _made(kind, column):
    hints = get_type_hints(kind, include_extras=True)
    required = {
        field.name: _typical(hints[field.name], column)
        for field in fields(kind)
        if field.default is MISSING and field.default_factory is MISSING
    }
    words = {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Literal}
    every = [{name: word} for name in words for word in words[name]] or [{}]
    found = []
    for chosen in every:
        one = _checked(kind, required | chosen, hints, column)
        if one is not None and one not in found:
            found.append(one)
    assert found, kind
    return found


def _checked(kind, settings, hints, column):
    """The plug-in with these settings; if it needs an optional one, with that too."""
    try:
        return kind(**settings)
    except PolicyError:
        pass
    optional = [field.name for field in fields(kind) if field.default is None]
    for name in optional:
        inner = next(hint for hint in get_args(hints[name]) if hint is not type(None))
        try:
            return kind(**settings, **{name: _typical(inner, column)})
        except PolicyError:
            continue
    return None


def _typical(hint, column) -> Any:
    """A value in the middle of what a setting allows."""
    limits = {}
    if get_origin(hint) is Annotated:
        hint, info = get_args(hint)[:2]
        for limit in info.metadata:
            limits |= {key: getattr(limit, key) for key in limit.__slots__}
    if hint is str:
        return column
    if get_origin(hint) is Literal:
        return get_args(hint)[0]
    low = limits.get("ge", limits.get("gt", 1))
    high = limits.get("lt", limits.get("le"))
    if hint is int:
        return low + 1
    return (low + high) / 2 if high is not None and high <= 1 else float(low) + 1
