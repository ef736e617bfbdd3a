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
WORLDS = "Worlds"
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


def held_to(flag: str, text: str) -> Any:
    """An option that names a file that a release is held against."""
    return typer.Option(flag, metavar="FILE", help=text, rich_help_panel=HOLD)


TrustedKeys = Annotated[
    list[str] | None,
    typer.Option(
        "--trusted-key",
        metavar="FILE",
        help="A public key that must have signed the certificate. Repeat it to accept several.",
        show_default=False,
        rich_help_panel=HOLD,
    ),
]


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
K = Annotated[
    int | None,
    typer.Option(
        "-k",
        metavar="K",
        help="k-anonymity: every class holds at least K people.",
        rich_help_panel=HOLD,
    ),
]
L = Annotated[
    float | None,
    typer.Option(
        "-l",
        metavar="L",
        help="l-diversity: in a class no sensitive value is more frequent than 1/L.",
        rich_help_panel=HOLD,
    ),
]
T = Annotated[
    float | None,
    typer.Option(
        "-t",
        metavar="T",
        help="t-closeness: in a class sensitive values are distributed as in the whole release, up "
        "to a distance of T.",
        rich_help_panel=HOLD,
    ),
]
Suppress = Annotated[
    float | None,
    typer.Option(
        "--suppress",
        metavar="SHARE",
        help="The largest share of records that may be left out, 0..1.",
        rich_help_panel=HOLD,
    ),
]
MissingReading = Annotated[
    str | None,
    typer.Option(
        "--missing",
        metavar="READING",
        help="What a missing value means: own-value (default), matches-anything or suppress.",
        rich_help_panel=HOLD,
    ),
]
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
Widest = Annotated[
    list[str] | None,
    typer.Option(
        "--widest",
        metavar="COLUMN=EXTENT",
        help="How much of a number or date a cell may span, such as age=10.",
        rich_help_panel=COARSER,
    ),
]
Lowest = Annotated[
    list[str] | None,
    typer.Option(
        "--lowest",
        metavar="COLUMN=LEVEL",
        help="The lowest level of the hierarchy that a cell may show: 1 never shows exact values.",
        rich_help_panel=COARSER,
    ),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="COLUMN=KIND",
        help="What the values of a column are: number, date or text, such as race=text for codes "
        "that only look like numbers.",
        rich_help_panel=COARSER,
    ),
]
Matters = Annotated[
    list[str] | None,
    typer.Option(
        "--weights",
        metavar="COLUMN=WEIGHT",
        help="How much the loss of a column matters, such as zip=2,age=0.5. Default: 1.",
        rich_help_panel=COARSER,
    ),
]
Highest = Annotated[
    list[str] | None,
    typer.Option(
        "--highest",
        metavar="COLUMN=LEVEL",
        help="The highest level of the hierarchy that a cell may show, such as zip=2.",
        rich_help_panel=COARSER,
    ),
]
Grid = Annotated[
    list[str] | None,
    typer.Option(
        "--grid",
        metavar="COLUMN=STEP",
        help="A step for the ends of spans, such as age=5 or birth_date=month: fewer labels.",
        rich_help_panel=COARSER,
    ),
]
Ends = Annotated[
    str | None,
    typer.Option(
        "--ends",
        metavar="aligned|exact",
        help="Where spans end: aligned (default) on round values that many people share, exact on "
        "values of people in the class, which gives these people away.",
        rich_help_panel=COARSER,
    ),
]
Consistent = Annotated[
    bool,
    typer.Option(
        "--consistent",
        help="Records with the same quasi-identifying values show the same.",
        rich_help_panel=COARSER,
    ),
]
ClassColumn = Annotated[
    str | None,
    typer.Option(
        "--class-column",
        metavar="NAME",
        help="With --show permutation: add a column of this name with the number of the class.",
        rich_help_panel=WRITING,
    ),
]
SplitEnds = Annotated[
    bool,
    typer.Option(
        "--split-ends",
        help="Write numbers and dates as two columns, such as age_low and age_high.",
        rich_help_panel=WRITING,
    ),
]
AcceptDerived = Annotated[
    list[str] | None,
    typer.Option(
        "--accept-derived",
        metavar="COLUMNS",
        help="Release these columns although quasi-identifiers follow from them, or they from "
        "quasi-identifiers. Without it incrowd refuses.",
        rich_help_panel=COLUMNS,
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
World = Annotated[
    list[str] | None,
    typer.Option(
        "--world",
        metavar="FILE",
        help="A table with names that somebody may have: -k then counts its people. Repeat it for "
        "several tables, joined by --world-id.",
        rich_help_panel=WORLDS,
    ),
]
WorldId = Annotated[
    str | None,
    typer.Option(
        "--world-id",
        metavar="COLUMN",
        help="The column of the world that tells people apart; without it each row is a person.",
        rich_help_panel=WORLDS,
    ),
]
Rename = Annotated[
    list[str] | None,
    typer.Option(
        "--rename",
        metavar="COLUMN=OTHER",
        help="The world's name for a column of the table. Repeat it for each column.",
        rich_help_panel=WORLDS,
    ),
]
Loss = Annotated[
    str | None,
    typer.Option(
        "--loss",
        metavar="LOSS",
        help="The loss to make small: gcp (default), granularity, precision, …",
        rich_help_panel=SEARCH,
    ),
]
Analysis = Annotated[
    str | None,
    typer.Option(
        "--for",
        metavar="Y~A+B",
        help="The analysis that the release is for, such as income~age+education: its columns "
        "stay fine, others get coarser.",
        rich_help_panel=SEARCH,
    ),
]
Mapping = Annotated[
    str | None,
    typer.Option(
        "--mapping",
        metavar="kd-tree|hilbert|idistance",
        help="The order that diversify and accuracy put the records in. Default: kd-tree.",
        rich_help_panel=SEARCH,
    ),
]
Effort = Annotated[
    float | None,
    typer.Option(
        "--effort",
        metavar="TIMES",
        help="How long crowd and auto try: 2 is twice as long as usual, for less loss.",
        rich_help_panel=SEARCH,
    ),
]
Prefer = Annotated[
    list[str] | None,
    typer.Option(
        "--prefer",
        metavar="COLUMNS",
        help="Which of equally good levels mingen takes: columns to keep fine, the most important "
        "first, or with weights, such as zip=2.",
        rich_help_panel=SEARCH,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--setting",
        metavar="NAME=VALUE",
        help="A setting of the search, as a policy file writes it, such as combinations=actual. "
        "Repeat it for each setting.",
        rich_help_panel=SEARCH,
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
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="The longest that the search may take.",
        rich_help_panel=SEARCH,
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
Privacy = Annotated[
    str | None,
    typer.Option(
        "--privacy",
        metavar="k|l",
        help="What to maximize: k (people of a class) or l (sensitive values). Default: l if a "
        "column is sensitive, else k.",
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
