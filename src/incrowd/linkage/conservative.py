"""k-anonymity in every possible world (Bettini Section 6), and uses that prove nothing (Section 5).

Nothing is known of the world but that every released row is about somebody else. Then a row whose
values decode to nothing but what another row decodes to is about one of the other's candidates in
every world; any other row may be about somebody outside. So the individuals that a row is sure to
have as candidates are exactly the rows that decode within it. Theorem 4 counts the equal ones among
them and is sufficient; to count all of them is also necessary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from incrowd.arrays import Codes, Counts
from incrowd.errors import PolicyError
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.linkage.containment import within
from incrowd.linkage.identify import smallest_crowd
from incrowd.linkage.index import index_of
from incrowd.linkage.links import tuples_of
from incrowd.linkage.sets import sets_of
from incrowd.linkage.world import World
from incrowd.table.column import CodedColumn


@dataclass(frozen=True, eq=False)
class Conservative:
    """What a release promises against every possible world."""

    names: tuple[str, ...]
    equal: Counts = field(repr=False)
    """Per row: individuals whose rows show the same (Theorem 4)."""
    sure: Counts = field(repr=False)
    """Per row: individuals who are among its candidates in every possible world."""
    complete: bool
    """Whether decodings were compared value by value; otherwise `sure` may be too small."""

    @property
    def k(self) -> int | None:
        """Conservatively k-anonymous by Theorem 4; None without rows."""
        return int(self.equal.min()) if len(self.equal) else None

    @property
    def k_sure(self) -> int | None:
        """Conservatively k-anonymous by what rows decode to: never below `k`; None without rows."""
        return int(self.sure.min()) if len(self.sure) else None


def conservative(
    release: Mapping[str, CodedColumn],
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    on: Sequence[str] | None = None,
    unit: Codes | None = None,
    complete: bool = False,
) -> Conservative:
    """The k that a release has against every possible world (Definitions 7 and 8, Theorem 4).

    `on` are the public columns, all if not said. A row is about somebody else than all others;
    with a `unit` those of one unit are about one individual. `complete` says that the leaves of
    every hierarchy are all the values there can be, and publicly so: then decodings are compared
    leaf by leaf. Otherwise a label lies within another only where that holds whatever other values
    there are: it is one of the values that the other stands for, or the other is a node above it.
    """
    names = tuple(release if on is None else dict.fromkeys(on))
    unknown = [name for name in names if name not in release]
    if unknown or not names:
        raise PolicyError(
            f"the release has no column {unknown[0]!r}" if unknown else "no public columns named",
            remedy="name some of: " + ", ".join(release),
        )
    columns = [release[name] for name in names]
    trees = [(hierarchies or {}).get(name) for name in names]
    itself = World({name: release[name] for name in names}, unit)
    equal = _contained(itself, columns, [None] * len(columns), complete=False, equal=True)
    sure = _contained(itself, columns, trees, complete=complete, equal=False)
    return Conservative(names, equal, sure, complete)


def _contained(
    itself: World,
    columns: Sequence[CodedColumn],
    trees: Sequence[Hierarchy | None],
    *,
    complete: bool,
    equal: bool,
) -> Counts:
    """Per row: the individuals with a row that decodes within it; the release is its own world."""
    sets = [
        sets_of(within(column, tree, complete=complete, equal=equal))
        for column, tree in zip(columns, trees, strict=True)
    ]
    tuple_of, tuples = tuples_of(columns, sets)
    return index_of(itself, itself.names, sets, tuples).counts()[tuple_of]


Unsound: TypeAlias = Literal["only 1-QIs", "subset", "one by one"]


@dataclass(frozen=True)
class Caution:
    """A use of quasi-identifiers that does not give k-anonymity (Bettini Section 5)."""

    kind: Unsound
    columns: tuple[str, ...]
    """The public columns that are left out, or all of them where sets are taken one by one."""
    text: str


def cautions(
    public: Sequence[str], declared: Sequence[Sequence[str]], k: int, world: World | None = None
) -> tuple[Caution, ...]:
    """What is wrong with making these sets of columns anonymous, each by itself.

    Only a set with all public columns is enough (Theorems 2 to 4 and 6). With a world it is also
    seen whether columns were left out because they single out nobody, though they name groups of
    fewer than k (Section 5.1).
    """
    everything = set(public)
    if any(everything <= set(columns) for columns in declared):
        return ()
    used = set().union(*map(set, declared)) if declared else set()
    left = tuple(name for name in public if name not in used)
    found = [_one_by_one(tuple(public), len(declared))] if len(declared) > 1 else []
    if left:
        found.append(_subset(left))
        if world is not None:
            found += _only_uniques(world, left, k)
    return tuple(found)


def _one_by_one(public: tuple[str, ...], number: int) -> Caution:
    text = (
        f"{number} quasi-identifiers made k-anonymous one by one prove nothing for all public"
        f" columns together ({', '.join(public)}): take these as one quasi-identifier"
    )
    return Caution("one by one", public, text)


def _subset(left: tuple[str, ...]) -> Caution:
    text = (
        f"also public: {', '.join(left)}; k-anonymity of the other columns, and even of every"
        " proper subset of the public ones, proves nothing for all of them"
    )
    return Caution("subset", left, text)


def _only_uniques(world: World, left: tuple[str, ...], k: int) -> list[Caution]:
    smallest = smallest_crowd(world, left)
    if not 1 < smallest < k:
        return []
    text = (
        f"{', '.join(left)} single out nobody, yet they name a group of {smallest:,} people, fewer"
        f" than {k:,}: all k-QIs count, not only 1-QIs"
    )
    return [Caution("only 1-QIs", left, text)]
