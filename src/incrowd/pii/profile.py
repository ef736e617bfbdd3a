"""A column profile: what the name and the distinct values of a column look like."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

import numpy as np

from incrowd.arrays import Counts
from incrowd.errors import whole_percent
from incrowd.hierarchy.labels import read_bounds, read_set
from incrowd.pii.column_names import ABOUT, REMARKS
from incrowd.pii.words import PERSONS
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.names import words_and_compounds, words_of

MOST = 0.8
"""A pattern that at least this share of the values fits is the column's."""
LONG = 40
"""Texts longer than this on average are sentences, if there are spaces in them."""

Test: TypeAlias = Callable[[str], object]
"""Whether a text is of a sort."""

_SUPPRESSED = re.compile(r"\**|#+|[xX]{2,}")
_SAMPLE = 2_000
_FEW = 3
_FLAGS = frozenset(("0", "1", "true", "false", "yes", "no", "y", "n", "t", "f"))


class Status(StrEnum):
    """Whether a table holds one of the eighteen identifiers."""

    PASS = "pass"  # noqa: S105  no password
    """Nothing of the kind was found."""
    FAIL = "fail"
    """A column holds it, by its name or by what its values look like."""
    UNSEEN = "unseen"
    """A program cannot tell: a person must look."""


@dataclass(frozen=True)
class ColumnFinding:
    """What one column holds, or might hold, and why; never a value."""

    column: str
    why: str
    status: Status = Status.FAIL


@dataclass(frozen=True)
class SafeHarborRules:
    """What Safe Harbor depends on besides the table."""

    today: int
    """The year in which ages count."""
    people: Mapping[str, int] = field(default_factory=dict)
    """People by the first three digits of ZIP codes, in place of the census's counts."""


@dataclass(frozen=True, eq=False, repr=False)
class ColumnProfile:
    """One column: its name and its distinct values, without the records that hold them."""

    name: str
    domain: Domain
    records: int
    missing: int = 0
    """Records without a value."""
    largest: int = 0
    """Records that hold the most common value; missing counts as one."""
    sample_of: int | None = None
    """Distinct values of the column, if the domain holds only some of them."""
    sealed: str = ""
    """What the cells hold that no program can look into."""
    counts: Counts | None = None
    """Records of each value of the domain, if they were counted."""
    label: str = ""
    """What a statistics file says that the column is, in words."""
    value_labels: Mapping[str, str] = field(default_factory=dict)
    """What a statistics file says that values mean, by value."""

    @classmethod
    def of(cls, column: CodedColumn, records: Counts | None = None) -> "ColumnProfile":
        """The profile of a coded column; `records` are those of each code, None to count codes."""
        if records is None:
            records = np.bincount(column.codes, minlength=len(column.domain) + 1)
        missing, largest = int(records[0]), int(records.max())
        total = int(records.sum())
        return cls(column.name, column.domain, total, missing, largest, counts=records[1:])

    @classmethod
    def of_name_alone(cls, name: str, records: int = 0, what: str = "") -> "ColumnProfile":
        """The profile of a column known by name alone: no values, and `what` its cells hold."""
        nothing = Domain(Kind.TEXT, np.array([], dtype=object))
        return cls(name, nothing, records, records, records, sealed=what)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the name."""
        return frozenset(words_of(self.name))

    @cached_property
    def words_and_compounds(self) -> frozenset[str]:
        """The words of the name, each two neighbours joined, and all of them joined."""
        return words_and_compounds(self.name)

    @cached_property
    def is_about(self) -> bool:
        """Whether the name is that of a property of what it names, such as `phone_type`."""
        return bool(self.words & ABOUT) or not REMARKS.isdisjoint(words_of(self.name)[-1:])

    @cached_property
    def texts(self) -> list[str]:
        """The distinct values as texts, without those that are suppressed altogether."""
        labels = [label.strip() for label in self.domain.labels.tolist()]
        return [label for label in labels if not _is_suppressed(label)]

    @cached_property
    def sample(self) -> list[str]:
        """At most 2,000 of the distinct values as texts, evenly spaced."""
        places = np.linspace(0, len(self.domain) - 1, min(len(self.domain), _SAMPLE))
        some = Domain(self.kind, self.domain.values[places.astype(np.int64)])
        return [label.strip() for label in some.labels.tolist()]

    @cached_property
    def joined_texts(self) -> str:
        """All distinct texts in lower case, a line each, to search them at once."""
        return "\n".join(self.texts).casefold()

    @property
    def is_empty(self) -> bool:
        """Whether it has no value, or only suppressed ones."""
        return not self.texts if self.kind is Kind.TEXT else not len(self.domain)

    @property
    def kind(self) -> Kind:
        """What the values are."""
        return self.domain.kind

    @property
    def is_whole(self) -> bool:
        """Whether the values are whole numbers."""
        return self.kind is Kind.NUMBER and self.domain.values.dtype.kind == "i"

    @cached_property
    def is_flag(self) -> bool:
        """Whether values are yes or no (`phone = yes` is no phone number), or there are none."""
        return len(self.domain) <= _FEW and {text.casefold() for text in self.texts} <= _FLAGS

    @cached_property
    def is_prose(self) -> bool:
        """Whether the values are sentences."""
        return self.kind is Kind.TEXT and are_sentences(self.texts)

    @property
    def filled(self) -> int:
        """Records with a value."""
        return self.records - self.missing

    @property
    def distinct(self) -> int:
        """Number of distinct values."""
        return len(self.domain) if self.sample_of is None else self.sample_of

    @property
    def distinct_share(self) -> float:
        """Distinct values over records with a value: 1 if no value repeats."""
        return self.distinct / self.filled if self.filled else 0.0

    @property
    def says_person(self) -> bool:
        """Whether a word of the name begins with a word for one person."""
        return any(word.startswith(PERSONS) for word in self.words)

    def share(self, fits: Test, hint: Test | None = None) -> float:
        """The share of the distinct texts that fit; of an interval or a set, one part is enough.

        It tests a few thousand texts, evenly spaced. With a `hint`, which fits
        `joined_texts` if any text may fit, it tests all of them. 0.0 if there are none.
        """
        if hint is not None and not hint(self.joined_texts):
            return 0.0
        step = 1 if hint is not None else max(1, len(self.texts) // _SAMPLE)
        fitting = [any(map(fits, _text_and_parts(text))) for text in self.texts[::step]]
        return sum(fitting) / len(fitting) if fitting else 0.0

    def finding(self, why: str) -> ColumnFinding:
        """The finding that the column holds an identifier, for the reason `why`."""
        return ColumnFinding(self.name, why)

    def unseen_finding(self, why: str) -> ColumnFinding:
        """The finding that a person must look at the column, and why."""
        return ColumnFinding(self.name, why, Status.UNSEEN)


def are_sentences(texts: Sequence[str]) -> bool:
    """Whether texts are long, and most of them have spaces."""
    spaced = sum(" " in text for text in texts)
    return sum(map(len, texts)) > LONG * len(texts) and spaced * 2 > len(texts)


def looks_like(share: float, what: str) -> str:
    """Say how many of a column's values look like something.

    >>> looks_like(1.0, "URLs"), looks_like(0.5, "URLs"), looks_like(0.004, "URLs")
    ('all values look like URLs', '50 % of the values look like URLs', 'some values look like URLs')
    """
    if share == 1:
        return f"all values look like {what}"
    if share < 0.01:
        return f"some values look like {what}"
    return f"{whole_percent(share)} of the values look like {what}"


def _is_suppressed(text: str) -> bool:
    """Whether a text is a label that shows nothing, such as `*`."""
    return text[:1] in _MASKS and _SUPPRESSED.fullmatch(text) is not None


_MASKS = frozenset(("", "*", "#", "x", "X"))


def parts_of(text: str) -> tuple[str, ...]:
    """The ends of an interval (or of its ends), the members of a set, or the text itself.

    >>> parts_of("[1965, 1970)"), parts_of("{a, b}"), parts_of("a"), parts_of("(-inf, 1937)")
    (('1965', '1970'), ('a', 'b'), ('a',), ('1937',))
    """
    return tuple(part for end in _parts_of_label(text) for part in _parts_of_label(end))


def _parts_of_label(text: str) -> Sequence[str]:
    """The finite ends of an interval, the members of a set, or the text itself."""
    bounds = read_bounds(text)
    if bounds is not None:
        return [end for end in (bounds.low, bounds.high) if end is not None]
    members = read_set(text)
    return (text,) if members is None else members


def _text_and_parts(text: str) -> tuple[str, ...]:
    """The text and its parts; quick for the many texts that have none."""
    return (text, *parts_of(text)) if text[:1] in _OPENING else (text,)


_OPENING = frozenset("[({")
