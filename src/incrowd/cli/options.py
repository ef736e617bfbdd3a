"""How options look on the command line, and how their texts are read."""

import csv
import math
from collections.abc import Iterable, Iterator
from typing import Any

import typer

from incrowd.errors import PolicyError
from incrowd.requests.request import Option


def typer_option(option: Option) -> Any:
    """How Typer shows an option, or the argument if it has no flag."""
    known: dict[str, Any] = {"metavar": option.kind.metavar, "help": option.says}
    if not option.flags:
        return typer.Argument(**known, show_default=False)
    return typer.Option(*option.flags, **known, rich_help_panel=option.group)


def columns(texts: Iterable[str] | None) -> tuple[str, ...]:
    """Column names of an option that takes commas and repetition.

    A name with a comma is written in double quotes, as in a CSV file.

    >>> columns(["age,zip", "sex"])
    ('age', 'zip', 'sex')
    >>> columns(['"name, first",zip'])
    ('name, first', 'zip')
    """
    lines = csv.reader(texts or (), skipinitialspace=True)
    return tuple(dict.fromkeys(name for line in lines for name in line if name))


def numbers(texts: Iterable[str] | None, flag: str, example: str = "age=10") -> dict[str, float]:
    """The number of each column, from an option that takes commas and repetition.

    >>> numbers(["age=10,zip=2", "cost=0.5"], "widest")
    {'age': 10, 'zip': 2, 'cost': 0.5}
    """
    found: dict[str, float] = {}
    for name, text in _pairs(texts, flag, "NUMBER", example):
        value = _number(text, f"--{flag} of '{name}'")
        if found.setdefault(name, value) != value:
            raise twice(name, f"--{flag}")
    return found


def words(texts: Iterable[str] | None, flag: str, example: str) -> dict[str, str]:
    """The word of each column, from an option that takes commas and repetition.

    >>> words(["race=text,age=number"], "kind", "race=text")
    {'race': 'text', 'age': 'number'}
    """
    found: dict[str, str] = {}
    for name, word in _pairs(texts, flag, flag.upper(), example):
        if found.setdefault(name, word) != word:
            raise twice(name, f"--{flag}")
    return found


def other_names(texts: Iterable[str] | None, flag: str, example: str) -> dict[str, str]:
    """Other tables' names of columns, from COLUMN=OTHER.

    >>> other_names(["zip=zipcode"], "rename", "zip=zipcode")
    {'zip': 'zipcode'}
    """
    names = {}
    for text in texts or ():
        name, _, other = text.partition("=")
        if not name or not other:
            raise PolicyError(
                f"--{flag} takes COLUMN=OTHER", remedy=f"write, for example, --{flag} {example}"
            )
        names[name] = other
    return names


def steps(texts: Iterable[str] | None) -> dict[str, float | str]:
    """The step of each column in `--grid`: a number, or a step of dates.

    >>> steps(["age=5,birth=month"])
    {'age': 5, 'birth': 'month'}
    """
    found: dict[str, float | str] = {}
    for name, step in _pairs(texts, "grid", "STEP", "age=5"):
        value = step if step[-1].isalpha() else _number(step, f"--grid of '{name}'")
        if found.setdefault(name, value) != value:
            raise twice(name, "--grid")
    return found


def _pairs(
    texts: Iterable[str] | None, flag: str, what: str, example: str
) -> Iterator[tuple[str, str]]:
    """The columns of an option, each with what is written behind its `=`."""
    for text in columns(texts):
        name, _, value = text.rpartition("=")
        if not name or not value:
            raise PolicyError(
                f"--{flag} takes COLUMN={what}", remedy=f"write, for example, --{flag} {example}"
            )
        yield name, value


def twice(name: str, flag: str) -> PolicyError:
    """An option that gives one column two values."""
    return PolicyError(f"{flag} gives '{name}' two values", remedy="give one of them")


def _number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise PolicyError(f"{what} must be a number", remedy="write, for example, 10 or 0.5")
    return int(value) if value.is_integer() else value
