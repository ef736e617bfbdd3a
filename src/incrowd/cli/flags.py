"""Options that several commands share, as one value: how to read the table, first of all."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from typing import Annotated, Any, TypeVar

import typer

from incrowd.cli.options import READING, Delimiter, Encoding, Header, Memory

Result = TypeVar("Result")

Sheet = Annotated[
    str | None,
    typer.Option(
        "--sheet",
        metavar="NAME",
        help="Sheet of an Excel file; by default the first visible one that has cells.",
        rich_help_panel=READING,
    ),
]
Skip = Annotated[
    int | None,
    typer.Option(
        "--skip",
        metavar="LINES",
        help="Lines above the header, such as titles; detected if not given.",
        rich_help_panel=READING,
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        metavar="MARK",
        help="Decimal mark, a comma or a point; detected column by column if not given.",
        rich_help_panel=READING,
    ),
]
Thousands = Annotated[
    str | None,
    typer.Option(
        "--thousands",
        metavar="MARK",
        help="Mark between thousands, such as a point or a space; detected if not given.",
        rich_help_panel=READING,
    ),
]
DateFormat = Annotated[
    list[str] | None,
    typer.Option(
        "--date-format",
        metavar="FORMAT",
        help="Format of dates, such as %d/%m/%Y, or of one column: birth=%d/%m/%Y. Repeat it for "
        "each column.",
        rich_help_panel=READING,
    ),
]


@dataclass(frozen=True, kw_only=True)
class ReadingFlags:
    """How to read the table, as the options say it; None if they do not."""

    delimiter: Delimiter = None
    encoding: Encoding = None
    header: Header = None
    sheet: Sheet = None
    skip: Skip = None
    decimal: Decimal = None
    thousands: Thousands = None
    date_formats: DateFormat = None
    memory: Memory = None


AS_FOUND = ReadingFlags()


def reads(*, memory: bool = True) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Give a command these options in place of its parameter `reading`.

    Without `memory` the command never works out of memory.
    """
    return takes("reading", ReadingFlags, () if memory else ("memory",))


def takes(
    parameter: str, kind: type, without: Sequence[str] = ()
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Give a command the options that are fields of a value, in place of one parameter."""
    every = [one for one in fields(kind) if one.name not in without]

    def decorate(command: Callable[..., Result]) -> Callable[..., Result]:
        @wraps(command)
        def run(*places: Any, **given: Any) -> Result:
            flags = kind(**{one.name: given.pop(one.name) for one in every})
            return command(*places, **given, **{parameter: flags})

        found = inspect.signature(command, eval_str=True)
        option = inspect.Parameter.KEYWORD_ONLY
        parameters = []
        for name, known in found.parameters.items():
            made = [
                inspect.Parameter(one.name, option, default=one.default, annotation=one.type)
                for one in every
            ]
            parameters += made if name == parameter else [known]
        run.__signature__ = found.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorate
