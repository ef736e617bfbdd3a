"""Figures and names in words, the same in every report, and the parts of a terminal's text."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from incrowd import loss as losses
from incrowd import models
from incrowd.errors import join_words

if TYPE_CHECKING:  # only text for people needs rich
    from rich.console import Group, RenderableType
    from rich.table import Table
    from rich.text import Text

_MANY = 10**30
"""Whole numbers from here on are shown as a power of ten."""
_ROUNDING = 1e-9
_LEAST = 0.0001
"""Shares between 0 and this are shown as less than this."""


def number(value: float | None) -> str:
    """A figure as text for people: whole numbers with commas, fractions in few digits.

    None, and what is not finite, is `none`.

    >>> number(12345.0), number(1.01639), number(0.123456), number(None), number(float("inf"))
    ('12,345', '1.02', '0.1235', 'none', 'none')
    """
    if isinstance(value, int) and abs(value) >= _MANY:
        return f"about 10^{len(str(abs(value))) - 1}"
    if value is None or not math.isfinite(value):
        return "none"
    if float(value).is_integer():
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.1f}"
    if abs(value) >= 1:
        return f"{value:.2f}".rstrip("0").rstrip(".")
    places = 4 if abs(value) >= 0.001 else 4 - math.floor(math.log10(abs(value)))
    return f"{value:.{places}f}".rstrip("0").rstrip(".")


def quantity(value: float, one: str, many: str | None = None) -> str:
    """A count with its noun; `many` is the plural if it is not `one` with an s.

    >>> quantity(1, "class", "classes"), quantity(2, "record")
    ('1 class', '2 records')
    """
    return f"{number(value)} {one if value == 1 else many or one + 's'}"


def share(value: float) -> str:
    """A measured share in percent, as text: only all is 100 %, and only nothing is 0 %.

    >>> share(0.25), share(0.12345), share(0.9995), share(0.00001), share(1.0), share(0.0)
    ('25 %', '12.3 %', '>99.9 %', '<0.01 %', '100 %', '0 %')
    """
    if 0 < value < _LEAST:
        return "<0.01 %"
    digits = _percent_digits(value * 100)
    return ">99.9 %" if digits == "100" and value < 1 else f"{digits} %"


def count_with_share(count: float, every: float, noun: str) -> str:
    """A count, what it is counted among, and the share that it is.

    >>> count_with_share(12, 5000, "people"), count_with_share(0, 0, "people")
    ('12 of 5,000 people (0.24 %)', '0 of 0 people')
    """
    counts = f"{number(count)} of {number(every)} {noun}"
    return f"{counts} ({share(count / every)})" if every else counts


def rate(value: float, interval: tuple[float, float]) -> str:
    """A rate with its 95 % interval, which is left out if its ends read like the rate itself.

    >>> rate(0.2292, (0.2206, 0.238)), rate(0.0, (0.0, 0.00065)), rate(1.0, (0.99, 1.0))
    ('22.9 % (22.1 to 23.8)', '0 % (≤ 0.07 %)', '100 % (at least 99 %)')
    >>> rate(0.0003, (0.00029, 0.00031)), rate(0.002, (0.001, 0.004)), rate(0.5, (0.5, 0.5))
    ('0.03 %', '0.2 % (0.1 to 0.4)', '50 %')
    """
    low, high = interval
    if value <= 0:
        return f"0 % (≤ {share_rounded_up(high)})" if high > 0 else "0 %"
    if value >= 1:
        return f"100 % (at least {share(low)})" if low < 1 else "100 %"
    shown, ends = share(value), (share(low), share(high))
    if ends[0] == ends[1] == shown:
        return shown
    return f"{shown} ({ends[0].removesuffix(' %')} to {ends[1].removesuffix(' %')})"


def share_rounded_up(value: float) -> str:
    """An upper bound as a share in percent, never rounded down.

    >>> share_rounded_up(0.76923), share_rounded_up(0.5), share_rounded_up(0.000651)
    ('77 %', '50 %', '0.07 %')
    """
    places = 2 if value < 0.01 else 1
    return share(math.ceil(value * 100 * 10**places - _ROUNDING) / 10**places / 100)


def _percent_digits(value: float) -> str:
    """A percentage, 0..100, with one decimal, below 1 with two; zeros at the end are left out."""
    places = 2 if value < 1 else 1
    return f"{value:.{places}f}".rstrip("0").rstrip(".")


def percent(value: float) -> str:
    """A threshold as a percentage, in all its digits.

    >>> percent(0.9), percent(0.999), percent(1.0)
    ('90 %', '99.9 %', '100 %')
    """
    return f"{number(round(value * 100, 8))} %"


def list_columns(columns: Sequence[str], most: int = 6) -> str:
    """Columns as a list in a sentence; of many only the first.

    >>> list_columns(["a", "b"]), list_columns([*"abcdefgh"], 3)
    ('a and b', 'a, b, c and 5 more')
    """
    if len(columns) <= most:
        return join_words(columns)
    return join_words([*columns[:most], f"{number(len(columns) - most)} more"])


def promise_words(model: str, column: str | None, reached: float, measure: str = "") -> str:
    """What it means that a model reaches this value in one of its measures.

    >>> promise_words("k-anonymity", None, 5.0)
    'every class holds at least 5 people'
    """
    found = models.MODELS.get(model, models.Model)
    words = found.promise_by_measure.get(measure, found.promise)
    most = share_rounded_up(1 / max(reached, 1.0))
    return words.format(column=column, achieved=number(reached), most=most)


def figure_title(loss: str) -> str:
    """The title of the figure of a loss: how much is lost, or for some losses how much is kept.

    >>> figure_title("gcp"), figure_title("precision")
    ('information loss (gcp)', 'information kept (precision, 1 = undamaged)')
    """
    if higher_is_better(loss):
        return f"information kept ({loss}, 1 = undamaged)"
    return f"information loss ({loss})"


def higher_is_better(loss: str) -> bool:
    """Whether the figure of this loss tells what is kept, so that higher is better."""
    return losses.LOSSES.get(loss, losses.Loss).figure_is_kept


def loss_name(loss: str) -> str:
    """The name of a loss in a list of figures; with a note if its figure is what is kept.

    >>> loss_name("gcp"), loss_name("precision")
    ('gcp', 'precision (kept, higher is better)')
    """
    return f"{loss} (kept, higher is better)" if higher_is_better(loss) else loss


def printable_text(text: str) -> str:
    r"""The text with characters that steer a terminal spelled out; line breaks stay.

    Names of columns may hold any character.

    >>> printable_text("age\x1b[2J")
    'age\\x1b[2J'
    """
    return "".join(
        letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text
    )


GOOD, BAD, QUIET = "green", "bold red", "dim"


SHOWN = 20
"""Rows of a long list that a terminal shows; --json has all of them."""


def line(text: str, style: str = "") -> "Text":
    """Make a line for a terminal, with characters that steer it spelled out."""
    from rich.text import Text  # noqa: PLC0415  not for --json

    return Text(printable_text(text), style=style)


def lines(texts: Iterable[str], style: str = "") -> "list[RenderableType]":
    """Make a line for each text."""
    return [line(text, style) for text in texts]


def table(*heads: str, rows: "Iterable[Iterable[RenderableType]]" = ()) -> "Table":
    """Make a table with these heads and rows; without a head row if all heads are empty."""
    from rich.table import Table  # noqa: PLC0415  not for --json

    made = Table(box=None, pad_edge=False, show_header=any(heads), padding=(0, 2, 0, 0))
    for head in heads:
        made.add_column(head, header_style="bold", overflow="fold")
    for row in rows:
        made.add_row(*row)
    return made


def stack(first: "RenderableType", *others: "RenderableType") -> "Group":
    """Put the parts below each other, with an empty line between a table and its neighbours."""
    from rich.console import Group  # noqa: PLC0415  not for --json
    from rich.table import Table  # noqa: PLC0415

    shown = [first]
    for before, part in pairwise((first, *others)):
        room = isinstance(before, Table) or isinstance(part, Table)
        shown += [line(""), part] if room else [part]
    return Group(*shown)


def align_right(made: "Table", *places: int) -> "Table":
    """Align the columns at these places of a table to the right, in place; return the table."""
    for place in places:
        made.columns[place].justify = "right"
    return made


def hint(what: str) -> "Text":
    """A line that says what --details would add."""
    return line(f"--details adds {what}.", QUIET)
