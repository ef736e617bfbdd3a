"""Give a command the options of a request: their flags, groups and help come from its fields."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, replace
from functools import wraps
from typing import Annotated, Any, TypeVar

from incrowd.cli import options
from incrowd.io import reading as readers
from incrowd.requests.kinds import Form, OptionKind, Parts
from incrowd.requests.reading import ReadingOptions
from incrowd.requests.request import Option, marks_of, option_of, options_of, parts_of

Result = TypeVar("Result")


@dataclass(frozen=True)
class _Slot:
    """One argument of a command: the parameters shown for it, and what makes its value of them."""

    name: str
    shown: tuple[inspect.Parameter, ...]
    value: Callable[[dict[str, Any]], Any]
    """Takes the parameters out of what the command line gave, and makes the value of them."""


def asks(
    request: type | None = None, beside: Mapping[str, tuple[str, ...]] | None = None
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Make a decorator that gives a command the options of a request.

    The command gets their values as one dictionary, its parameter `asked`. Without a request it has
    its own parameters only.

    A parameter of the command that is named like a field takes the place of its option. `beside`
    names options, and more such parameters, by the option that they follow in the help. A parameter
    whose type has options, such as `Output`, is filled from them; one that is annotated like a
    field of a request is an option, too.
    """

    def decorate(command: Callable[..., Result]) -> Callable[..., Result]:
        signature = inspect.signature(command, eval_str=True)
        own = dict(signature.parameters)
        fields = [] if request is None else list(_slots_of_request(request, own))
        placed = {"asked", *(one.name for one in fields)}
        others = [_slot_of(one) for name, one in own.items() if name not in placed]

        @wraps(command)
        def run(**given: Any) -> Result:
            every = {one.name: one.value(given) for one in (*fields, *others)}
            mine = {name: value for name, value in every.items() if name in own}
            if request is not None:
                mine["asked"] = {name: every[name] for name in every if name not in own}
            return command(**mine)

        shown = list(_shown_parameters((*fields, *others), beside or {}))
        run.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in shown}
        return run

    return decorate


def _slots_of_request(request: type, own: Mapping[str, inspect.Parameter]) -> Iterator[_Slot]:
    """Yield a slot for each field that has options, or that a parameter of `own` replaces."""
    every = {option.name: option for option in options_of(request)}
    parts = parts_of(request)
    for name in inspect.signature(request).parameters:
        if name in own:
            yield _slot_of(own[name])
        elif name in every:
            yield _option_slot(every[name])
        elif name in parts:
            yield _slot_of_parts(name, parts[name])


def _shown_parameters(
    slots: Iterable[_Slot], beside: Mapping[str, tuple[str, ...]]
) -> Iterator[inspect.Parameter]:
    """Yield the parameters to show; `beside` names, by a parameter, the ones to put behind it."""
    every = list(slots)
    named = {slot.name: slot.shown for slot in every}
    named |= {one.name: (one,) for slot in every for one in slot.shown}
    moved = {one.name for names in beside.values() for name in names for one in named[name]}
    for slot in every:
        for one in slot.shown:
            if one.name not in moved:
                yield one
            yield from (more for name in beside.get(one.name, ()) for more in named[name])


def _option_slot(option: Option) -> _Slot:
    """The slot of one option."""
    shown = (_typer_parameter(option),)
    return _Slot(option.name, shown, lambda given: _read_value(option, given.pop(option.name)))


def _slot_of_parts(name: str, parts: Parts) -> _Slot:
    """The slot of a value that is made of several options."""
    every = [one for one in options_of(parts.options) if parts.has(one.name)]

    def value(given: dict[str, Any]) -> Any:
        """Make the value of its options; the class `Reading` is loaded only when a file is read."""
        kind = readers.Reading if parts.options is ReadingOptions else parts.options
        return kind(**{one.name: _read_value(one, given.pop(one.name)) for one in every})

    return _Slot(name, tuple(map(_typer_parameter, every)), value)


def _slot_of(parameter: inspect.Parameter) -> _Slot:
    """The slot of a command's own parameter: plain, an option, or made of its type's options."""
    kind, name = parameter.annotation, parameter.name
    if marks_of(kind, OptionKind):
        return _option_slot(replace(option_of(kind, name), default=parameter.default))
    if parts := marks_of(kind, Parts):
        return _slot_of_parts(name, parts[0])
    if isinstance(kind, type) and hasattr(kind, "__dataclass_fields__") and options_of(kind):
        return _slot_of_parts(name, Parts(kind))
    return _Slot(name, (parameter,), lambda given: given.pop(name))


def _typer_parameter(option: Option) -> inspect.Parameter:
    """The option as a parameter that Typer takes."""
    many = option.kind.form not in {"plain", "table"}
    taken: Any = list[str] if many else option.kind.type
    default = None if many and option.default is not MISSING else option.default
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if default is MISSING else default,
        annotation=Annotated[
            taken | None if default is None else taken, options.typer_option(option)
        ],
    )


def _read_value(option: Option, given: Any) -> Any:
    """Read the texts of an option into the value that its request takes."""
    if option.kind.form not in _READERS:
        return given
    return _READERS[option.kind.form](given, option.long_name, option.kind.example)


_READERS: Mapping[Form, Callable[[Any, str, str], Any]] = {
    "columns": lambda texts, _flag, _example: options.read_columns(texts),
    "sets": lambda texts, _flag, _example: [options.read_columns([text]) for text in texts or ()],
    "names": options.read_other_names,
    "numbers": options.read_numbers_by_column,
    "words": options.read_words_by_column,
    "steps": lambda texts, _flag, _example: options.read_grid_steps(texts),
}
"""By form: what reads the texts of an option; values of other forms stay as given."""
