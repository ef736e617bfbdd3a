"""What is wrong with a policy, in sentences: where, what, and what to do. Never the value."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, TypeAlias

from pydantic import ValidationError

from incrowd.errors import PolicyError

Path: TypeAlias = tuple[str | int, ...]
Keys: TypeAlias = Callable[[Path], tuple[str, ...]]
"""The keys that may stand at a place of the policy."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a policy."""

    path: Path
    message: str
    remedy: str = ""

    def at(self, line: int | None) -> "Fault":
        """The same with the line of the policy file, if it is known."""
        return replace(self, message=f"{self.message} (line {line})") if line else self

    def sentence(self) -> str:
        """What is wrong and what to do."""
        return f"{self.message}; {self.remedy}" if self.remedy else self.message


class FaultyPolicyError(PolicyError):
    """A policy contradicts itself; `faults` says where."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        if len(self.faults) == 1:
            super().__init__(self.faults[0].message, remedy=self.faults[0].remedy)
        else:
            super().__init__("\n".join(fault.sentence() for fault in self.faults))


def did_you_mean(word: object, known: Iterable[object], *, listed: bool = False) -> str:
    """A remedy that names the nearest known word, or lists the few that there are.

    >>> did_you_mean("supression", ["suppression", "search"])
    "did you mean 'suppression'?"
    """
    names = list(map(str, known))
    near = get_close_matches(str(word).lower(), [name.lower() for name in names], n=1, cutoff=0.6)
    if near:
        return f"did you mean '{next(name for name in names if name.lower() == near[0])}'?"
    return f"choose one of {_listed(names)}" if listed and names else ""


def faults_of(error: ValidationError, keys: Keys) -> tuple[Fault, ...]:
    """The faults that pydantic found, said in our words."""
    details = error.errors(include_url=False)
    return tuple(_fault(detail, keys) for detail in details)


def _fault(detail: Mapping[str, Any], keys: Keys) -> Fault:
    path = _without_types(tuple(detail["loc"]))
    kind = detail["type"]
    context = detail.get("ctx", {})
    if path[-1:] == ("[key]",):
        return Fault(path[:-2], f"{place_of(path[:-2])}every name must be text")
    place, key = place_of(path[:-1]), path[-1] if path else "policy"
    if kind in {"extra_forbidden", "unexpected_keyword_argument"}:
        return Fault(path, f"{place}unknown key '{key}'", did_you_mean(key, keys(path[:-1])))
    if kind in {"missing", "missing_argument"}:
        return Fault(path[:-1], f"{place}'{key}' is missing")
    if kind == "union_tag_invalid":
        known = [tag.strip(" '") for tag in str(context["expected_tags"]).split(",")]
        remedy = did_you_mean(context["tag"], known, listed=True)
        return Fault(path, f"{place_of(path)}unknown name", remedy)
    if kind == "value_error":
        return Fault(path, f"{place_of(path)}{context['error']}")
    return Fault(path, f"{place}{_name(key)} {_must(detail, context)}", _choice(detail))


def must_be(path: Path, kind: str) -> Fault:
    """The fault of a value that is of another kind than the one of its place."""
    return Fault(path, f"{place_of(path[:-1])}{_name(path[-1])} must be {_TYPES[kind]}")


def place_of(path: Path) -> str:
    """Where a path leads, for people: a prefix that ends in a colon, empty for the whole policy.

    >>> place_of(("columns", "age", "hierarchy", "intervals"))
    "column 'age', hierarchy: "
    >>> place_of(("models", 1, "k-anonymity"))
    'model 2: '
    """
    match path:
        case ("columns", str(name), *rest):
            inner = f", {rest[0]}" if rest else ""
            return f"column '{name}'{inner}: "
        case ("models", int(number), *_):
            return f"model {number + 1}: "
        case (str(first), *_):
            return f"{first}: "
        case _:
            return ""


def _without_types(path: Path) -> Path:
    """Pydantic's paths name the member of a union that was tried; the file does not."""
    return (*path[:3], *(part for part in path[3:] if not _TYPE.fullmatch(str(part))))


def _name(key: str | int) -> str:
    return f"entry {key + 1}" if isinstance(key, int) else f"'{key}'"


_TYPE = re.compile(r"[\w-]+\[.*\]|function-\w+.*|constrained-\w+")
_LIMITS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "string": "text",
    "tuple": "a list",
    "list": "a list",
    "dict": "a table",
    "model": "a table",
    "dataclass": "a table",
    "finite": "a finite number",
    "date": "a date",
    "path": "a path",
    "union": "a name, or a table with a 'name'",
}


def _must(detail: Mapping[str, Any], context: Mapping[str, Any]) -> str:
    """What a value must be, by pydantic's name of the error."""
    kind = detail["type"]
    for word, text in _LIMITS.items():
        if word in context and not isinstance(detail.get("input"), str | bool):
            return f"must be {text} {context[word]:g}"
    if set(context) & set(_LIMITS):
        return "must be a number"
    if "min_length" in context or "max_length" in context:
        return "has too few entries" if "min_length" in context else "has too many entries"
    if kind in {"enum", "literal_error"}:
        return "is none of the words that are known here"
    first = kind.split("_", maxsplit=1)[0]
    return f"must be {_TYPES[first]}" if first in _TYPES else "is not valid"


def _choice(detail: Mapping[str, Any]) -> str:
    expected = detail.get("ctx", {}).get("expected")
    if detail["type"] not in {"enum", "literal_error"} or expected is None:
        return ""
    known = [word.strip(" '") for word in str(expected).replace(" or ", ",").split(",")]
    return did_you_mean(detail.get("input"), known, listed=True)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
