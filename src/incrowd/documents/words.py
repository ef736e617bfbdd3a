"""Figures and names in words, the same in every report."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from incrowd import models

_MANY = 10**30
"""Whole numbers from here on are shown as a power of ten."""


def number(value: float | None) -> str:
    """A figure for people: whole numbers with commas, fractions to four significant places.

    >>> number(12345.0), number(0.123456), number(0.999999), number(None), number(float("inf"))
    ('12,345', '0.1235', '1', 'none', 'none')
    """
    if isinstance(value, int) and abs(value) >= _MANY:
        return f"about 10^{len(str(abs(value))) - 1}"
    if value is None or not math.isfinite(value):
        return "none"
    if float(value).is_integer():
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.1f}"
    places = 4 if abs(value) >= 0.001 else 4 - math.floor(math.log10(abs(value)))
    return f"{value:.{places}f}".rstrip("0").rstrip(".")


def counted(value: float, one: str, many: str | None = None) -> str:
    """A count with its noun.

    >>> counted(1, "class", "classes"), counted(2, "record")
    ('1 class', '2 records')
    """
    return f"{number(value)} {one if value == 1 else many or one + 's'}"


def share(value: float) -> str:
    """A share for people: only all is 1, and only nothing is 0.

    >>> share(0.25), share(0.99999), share(0.00001), share(1.0)
    ('0.25', '>0.9999', '<0.0001', '1')
    """
    if 0 < value < 0.0001:
        return "<0.0001"
    return ">0.9999" if 0.9999 < value < 1 else number(value)


def percent(value: float) -> str:
    """A threshold as a percentage, as people say it.

    >>> percent(0.9), percent(0.999), percent(1.0)
    ('90 %', '99.9 %', '100 %')
    """
    return f"{number(round(value * 100, 8))} %"


def sentence(text: str) -> str:
    """A clause as a sentence.

    >>> sentence("all columns are kept")
    'All columns are kept.'
    """
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def listed(names: Sequence[str], word: str = "and") -> str:
    """Names as a list in a sentence.

    >>> listed(["birth_date", "zip", "sex"]), listed(["zip"]), listed(["a", "b"], "or")
    ('birth_date, zip and sex', 'zip', 'a or b')
    """
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def promise(model: str, column: str | None, reached: float) -> str:
    """What a model that reaches this value means.

    >>> promise("k-anonymity", None, 5.0)
    'every class holds at least 5 people'
    """
    found = models.MODELS.get(model, models.Model)
    return found.promise.format(column=column, achieved=number(reached))


def printable(text: str) -> str:
    r"""The text without characters that steer a terminal: column names may hold any.

    >>> printable("age\x1b[2J")
    'age\\x1b[2J'
    """
    return "".join(
        letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text
    )


GOOD, BAD, QUIET = "green", "bold red", "dim"


SHOWN = 20
"""Rows of a long list that a terminal shows; --json has all of them."""


def line(text: str, style: str = "") -> Text:
    """A text without characters that steer a terminal."""
    return Text(printable(text), style=style)


def lines(texts: Iterable[str], style: str = "") -> list[RenderableType]:
    """A line for each text."""
    return [line(text, style) for text in texts]


def table(*heads: str) -> Table:
    """An empty table with these heads; without a head row if all of them are empty."""
    made = Table(box=None, pad_edge=False, show_header=any(heads), padding=(0, 2, 0, 0))
    for head in heads:
        made.add_column(head, header_style="bold", overflow="fold")
    return made


def spaced(first: RenderableType, *others: RenderableType) -> Group:
    """The parts below each other, with an empty line around tables."""
    shown = [first]
    for before, part in pairwise((first, *others)):
        room = isinstance(before, Table) or isinstance(part, Table)
        shown += [Text(), part] if room else [part]
    return Group(*shown)


def hidden(count: int) -> list[RenderableType]:
    """What a terminal leaves out of a long list."""
    return [line(f"and {count:,} more; --json lists them", QUIET)] if count > 0 else []
