"""Requests: frozen values with one field per option, from which verbs and commands are made."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cache, wraps
from typing import Annotated, Any, ParamSpec, TypeVar, get_args, get_origin

from incrowd.docstrings import docstrings_of
from incrowd.requests.kinds import Flags, Group, OptionKind, Parts
from incrowd.table.names import unique_names

Parameters = ParamSpec("Parameters")
Asked = TypeVar("Asked")
Result = TypeVar("Result")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Option:
    """A field of a request that help texts and forms show."""

    name: str
    kind: OptionKind
    group: str | None
    flags: tuple[str, ...]
    """Spellings on the command line; empty for an argument."""
    says: str
    default: Any = None
    """`dataclasses.MISSING` if it must be given."""

    @property
    def long_name(self) -> str:
        """Its flag without dashes."""
        return self.flags[0].lstrip("-") if self.flags else self.name


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked of a verb; a wrong value is a `PolicyError` when it is made."""

    def __post_init__(self) -> None:
        """Read one column as a list of one, in place; refuse numbers out of their limits."""
        own: Any = type(self)
        for option in options_of(own):
            value = getattr(self, option.name)
            option.kind.refuse_wrong(option.name, value)
            if option.kind.form == "columns" and value is not None:
                object.__setattr__(self, option.name, unique_names(value))

    def convert_to(self, kind: Callable[..., Value]) -> Value:
        """Make a value of a class from fields of these names; the request must have them all."""
        named: Any = kind
        return kind(**{field.name: getattr(self, field.name) for field in fields(named)})


@cache
def options_of(request: type) -> tuple[Option, ...]:
    """The options of a request: its fields that have a kind, in their order."""
    said = _sentences_by_field(request)
    return tuple(
        replace(option_of(one.type, one.name, said.get(one.name, "")), default=one.default)
        for one in fields(request)
        if marks_of(one.type, OptionKind)
    )


@cache
def parts_of(request: type) -> dict[str, Parts]:
    """The fields of a request whose values have options of their own, by name."""
    parts = {field.name: marks_of(field.type, Parts) for field in fields(request)}
    return {name: marks[0] for name, marks in parts.items() if marks}


def option_of(annotation: Any, name: str, says: str = "") -> Option:
    """Make the option that an annotation describes; without group and flags it is an argument."""
    (kind,) = marks_of(annotation, OptionKind)
    groups, flags = marks_of(annotation, Group), marks_of(annotation, Flags)
    own = ("--" + name.replace("_", "-"),)
    return Option(
        name,
        kind,
        groups[0].title if groups else None,
        flags[0].names if flags else own if groups else (),
        says or next(iter(marks_of(annotation, str)), ""),
    )


def marks_of(annotation: Any, kind: type) -> list[Any]:
    """The marks of this kind in an `Annotated` type; none if it is a plain type."""
    if get_origin(annotation) is not Annotated:
        return []
    return [mark for mark in get_args(annotation)[1:] if isinstance(mark, kind)]


def _sentences_by_field(request: type) -> dict[str, str]:
    """The sentence below each field of a request, as one line."""
    return {name: " ".join(text.split()) for name, text in docstrings_of(request).items()}


def verb(
    request: Callable[Parameters, Asked], several: str | None = None
) -> Callable[[Callable[[Asked], Result]], Callable[Parameters, Result]]:
    """Make a decorator that gives a function of a request the parameters of the request.

    The function then takes them one by one, and its docstring lists their sentences. `several`
    names the second parameter if it is a list: its items may also follow one by one.
    """

    def decorate(answer: Callable[[Asked], Result]) -> Callable[Parameters, Result]:
        name = answer.__name__
        signature = _signature(request).replace(
            return_annotation=inspect.signature(answer).return_annotation
        )

        @wraps(answer)
        def call(*places: Parameters.args, **given: Parameters.kwargs) -> Result:
            every: Any = places
            if several is not None and places and several not in given:
                every = (*places[:1], _as_one_list(places[1:]))
            try:
                signature.bind(*every, **given)
            except TypeError as error:
                raise TypeError(f"{name}() {error}") from None
            return answer(request(*every, **given))

        call.__signature__ = signature  # type: ignore[attr-defined]
        call.__doc__ = f"{inspect.cleandoc(answer.__doc__ or '')}\n\n{_parameter_list(request)}\n"
        call.__annotations__ = {
            one.name: one.annotation for one in signature.parameters.values()
        } | {"return": signature.return_annotation}
        return call

    return decorate


def _as_one_list(items: tuple[Any, ...]) -> Any:
    """The items as one list; a single item that is a list is that list."""
    return items[0] if len(items) == 1 and isinstance(items[0], list | tuple) else items


def _signature(request: Callable[..., Any]) -> inspect.Signature:
    """The signature of a request, its parameters with their types alone."""
    signature = inspect.signature(request)
    plain = [
        parameter.replace(annotation=_type_without_marks(parameter.annotation))
        for parameter in signature.parameters.values()
    ]
    return signature.replace(parameters=plain)


def _type_without_marks(annotation: Any) -> Any:
    """The type of an annotation without its marks; its name if it is not loaded."""
    plain = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    return getattr(plain, "__forward_arg__", plain)


def _parameter_list(request: Any) -> str:
    """Write a line for each parameter that has a sentence; flags are named as parameters."""
    said = {one.name: next(iter(marks_of(one.type, str)), "") for one in fields(request)}
    said |= _sentences_by_field(request)
    names = [one for one in inspect.signature(request).parameters if said.get(one)]
    lines = (f"`{one}`: {said[one]}" for one in names)
    return "\n".join(
        re.sub(r"--([a-z-]+)", lambda flag: f"`{flag[1].replace('-', '_')}`", line)
        for line in lines
    )
