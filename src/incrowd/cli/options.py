"""The options that commands share, and how their values are read."""

import csv
import math
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import typer

from incrowd.errors import PolicyError
from incrowd.requests import shared
from incrowd.requests.request import Option, option_of

COLUMNS = "Columns"
HOLD = "What must hold"
COARSER = "How values get coarser"
SEARCH = "How to search"
WRITING = "Writing"
READING = "Reading"
"""Groups of options, as --help shows them."""


def typer_of(annotation: Any, name: str) -> Any:
    """How Typer shows the option that a request has under this name."""
    return shown(option_of(annotation, name))


def shown(option: Option) -> Any:
    """How Typer shows an option, or the argument if it has no flag."""
    known: dict[str, Any] = {"metavar": option.kind.metavar, "help": option.says}
    if not option.flags:
        return typer.Argument(**known, show_default=False)
    return typer.Option(*option.flags, **known, rich_help_panel=option.group)


def output(words: str) -> Any:
    """The option `--output`, which every command that writes has, with what it writes."""
    return typer.Option("--output", "-o", metavar="FILE", help=words, rich_help_panel=WRITING)


_TABLE = typer_of(shared.Source, "source")
TableFile = Annotated[str, _TABLE]
TableOrNone = Annotated[str | None, _TABLE]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="CHARACTER",
        help="Separator of a CSV file; detected if not given.",
        rich_help_panel=READING,
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Character encoding of a CSV file, such as utf-8 or latin-1; detected if not given.",
        rich_help_panel=READING,
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line of a CSV file names the columns; detected if not given.",
        show_default=False,
        rich_help_panel=READING,
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="Memory to work with, such as 2GB; larger tables are worked on with DuckDB.",
        rich_help_panel=READING,
    ),
]
PolicyFile = Annotated[str | None, typer_of(shared.PolicyFile, "policy")]
Quasi = Annotated[list[str] | None, typer_of(shared.Quasi, "quasi")]
Sensitive = Annotated[list[str] | None, typer_of(shared.Sensitive, "sensitive")]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="COLUMNS",
        help="Columns to release unchanged. Columns that no option names are left out.",
        rich_help_panel=COLUMNS,
    ),
]
Unit = Annotated[str | None, typer_of(shared.Unit, "unit")]
Weight = Annotated[str | None, typer_of(shared.Weight, "weight")]
HierarchyOf = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="COLUMN=WHAT",
        help="Hierarchy of a column: a CSV file (leaf;parent;…;*) or a builder such as prefix. "
        "Repeat it for each column.",
        rich_help_panel=COARSER,
    ),
]
Hierarchies = Annotated[
    str | None,
    typer.Option(
        "--hierarchies",
        metavar="FOLDER",
        help="Folder with the hierarchies: files named *_<column>.csv.",
        rich_help_panel=COARSER,
    ),
]
AcceptAlone = Annotated[
    list[str] | None,
    typer.Option(
        "--accept-alone",
        metavar="COLUMNS",
        help="Release these columns unchanged although many people are alone for whoever knows "
        "them. Without it incrowd refuses.",
        rich_help_panel=COLUMNS,
    ),
]
Show = Annotated[
    str | None,
    typer.Option(
        "--show",
        metavar="WHAT",
        help="What cells show: spans (default), sets, representatives or permutation.",
        rich_help_panel=COARSER,
    ),
]
SearchSeconds = Annotated[
    float,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="The longest that the search may take.",
        rich_help_panel=SEARCH,
    ),
]
KeepOrder = Annotated[
    bool,
    typer.Option(
        "--keep-order",
        help="Keep the order of the records, which links releases to each other.",
        rich_help_panel=WRITING,
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Do everything but write.", rich_help_panel=WRITING)
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        help="Seed for samples and the order of records: the same seed gives the same result.",
        rich_help_panel=WRITING,
    ),
]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Write one JSON document to standard output, everything else to standard error.",
        rich_help_panel=WRITING,
    ),
]
Details = Annotated[
    bool,
    typer.Option(
        "--details",
        help="Show all figures and notes, not only those to decide by.",
        rich_help_panel=WRITING,
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", help="Show nothing but errors.", rich_help_panel=WRITING)
]


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
