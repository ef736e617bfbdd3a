"""The options that commands share, and how their values are read."""

import csv
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.errors import PolicyError
from incrowd.linkage import constraints

if TYPE_CHECKING:
    from incrowd.linkage.constraints import AtLeast

TableFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="The table: CSV or TSV (also .gz, .zst), Parquet, Arrow; - is standard input.",
        show_default=False,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        help="What stands between the cells of a CSV file; found if not given.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        help="Character encoding of a CSV file, such as utf-8 or latin-1; found if not given.",
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line of a CSV file names the columns; found if not given.",
        show_default=False,
    ),
]
PolicyFile = Annotated[
    str | None,
    typer.Option("--policy", "-p", metavar="FILE", help="The policy (TOML) to follow."),
]
Quasi = Annotated[
    list[str] | None,
    typer.Option(
        "--quasi",
        "-q",
        metavar="COLUMNS",
        help="Columns that could be known to somebody who looks for a person.",
        show_default=False,
    ),
]
Sensitive = Annotated[
    list[str] | None,
    typer.Option(
        "--sensitive",
        "-s",
        metavar="COLUMNS",
        help="Columns with what must not be learned about a person.",
        show_default=False,
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="COLUMNS",
        help="Columns that leave as they are; what is not named anywhere is left out.",
        show_default=False,
    ),
]
Unit = Annotated[
    str | None,
    typer.Option(
        "--unit",
        metavar="COLUMN",
        help="Column that says which records belong to one person: people are counted.",
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight",
        metavar="COLUMN",
        help="Column of sampling weights.",
    ),
]
K = Annotated[
    int | None,
    typer.Option(
        "-k",
        metavar="K",
        help="k-anonymity: each person hides among at least K.",
    ),
]
L = Annotated[
    float | None,
    typer.Option(
        "-l",
        metavar="L",
        help="l-diversity: no sensitive value is more frequent than 1/L in a class.",
    ),
]
T = Annotated[
    float | None,
    typer.Option(
        "-t",
        metavar="T",
        help="t-closeness: in each class, sensitive values are spread as in the whole table, "
        "but for a distance of T.",
    ),
]
MissingReading = Annotated[
    str | None,
    typer.Option(
        "--missing",
        metavar="READING",
        help="What a missing value means: own-value (default), matches-anything or suppress.",
    ),
]
HierarchyOf = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="COLUMN=WHAT",
        help="Hierarchy of a column: a CSV file (leaf;parent;…;*) or a builder such as prefix. "
        "Repeat it for each column.",
        show_default=False,
    ),
]
Hierarchies = Annotated[
    str | None,
    typer.Option(
        "--hierarchies",
        metavar="FOLDER",
        help="Folder whose files *_<column>.csv are the columns' hierarchies.",
    ),
]
Widest = Annotated[
    list[str] | None,
    typer.Option(
        "--widest",
        metavar="COLUMN=EXTENT",
        help="How much of a number or date a cell may span, such as age=10.",
        show_default=False,
    ),
]
Highest = Annotated[
    list[str] | None,
    typer.Option(
        "--highest",
        metavar="COLUMN=LEVEL",
        help="The highest level of a column's hierarchy that a cell may show, such as zip=2.",
        show_default=False,
    ),
]
Grid = Annotated[
    list[str] | None,
    typer.Option(
        "--grid",
        metavar="COLUMN=STEP",
        help="A step that spans end on, such as age=5 or birth_date=month: fewer labels.",
        show_default=False,
    ),
]
Ends = Annotated[
    str | None,
    typer.Option(
        "--ends",
        metavar="aligned|exact",
        help="What spans end on: round cells that many people share (default), or exact values of "
        "people in the class, which give them away.",
        show_default=False,
    ),
]
SplitEnds = Annotated[
    bool,
    typer.Option(
        "--split-ends", help="Numbers and dates leave as two columns, such as age_low and age_high."
    ),
]
AcceptDerived = Annotated[
    list[str] | None,
    typer.Option(
        "--accept-derived",
        metavar="COLUMNS",
        help="Columns that leave as they are although quasi-identifying ones tell them, or they "
        "those: refused if not given.",
        show_default=False,
    ),
]
World = Annotated[
    list[str] | None,
    typer.Option(
        "--world",
        metavar="FILE",
        help="A table with names that somebody may hold: people hide among its people, and -k "
        "asks for so many of them. Repeat it for several, which --id joins.",
        show_default=False,
    ),
]
WorldId = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="The column of the world that tells individuals apart; each row is one if not given.",
    ),
]
Rename = Annotated[
    list[str] | None,
    typer.Option(
        "--rename",
        metavar="COLUMN=OTHER",
        help="What the world calls a column of the table. Repeat it for each column.",
        show_default=False,
    ),
]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json",
        help="One JSON document on standard output, everything else on standard error.",
    ),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", help="Say nothing but errors."),
]


def columns(texts: Iterable[str] | None) -> tuple[str, ...]:
    """Column names of a flag that takes commas and repetition.

    A name that holds a comma stands in double quotes, as in a CSV file.

    >>> columns(["age,zip", "sex"])
    ('age', 'zip', 'sex')
    >>> columns(['"name, first",zip'])
    ('name, first', 'zip')
    """
    lines = csv.reader(texts or (), skipinitialspace=True)
    return tuple(dict.fromkeys(name for line in lines for name in line if name))


def renamed(texts: Iterable[str] | None) -> dict[str, str]:
    """What columns are called elsewhere, as COLUMN=OTHER.

    >>> renamed(["zip=zipcode"])
    {'zip': 'zipcode'}
    """
    found = {}
    for text in texts or ():
        name, _, called = text.partition("=")
        if not name or not called:
            raise PolicyError(
                "a name is given as COLUMN=OTHER", remedy="write --rename zip=zipcode, say"
            )
        found[name] = called
    return found


def promised(texts: Iterable[str] | None) -> "tuple[AtLeast, ...]":
    """Promises about a world, as COLUMNS=PEOPLE.

    >>> promised(["zip,sex=500"])
    (AtLeast(columns=('zip', 'sex'), people=500),)
    """
    found = []
    for text in texts or ():
        names, _, people = text.rpartition("=")
        some = columns([names])
        if not some or not people.isdecimal() or int(people) < 1:
            raise PolicyError(
                "a promise is given as COLUMNS=PEOPLE", remedy="write --promise zip,sex=500, say"
            )
        found.append(constraints.AtLeast(some, int(people)))
    return tuple(found)


def numbers(texts: Iterable[str] | None, flag: str) -> dict[str, float]:
    """The numbers of columns in a flag that takes commas and repetition.

    >>> numbers(["age=10,zip=2", "cost=0.5"], "widest")
    {'age': 10, 'zip': 2, 'cost': 0.5}
    """
    found: dict[str, float] = {}
    for text in columns(texts):
        name, equals, number = text.rpartition("=")
        if not equals or not name:
            raise PolicyError(
                f"--{flag} is given as COLUMN=NUMBER", remedy=f"write --{flag} age=10, say"
            )
        value = _number(number, f"--{flag} of '{name}'")
        if found.setdefault(name, value) != value:
            raise twice(name, f"--{flag}")
    return found


def steps(texts: Iterable[str] | None) -> dict[str, float | str]:
    """The steps of columns in `--grid`: numbers, or steps of dates.

    >>> steps(["age=5,birth=month"])
    {'age': 5, 'birth': 'month'}
    """
    found: dict[str, float | str] = {}
    for text in columns(texts):
        name, equals, step = text.rpartition("=")
        if not equals or not name or not step:
            raise PolicyError("--grid is given as COLUMN=STEP", remedy="write --grid age=5, say")
        value = step if step[-1].isalpha() else _number(step, f"--grid of '{name}'")
        if found.setdefault(name, value) != value:
            raise twice(name, "--grid")
    return found


def twice(name: str, flag: str) -> PolicyError:
    """A flag that says two things of one column."""
    return PolicyError(f"{flag} says two things of '{name}'", remedy="say one of them")


def _number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise PolicyError(f"{what} must be a number", remedy="write 10 or 0.5, say")
    return int(value) if value.is_integer() else value
