"""Settings: frozen values, checked when they are made. A wrong one raises `PolicyError`.

Every model, loss, search and hierarchy is a class under `dataclass` of this module; `Policy` and
its columns are `Setting`s. Whatever is wrong with a value is said in one sentence: where, what and
what to do, never the value itself.
"""

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from inspect import cleandoc
from typing import Any, TypeAlias, TypeVar, dataclass_transform

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, ValidationError
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic_core import CoreSchema

from incrowd.docstrings import docstrings_of
from incrowd.errors import PolicyError

STRICT = ConfigDict(
    extra="forbid", hide_input_in_errors=True, allow_inf_nan=False, defer_build=True
)
"""The configuration of every setting; pydantic works out the checks at the first use."""

Path: TypeAlias = tuple[str | int, ...]
Keys: TypeAlias = Callable[[Path], tuple[str, ...]]
"""The keys that may stand at a place of the policy."""
_Made = TypeVar("_Made")


# Values that are checked when they are made


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field, Field))
def dataclass(
    *,
    frozen: bool = True,
    config: ConfigDict = STRICT,
    kw_only: bool = False,
    repr: bool = True,  # noqa: A002  the word of every dataclass
) -> Callable[[type[_Made]], type[_Made]]:
    """Make a decorator: a pydantic dataclass whose wrong values raise `PolicyError` instead."""

    def decorate(cls: type[_Made]) -> type[_Made]:
        checked: Any = _checked_class(cls)
        make: Any = pydantic_dataclass(frozen=frozen, config=config, kw_only=kw_only, repr=repr)
        made: type[_Made] = make(checked)
        return made

    return decorate


class _Checked(type):
    """The class of settings: calling one turns pydantic's errors into ours.

    The call is the place to do so, not `__init__`, which pydantic sets anew when it builds the
    checks. Settings inside a policy are not made by a call: the policy says where they stand.
    """

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]  # every setting is a dataclass
        placed = [one.name for one in fields if not one.kw_only][: len(args)]
        if len(placed) == len(args) and kwargs.keys().isdisjoint(placed):  # errors name the field
            args, kwargs = (), dict(zip(placed, args, strict=True)) | kwargs
        names = tuple(one.name for one in fields)
        return make_value(
            lambda: super(_Checked, cls).__call__(*args, **kwargs), lambda _: names, cls
        )


def _checked_class(cls: type[_Made]) -> type[_Made]:
    """The class if its calls raise our errors (it is a `_Checked`), else a copy whose calls do."""
    if isinstance(cls, _Checked):
        return cls
    kind = _Checked if type(cls) is type else type("_Checked", (_Checked, type(cls)), {})
    body = {k: v for k, v in vars(cls).items() if k not in {"__dict__", "__weakref__"}}
    same: type[_Made] = kind(cls.__name__, cls.__bases__, body)
    return same


class Setting(BaseModel):
    """A pydantic model whose wrong values raise `PolicyError`."""

    model_config = ConfigDict(**STRICT, frozen=True)

    def __init__(self, *unnamed: Any, **values: Any) -> None:
        if unnamed:
            raise PolicyError(
                f"a {type(self).__name__} takes named values only",
                remedy=f"name each value, as in {next(iter(type(self).model_fields))}=…",
            )
        make_value(lambda: super(Setting, self).__init__(**values), self._keys_at, type(self))

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # parts of a policy need no call

    def __setattr__(self, name: str, value: object) -> None:
        raise PolicyError(
            f"'{name}' of a {type(self).__name__} cannot be changed", remedy="make a new one"
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Describe each field by the docstring below it; only a schema needs to read the source."""
        whole = handler(core)
        keys = handler.resolve_ref_schema(whole)["properties"]
        texts = docstrings_of(cls)
        for name in keys:
            keys[name]["description"] = cleandoc(texts[name])
        return whole

    @classmethod
    def _keys_at(cls, path: Path) -> tuple[str, ...]:
        """The keys that may stand at this place of a policy: the fields at the top, else none."""
        return () if path else tuple(cls.model_fields)


def make_value(make: Callable[[], _Made], keys: Keys, what: type | None = None) -> _Made:
    """Call `make`, which makes a `what`; errors of pydantic become a `FaultyPolicyError`."""
    try:
        return make()
    except ValidationError as error:
        found = dict.fromkeys(_fault(one, keys) for one in error.errors(include_url=False))
    name = getattr(what, "name", "")
    raise FaultyPolicyError(found, of=name if isinstance(name, str) else "")


# What is wrong with a value


@dataclasses.dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a policy."""

    path: Path
    message: str
    remedy: str = ""

    def with_line(self, line: int | None) -> "Fault":
        """The fault with the number of its line in the policy file; as it is if that is None."""
        return replace(self, message=f"{self.message} (line {line})") if line else self

    def sentence(self) -> str:
        """What is wrong and what to do about it, in one line."""
        return f"{self.message}; {self.remedy}" if self.remedy else self.message


class FaultyPolicyError(PolicyError):
    """A setting is wrong, or a policy contradicts itself; `faults` says where.

    `of` names the model, loss, search or hierarchy that was made.
    """

    def __init__(self, faults: Iterable[Fault], *, of: str = "") -> None:
        self.faults = tuple(faults)
        place = f"{of}: " if of else ""
        if len(self.faults) == 1:
            super().__init__(f"{place}{self.faults[0].message}", remedy=self.faults[0].remedy)
        else:
            super().__init__("\n".join(f"{place}{fault.sentence()}" for fault in self.faults))


def did_you_mean(word: object, known: Iterable[object], *, listed: bool = False) -> str:
    """A remedy that names the nearest known word; if none is near, all if `listed`, else empty.

    >>> did_you_mean("supression", ["suppression", "search"])
    "did you mean 'suppression'?"
    """
    names = list(map(str, known))
    near = get_close_matches(str(word).lower(), [name.lower() for name in names], n=1, cutoff=0.6)
    if near:
        return f"did you mean '{next(name for name in names if name.lower() == near[0])}'?"
    return f"choose one of {_quote_words(names)}" if listed and names else ""


def _fault(detail: Mapping[str, Any], keys: Keys) -> Fault:
    """Put one fault that pydantic found into our words; `keys` tells the known keys of a place."""
    path = _without_union_members(tuple(detail["loc"]))
    kind, context = detail["type"], detail.get("ctx", {})
    if path[-1:] == ("[key]",):
        place = place_of(path[:-2])
        return Fault(path[:-2], f"{place}every name must be text", "put the names in quotes")
    place, key = place_of(path[:-1]), path[-1] if path else "policy"
    match kind:
        case "extra_forbidden" | "unexpected_keyword_argument":
            remedy = did_you_mean(key, keys(path[:-1])) or "leave it out"
            found = Fault(path, f"{place}unknown key '{key}'", remedy)
        case "missing" | "missing_argument":
            found = Fault(path[:-1], f"{place}'{key}' is missing", f"add '{key}'")
        case "unexpected_positional_argument" | "multiple_argument_values":
            found = Fault(path[:-1], f"{place}too many values", "name each value, as in k=5")
        case "union_tag_invalid":
            known = [tag.strip(" '") for tag in str(context["expected_tags"]).split(",")]
            remedy = did_you_mean(context["tag"], known, listed=True)
            found = Fault(path, f"{place_of(path)}unknown name", remedy)
        case "union_tag_not_found":
            names = _quote_words(list(keys(path)))
            remedy = f"add a 'name', one of {names}" if names else "add a 'name'"
            found = Fault(path, f"{place_of(path)}'name' is missing", remedy)
        case "value_error":
            message, _, remedy = str(context["error"]).partition("; ")
            found = Fault(path, f"{place_of(path)}{message}", remedy)
        case _:
            message = f"{place}{_key_name(key)} {_requirement(detail, context)}"
            found = Fault(path, message, _remedy_for(detail, context))
    return found


def type_fault(path: Path, kind: str) -> Fault:
    """The fault of a value that is not of the type `kind`, a key of `_TYPES`."""
    what = f"{place_of(path[:-1])}{_key_name(path[-1])}"
    words, remedy = _TYPES[kind]
    return Fault(path, f"{what} must be {words}", remedy)


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


def _without_union_members(path: Path) -> Path:
    """The path of a value in a policy, without the types that pydantic tried and put into it."""
    return (*path[:3], *(part for part in path[3:] if not _TYPE.fullmatch(str(part))))


def _key_name(key: str | int) -> str:
    """A key in a message: `entry 1` for the first of a list, quoted if it is a name."""
    return f"entry {key + 1}" if isinstance(key, int) else f"'{key}'"


_TYPE = re.compile(r"[\w-]+\[.*\]|function-\w+.*|constrained-\w+")
_LIMITS = {
    "ge": ("at least", "give {} or more"),
    "gt": ("above", "give more than {}"),
    "le": ("at most", "give {} or less"),
    "lt": ("below", "give less than {}"),
}
"""By pydantic's word for a limit: what a value must be, and what to write."""
_TYPES = {
    "int": ("a whole number", "write 5, for example"),
    "float": ("a number", "write 0.5, for example"),
    "bool": ("true or false", "write true or false"),
    "string": ("text", "put it in quotes"),
    **dict.fromkeys(("tuple", "list"), ("a list", "put the entries in brackets")),
    **dict.fromkeys(
        ("dict", "mapping", "model", "dataclass"), ("a table", "give names with their values")
    ),
    "finite": ("a finite number", "give a finite number"),
    "date": ("a date", ""),
    "path": ("a path", ""),
    "union": ("a name, or a table with a 'name'", ""),
}
"""By pydantic's word for a type: what a value must be, and what to write."""


def _requirement(detail: Mapping[str, Any], context: Mapping[str, Any]) -> str:
    """Say what a value must be, by an error of pydantic and its `context`, which has the limits."""
    kind = detail["type"]
    for word, (text, _) in _LIMITS.items():
        if word in context and not isinstance(detail.get("input"), str | bool):
            return f"must be {text} {_limit_text(context[word])}"
    if set(context) & set(_LIMITS):
        return "must be a number"
    if "min_length" in context or "max_length" in context:
        return "has too few entries" if "min_length" in context else "has too many entries"
    if kind in {"enum", "literal_error"}:
        return "is none of the known words"
    first = kind.split("_", maxsplit=1)[0]
    return f"must be {_TYPES[first][0]}" if first in _TYPES else "is not valid"


def _remedy_for(detail: Mapping[str, Any], context: Mapping[str, Any]) -> str:
    """What to write in place of a value with this error of pydantic; empty if nothing is known."""
    if detail["type"] in {"enum", "literal_error"} and "expected" in context:
        words = str(context["expected"]).replace(" or ", ",").split(",")
        return did_you_mean(detail.get("input"), [word.strip(" '") for word in words], listed=True)
    for word, (_, text) in _LIMITS.items():
        if word in context:
            return text.format(_limit_text(context[word]))
    if "min_length" in context:
        return f"give at least {context['min_length']}"
    if "max_length" in context:
        return f"give at most {context['max_length']}"
    return _TYPES.get(detail["type"].split("_", maxsplit=1)[0], ("", ""))[1]


def _limit_text(limit: float) -> str:
    return f"{limit:,}" if isinstance(limit, int) else f"{limit:g}"


def _quote_words(words: Iterable[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
