"""Whom columns that leave as they are single out among people who show the same.

A class hides its people from whoever knows their quasi-identifiers. Whoever also knows what a
person holds in a column that leaves unchanged looks for that value within the class, and a person
who is the only one with it is alone. The counts of classes show nothing of that.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Counts, Flags
from incrowd.errors import join_words, sentence, whole_percent
from incrowd.verify.crowds import Crowds, number_cells, pack
from incrowd.verify.verify import SeenRelease
from incrowd.withholding import round_up_share

_LARGEST = 2**31
"""Numbers of values stay below this, so that a class and a value fit into one number."""

Columns = tuple[str, ...]
Blocks = Callable[[], Iterable[SeenRelease]]
"""Returns the rows of a release, block by block; called again for each further pass. All rows of
a class, and of a person, are in one block."""


@dataclass(frozen=True)
class AloneLimit:
    """What a policy says of columns that leave as they are."""

    share: float
    """The largest share of the people that may be alone."""
    accepted: frozenset[str] = frozenset()
    """Columns that may single out anybody."""


@dataclass(frozen=True)
class Alone:
    """The shares of the people who are alone for whoever also knows columns that leave unchanged.

    Somebody counts whom the shown quasi-identifiers do not single out, but who is the only one of
    a class with a value, or with values of several columns. Shares are rounded up to four digits,
    and fewer than five people count as five.
    """

    columns: Mapping[str, float]
    """By column that leaves unchanged: for whoever knows this one."""
    together: float
    """For whoever knows all of them."""
    unaccepted: float
    """For whoever knows all that the policy does not accept: it must be within the limit."""
    limit: float
    """The largest share that the policy allows."""
    accepted: Columns = ()
    """Columns that the policy accepts, whomever they single out."""
    excess: Columns = ()
    """Over the limit: columns without which the others that are not accepted are within it."""

    @property
    def ok(self) -> bool:
        """Whether columns that are not accepted single out few enough."""
        return self.unaccepted <= self.limit

    @property
    def unaccepted_columns(self) -> Columns:
        """The columns that the policy does not accept."""
        return tuple(name for name in self.columns if name not in self.accepted)

    @property
    def sentence(self) -> str:
        """Who is alone in the release, in words.

        >>> print(Alone({"weight": 0.34}, 0.34, 0.0, 0.05, ("weight",)).sentence)
        34 % of the people are alone for whoever also knows weight; the policy accepts weight.
        >>> print(Alone({"ward": 0.0, "year": 0.0}, 0.0, 0.0, 0.05).sentence)
        Nobody is alone, not even for whoever also knows ward and year.
        """
        accepted = [name for name in self.accepted if self.columns[name] > 0]
        also = f"; the policy accepts {join_words(accepted)}" if accepted else ""
        return sentence(f"{self._clause(tuple(self.columns), self.together)}{also}")

    @property
    def refusal(self) -> str:
        """The words that too many are alone for whoever knows columns that are not accepted.

        >>> Alone({"a": 0.04, "b": 0.03, "c": 1.0}, 1.0, 0.3, 0.05, ("c",)).refusal
        '30 % of the people are alone for whoever also knows a and b (a 4 %, b 3 %); the policy \
allows 5 %'
        """
        alone = self._clause(self.unaccepted_columns, self.unaccepted)
        return f"{alone}; the policy allows {whole_percent(self.limit)}"

    def _clause(self, known: Columns, share: float) -> str:
        """Say which share of the people is alone for whoever also knows these columns."""
        if not share:
            return f"nobody is alone, not even for whoever also knows {join_words(known)}"
        each = ", ".join(f"{name} {whole_percent(self.columns[name])}" for name in known)
        beside = f" ({each})" if len(known) > 1 else ""
        whole = whole_percent(share)
        return f"{whole} of the people are alone for whoever also knows {join_words(known)}{beside}"


@dataclass(frozen=True)
class AloneCounts:
    """How many people are alone, by the columns that are known."""

    people: int
    """All people of the rows."""
    alone: Mapping[Columns, int]

    def share(self, known: Columns) -> float:
        """The share of the people who are alone for whoever knows these columns, rounded up."""
        return round_up_share(self.alone[known], self.people)


def measure_alone(
    blocks: Blocks, kept: Sequence[str], limit: AloneLimit, unseen: Sequence[str] = ()
) -> Alone:
    """Count whom kept columns single out (`unseen` ones: everybody), and which exceed the limit."""
    able = tuple(name for name in kept if name not in unseen)
    judged = tuple(name for name in able if name not in limit.accepted)
    hidden = tuple(name for name in kept if name in unseen and name not in limit.accepted)
    found = count_alone(blocks(), [*((name,) for name in able), able, judged])
    share = 1.0 if hidden else found.share(judged)
    excess: Columns = ()
    if share > limit.share:
        excess = (*hidden, *_excess_columns(blocks, judged, limit.share, found))
    return Alone(
        columns={name: found.share((name,)) if name in able else 1.0 for name in kept},
        together=found.share(able) if len(able) == len(kept) else 1.0,
        unaccepted=share,
        limit=limit.share,
        accepted=tuple(name for name in kept if name in limit.accepted),
        excess=excess,
    )


def _excess_columns(blocks: Blocks, judged: Columns, most: float, found: AloneCounts) -> Columns:
    """The columns of `judged` to leave out to be within `most`; others single out fewer people."""
    order = sorted(judged, key=lambda name: found.alone[name,])
    counts = count_alone(blocks(), [tuple(order[:number]) for number in range(len(order) + 1)])
    stay = {name for some in counts.alone if counts.share(some) <= most for name in some}
    return tuple(name for name in judged if name not in stay)


def count_alone(blocks: Iterable[SeenRelease], known: Sequence[Columns]) -> AloneCounts:
    """Count who is alone for whoever knows a set of columns, for each of these sets."""
    people, alone = 0, dict.fromkeys(known, 0)
    for seen in blocks:
        crowds, names = seen.crowds, {name for some in known for name in some}
        codes = {name: number_cells(seen.rows[name]).codes for name in names}
        nothing = np.zeros(len(crowds.class_of), dtype=np.int64)
        people += _count_people(crowds, nothing == 0, nothing > 0)
        for some in alone:
            values = _pack_values([nothing, *(codes[name] for name in some)])
            alone[some] += _count_alone_people(crowds, values)
    return AloneCounts(people, alone)


def _pack_values(columns: Sequence[Counts]) -> Counts:
    """Make one number per row of the values of several columns; rows with equal values share it."""
    values = pack(columns)
    if values.max(initial=0) < _LARGEST:
        return values
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _count_alone_people(crowds: Crowds, values: Counts) -> int:
    """Count the people who are alone by these values, but not by what they show."""
    if crowds.unit is None and crowds.pairs is None:
        # Whoever is alone in a class is alone by every value: they are counted on both sides.
        return int((crowds.count_values(values)[2] == 1).sum() - (crowds.sizes == 1).sum())
    nothing = np.zeros_like(values)
    return _count_people(
        crowds, _flag_alone_rows(crowds, values), _flag_alone_rows(crowds, nothing)
    )


def _flag_alone_rows(crowds: Crowds, values: Counts) -> Flags:
    """Flag each row whose value nobody else of its crowd has."""
    crowd, value, people = crowds.count_values(values)
    domain = int(values.max(initial=0)) + 1
    place = np.searchsorted(crowd * domain + value, crowds.class_of * domain + values)
    flags: Flags = people[place] == 1
    return flags


def _count_people(crowds: Crowds, rows: Flags, without: Flags) -> int:
    """Count the people of these rows, but for those of the rows flagged in `without`."""
    if crowds.unit is None:
        return int(crowds.records[rows & ~without].sum())
    return len(np.setdiff1d(crowds.unit[rows], crowds.unit[without]))
