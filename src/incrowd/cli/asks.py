"""Give a command the options of a request: their flags, groups and help come from its fields."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING
from functools import wraps
from typing import Annotated, Any, TypeVar

from incrowd.cli import options
from incrowd.requests.request import Option, options_of

Result = TypeVar("Result")


def asks(
    request: type, beside: Mapping[str, tuple[str, ...]] | None = None
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Give a command the options of a request in place of its parameter `asked`, as a dictionary.

    A parameter of the command that is named like a field takes its place: it says the field in its
    own way. `beside` are more such parameters, by the field that they follow.
    """

    def decorate(command: Callable[..., Result]) -> Callable[..., Result]:
        signature = inspect.signature(command, eval_str=True)
        own = dict(signature.parameters)
        every = {one.name: one for one in options_of(request) if one.name not in own}

        @wraps(command)
        def run(**given: Any) -> Result:
            asked = {name: _value(one, given.pop(name)) for name, one in every.items()}
            return command(asked=asked, **given)

        placed = list(_placed(request, own, every, beside or {}))
        rest = [one for name, one in own.items() if name != "asked" and one not in placed]
        run.__signature__ = signature.replace(parameters=[*placed, *rest])  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in [*placed, *rest]}
        return run

    return decorate


def _placed(
    request: type,
    own: Mapping[str, inspect.Parameter],
    every: Mapping[str, Option],
    beside: Mapping[str, tuple[str, ...]],
) -> Iterator[inspect.Parameter]:
    """The parameters in the order of the fields."""
    for name in inspect.signature(request).parameters:
        if name in every:
            yield _parameter(every[name])
        elif name in own:
            yield own[name]
        yield from (own[other] for other in beside.get(name, ()))


def _parameter(option: Option) -> inspect.Parameter:
    """The option as Typer takes it."""
    many = option.kind.form not in {"plain", "table"}
    taken: Any = list[str] if many else option.kind.type
    default = None if many and option.default is not MISSING else option.default
    empty = default is MISSING
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if empty else default,
        annotation=Annotated[taken | None if default is None else taken, options.shown(option)],
    )


def _value(option: Option, given: Any) -> Any:
    """What the command line gave, as the request takes it."""
    match option.kind.form:
        case "columns":
            return options.columns(given)
        case _:
            return given
