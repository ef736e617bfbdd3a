"""What becomes of a column under HIPAA's Safe Harbor (45 CFR 164.514(b)(2)).

Identifiers and places smaller than a state do not leave; ZIP codes show three digits at most, dates
the year, ages five years, and what tells an age over 89 is pooled. A column is known by its name
and, if the table was looked at, by what its values are.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from incrowd.hierarchy import AnyHierarchy, Dates, Intervals, Suggested, ZipCodes
from incrowd.pii.words import topic_of
from incrowd.policy.policy import Column
from incrowd.table.column import Kind
from incrowd.table.names import words_of
from incrowd.table.roles import Role

_COARSENED = frozenset("BC")
"""Identifiers of which something coarser may stay."""
_OLDEST = 89


@dataclass(frozen=True)
class Seen:
    """What is known besides the policy; nothing but the year, unless the table was looked at."""

    today: int = field(default_factory=lambda: datetime.now(UTC).year)
    """The year in which ages count."""
    failing: Mapping[str, str] = field(default_factory=dict)
    """The letters of the identifiers that columns hold, by name: `Checklist.failing`."""
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """What the values of columns are, by name."""

    @property
    def bottom(self) -> int:
        """The first year of birth that tells no age over 89."""
        return self.today - _OLDEST


def under_safe_harbor(name: str, column: Column, seen: Seen) -> Column:
    """A column as it may leave."""
    topic = topic_of(name)
    about = topic.name if topic else ""
    letters = set(seen.failing.get(name, ""))
    if column.role in {Role.DROP, Role.UNIT}:
        return column
    identifies = column.role is Role.IDENTIFIER or (topic and topic.role is Role.IDENTIFIER)
    if identifies or letters - _COARSENED:
        return Column(role=Role.IDENTIFIER)
    if about == "postcode":
        return _coarser(column, ZipCodes())
    if _is_small_place(name, about) or (about in {"birth", "event"} and column.role is Role.KEEP):
        return Column(role=Role.DROP)
    coarser = _in_time(name, column, about, seen)
    if coarser is not None:
        return _coarser(column, coarser)
    return Column(role=Role.DROP) if letters else column


def _in_time(name: str, column: Column, about: str, seen: Seen) -> AnyHierarchy | None:
    """What makes dates, birth years and ages coarse enough; None for a column of another sort."""
    kind = seen.kinds.get(name, column.kind)
    bottom = seen.bottom if about == "birth" else None
    if about == "age" and kind in {None, Kind.NUMBER}:
        return Intervals(width=5, top=_OLDEST + 1)
    if about == "birth" and _tells_years(name, column, kind):
        return Intervals(widths=(1, 5, 10), bottom=bottom)
    if _tells_dates(column, about, kind):
        return Dates(steps=("year", "5 years", "10 years"), bottom=bottom)
    return None


def _tells_years(name: str, column: Column, kind: Kind | None) -> bool:
    """Whether a column of births holds years alone."""
    if kind is not None:
        return kind is Kind.NUMBER
    said = {"year", "yob", "birthyear"} & set(words_of(name))
    return isinstance(column.hierarchy, Intervals) or bool(said)


def _tells_dates(column: Column, about: str, kind: Kind | None) -> bool:
    """Whether a column holds dates: it says so, or its name does and nothing speaks against it."""
    if isinstance(column.hierarchy, Dates):
        return True
    if kind is not None:
        return kind is Kind.DATE
    return about in {"birth", "event"} and isinstance(column.hierarchy, Suggested | None)


def _is_small_place(name: str, about: str) -> bool:
    """Whether a column tells a place smaller than a state."""
    return about == "place" and not {"state", "bundesland"} & set(words_of(name))


def _coarser(column: Column, hierarchy: AnyHierarchy) -> Column:
    """The column as a quasi-identifying one with this hierarchy, exact values never shown."""
    weight = column.weight if column.role is Role.QUASI else 1.0
    return Column(role=Role.QUASI, hierarchy=hierarchy, kind=column.kind, weight=weight, lowest=1)
