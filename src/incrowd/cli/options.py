"""How options look on the command line, and how their texts are read."""

import csv
import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import typer

from incrowd.errors import PolicyError
from incrowd.requests.request import Option

Value = TypeVar("Value")


def typer_option(option: Option) -> Any:
    """The option, or the argument if it has no flag, as Typer shows it."""
    known: dict[str, Any] = {"metavar": option.kind.metavar, "help": option.says}
    if not option.flags:
        return typer.Argument(**known, show_default=False)
    return typer.Option(*option.flags, **known, rich_help_panel=option.group)


def read_columns(texts: Iterable[str] | None) -> tuple[str, ...]:
    """Read the column names of an option that takes commas and repetition, each once.

    A name with a comma is written in double quotes, as in a CSV file.

    >>> read_columns(["age,zip", "sex"])
    ('age', 'zip', 'sex')
    >>> read_columns(['"name, first",zip'])
    ('name, first', 'zip')
    """
    lines = csv.reader(texts or (), skipinitialspace=True)
    return tuple(dict.fromkeys(name for line in lines for name in line if name))


def read_numbers_by_column(
    texts: Iterable[str] | None, flag: str, example: str = "age=10"
) -> dict[str, float]:
    """Read the number of each column, from an option with commas and repetition.

    `PolicyError` for what is not COLUMN=NUMBER, and for a column with two values; it names the
    `flag`, given without dashes, and the example.

    >>> read_numbers_by_column(["age=10,zip=2", "cost=0.5"], "widest")
    {'age': 10, 'zip': 2, 'cost': 0.5}
    """
    return _read_by_column(texts, flag, "NUMBER", example, _parse_number)


def read_words_by_column(texts: Iterable[str] | None, flag: str, example: str) -> dict[str, str]:
    """Read the word of each column, from an option with commas and repetition.

    `PolicyError` for what is not COLUMN=WORD, and for a column with two words; it names the `flag`,
    given without dashes, and the example.

    >>> read_words_by_column(["race=text,age=number"], "kind", "race=text")
    {'race': 'text', 'age': 'number'}
    """
    return _read_by_column(texts, flag, flag.upper(), example, lambda word, _: word)


def read_other_names(texts: Iterable[str] | None, flag: str, example: str) -> dict[str, str]:
    """Read the other name of each column, from COLUMN=OTHER; refuse other texts and two names.

    >>> read_other_names(["zip=zipcode"], "rename", "zip=zipcode")
    {'zip': 'zipcode'}
    """
    names: dict[str, str] = {}
    for text in texts or ():
        name, _, other = text.partition("=")
        if not name or not other:
            raise PolicyError(
                f"--{flag} takes COLUMN=OTHER", remedy=f"write, for example, --{flag} {example}"
            )
        if names.setdefault(name, other) != other:
            raise two_values_error(name, f"--{flag}")
    return names


def read_grid_steps(texts: Iterable[str] | None) -> dict[str, float | str]:
    """Read the step of each column in `--grid`: a number, or a step of dates; refuse other texts.

    >>> read_grid_steps(["age=5,birth=month"])
    {'age': 5, 'birth': 'month'}
    """

    def read_step(step: str, what: str) -> float | str:
        return step if step[-1].isalpha() else _parse_number(step, what)

    return _read_by_column(texts, "grid", "STEP", "age=5", read_step)


def _read_by_column(
    texts: Iterable[str] | None,
    flag: str,
    what: str,
    example: str,
    read: Callable[[str, str], Value],
) -> dict[str, Value]:
    """Read, by column, what stands behind `=`; refuse other texts, and two values of a column.

    `what` and `example` are for the message; `read` gets the text, and what it is called there.
    """
    found: dict[str, Value] = {}
    for pair in read_columns(texts):
        name, _, text = pair.rpartition("=")
        if not name or not text:
            raise PolicyError(
                f"--{flag} takes COLUMN={what}", remedy=f"write, for example, --{flag} {example}"
            )
        value = read(text, f"--{flag} of '{name}'")
        if found.setdefault(name, value) != value:
            raise two_values_error(name, f"--{flag}")
    return found


def two_values_error(name: str, flag: str) -> PolicyError:
    """The error for an option that gives one column two values."""
    return PolicyError(f"{flag} gives '{name}' two values", remedy="give one of them")


def _parse_number(text: str, what: str) -> float:
    """Read a finite number, whole if it has no fraction; refuse other texts, called `what`."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise PolicyError(f"{what} must be a number", remedy="write, for example, 10 or 0.5")
    return int(value) if value.is_integer() else value
