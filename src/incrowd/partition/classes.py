"""Equivalence classes: their sizes, the values they hold, and the crowds of missing values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.kernels import compatible
from incrowd.kernels import histogram as histogram_kernels
from incrowd.partition.csr import group_by_owner, offsets
from incrowd.table.fold import fold
from incrowd.table.tally import Tally

_ALL_BITS = np.uint64(2**64 - 1)


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """A sensitive column: who holds which value among all records that may leave."""

    name: str
    whole: Counts
    """People per code, entry 0 for the missing: shape (values + 1,)."""
    ordered: bool = False
    """Whether the order of its codes means something."""
    maps: Codes | None = None
    """The levels of its hierarchy, if it has one (see `Hierarchy.maps`)."""

    @cached_property
    def shares(self) -> Floats:
        """The share of the people who hold each code; zeros if there is nobody."""
        return _shares(self.whole)

    @cached_property
    def scale(self) -> tuple[Counts, Floats]:
        """Ranks and cumulated shares of the values that somebody holds, without missing.

        Of the code c, the first array counts the held values up to c; entry i of the second is the
        share, of those whose value is known, that hold one of the first i.
        """
        held = self.whole > 0
        held[MISSING] = False
        shares = _shares(self.whole[held])
        return np.cumsum(held), np.concatenate([[0.0], np.cumsum(shares)])

    @cached_property
    def level_shares(self) -> Floats:
        """The share of people at each node (code, without a hierarchy): shape (levels, nodes)."""
        if self.maps is None:
            return self.shares[np.newaxis]
        width = max(len(self.whole), int(self.maps.max(initial=0)) + 1)
        shares = [np.bincount(nodes, weights=self.shares, minlength=width) for nodes in self.maps]
        return np.stack(shares)


@dataclass(frozen=True, eq=False)
class Histogram:
    """People per class and sensitive value, in compressed rows.

    Class c holds the values `code[start[c]:start[c + 1]]` (ascending, each once) with `count`
    people each. A missing sensitive value (code 0) is a value like any other here.
    """

    column: SensitiveColumn
    start: Counts
    code: Codes
    count: Counts


@dataclass(frozen=True, eq=False)
class Classes:
    """Equivalence classes: all that a model sees."""

    records: Counts
    people: Counts
    histograms: Mapping[str, Histogram]
    """By name of the sensitive column."""
    world: Counts | None = None
    """Individuals of the world that the cells of each class may stand for, if there is a world."""

    def __len__(self) -> int:
        """Number of classes."""
        return len(self.records)

    def take(self, which: Codes) -> "Classes":
        """Only these classes, in this order."""
        histograms = {}
        for name, held in self.histograms.items():
            entry, place = histogram_kernels.expand_rows(held.start, which)
            start = offsets(np.bincount(place, minlength=len(which)))
            histograms[name] = Histogram(held.column, start, held.code[entry], held.count[entry])
        world = None if self.world is None else self.world[which]
        return Classes(self.records[which], self.people[which], histograms, world)


def classes_of(
    tally: Tally, class_of: Codes, number: int, sensitive: Sequence[SensitiveColumn]
) -> Classes:
    """The classes 0, 1, …, number - 1 of the rows of a tally; rows of class -1 are left out.

    People are counted once per class, and once per class and value in a histogram.
    """
    class_of = np.ascontiguousarray(class_of, dtype=np.int32)
    records = histogram_kernels.sum_by_class(class_of, tally.counts, number)
    people = records
    if tally.has_units:
        people = histogram_kernels.sum_by_class(class_of, tally.people, number)
    units = int(tally.shared_unit.max(initial=-1)) + 1
    if units:
        people += histogram_kernels.count_distinct_units(
            class_of[tally.shared_row], tally.shared_unit, number, units
        )
    histograms = {
        column.name: _histogram(tally, class_of, number, column, codes)
        for column, codes in zip(sensitive, tally.sensitive, strict=True)
    }
    return Classes(records, people, histograms)


def _histogram(
    tally: Tally, class_of: Codes, number: int, column: SensitiveColumn, codes: Codes
) -> Histogram:
    """The people per class and value, each counted once per class and value."""
    start, code, count = histogram_kernels.histogram(
        class_of, codes, tally.people, number, len(column.whole)
    )
    units = int(tally.shared_unit.max(initial=-1)) + 1
    if units:
        rows = tally.shared_row
        place = histogram_kernels.find_entries(start, code, class_of[rows], codes[rows])
        count += histogram_kernels.count_distinct_units(place, tally.shared_unit, len(code), units)
    return Histogram(column, start, code, count)


def number_columns(codes: Codes) -> tuple[Codes, int]:
    """Number the distinct columns of a matrix of codes: the number of each column, and how many.

    With the quasi-identifying codes of a tally this is the class of each row. Numbers follow the
    lexicographic order of the columns.

    >>> number_columns(np.array([[2, 1, 2], [0, 3, 0]], dtype=np.int32))
    (array([1, 0, 1], dtype=int32), 2)
    """
    if not codes.shape[0]:
        return np.zeros(codes.shape[1], dtype=np.int32), min(codes.shape[1], 1)
    in_order, place = histogram_kernels.equal_runs(np.ascontiguousarray(codes))
    if not in_order:
        row_of = fold(list(codes), ()).row_of
        place = place if row_of is None else row_of
    return place, int(place.max(initial=-1)) + 1


@dataclass(frozen=True, eq=False)
class CompatibleClasses:
    """Pairs of a class `here` and a source it is compatible with: a class, or a block of classes.

    Sources below the number of classes are classes; source `classes + b` is block b, which holds
    the classes `member` where `block` is b.
    """

    here: Codes
    source: Codes
    block: Codes
    member: Codes

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return int(self.block.max(initial=-1)) + 1


@dataclass(frozen=True, eq=False)
class _CountedCodes:
    """Compressed rows, one per class: codes below `domain`, each with a count."""

    start: Counts
    code: Codes
    count: Counts
    domain: int


def join_crowds(
    nodes: Codes,
    missing: Flags,
    classes: Classes,
    tally: Tally | None = None,
    class_of: Codes | None = None,
) -> Classes:
    """Make each class its crowd: whom its records hide among if a missing value matches anything.

    The crowd of a class is the union of all classes that are compatible with it: equal in every
    column where neither is missing. `nodes` and `missing` have shape (d, classes): what each class
    shows, and where that is a missing value. A class belongs to its own crowd; being compatible is
    not transitive, so crowds overlap.

    If people have records in several rows, give the tally and the class of each of its rows (those
    that `classes` was made from), so that a person counts once per crowd and value; without them,
    such people count once per class of the crowd, which is too often. Crowds have no `world`; if no
    crowd is more than its class, the classes are returned as they are.
    """
    if not missing.any() and number_columns(nodes)[1] == len(classes):
        return classes
    if tally is None or class_of is None or not len(tally.shared_row):
        return _join_counted_crowds(nodes, missing, classes, [])[0]
    columns = [held.column for held in classes.histograms.values()]
    nobody = np.empty(0, dtype=np.int32)
    alone = replace(tally, shared_row=nobody, shared_unit=nobody)
    base = classes_of(alone, class_of, len(classes), columns)
    shared_class = np.ascontiguousarray(class_of[tally.shared_row], dtype=np.int32)
    names = [tally.shared_unit]
    pairs = [np.stack([codes[tally.shared_row], tally.shared_unit]) for codes in tally.sensitive]
    names += [number_columns(pair)[0] for pair in pairs]
    rows = [_people_of_classes(shared_class, name, len(classes)) for name in names]
    joined, (units, *holders) = _join_counted_crowds(nodes, missing, base, rows)
    for held, holder, pair, name in zip(
        joined.histograms.values(), holders, pairs, names[1:], strict=True
    ):
        code_of = np.zeros(holder.domain, dtype=np.int32)
        code_of[name] = pair[0]
        _add_holders(held, holder, code_of)
    return replace(joined, people=joined.people + np.diff(units.start))


def _people_of_classes(class_of: Codes, names: Codes, number: int) -> _CountedCodes:
    """The distinct `names` in each of `number` classes, and the records of each.

    A name is a number that stands for a person, or for a person with a sensitive value.
    """
    once = np.ones(len(names), dtype=np.int64)
    domain = int(names.max(initial=-1)) + 1
    names = np.ascontiguousarray(names)
    held = histogram_kernels.histogram(class_of, names, once, number, domain)
    return _CountedCodes(*held, domain)


def _add_holders(held: Histogram, holder: _CountedCodes, code_of: Codes) -> None:
    """Add to `held`, in place, each entry of `holder` as a person with the code from `code_of`."""
    number = len(holder.start) - 1
    class_of = np.repeat(np.arange(number, dtype=np.int32), np.diff(holder.start))
    place = histogram_kernels.find_entries(held.start, held.code, class_of, code_of[holder.code])
    held.count[:] += np.bincount(place, minlength=len(held.code))


def _join_counted_crowds(
    nodes: Codes, missing: Flags, classes: Classes, more: Sequence[_CountedCodes]
) -> tuple[Classes, list[_CountedCodes]]:
    """Add up the classes compatible with each class, and likewise the counts of codes in `more`."""
    held = list(classes.histograms.values())
    rows = [_CountedCodes(h.start, h.code, h.count, len(h.column.whole)) for h in held] + list(more)
    parts: list[list[tuple[Codes, Codes, Counts]]] = [[] for _ in rows]
    records, people = np.zeros_like(classes.records), np.zeros_like(classes.people)
    for found in _compatible_classes(nodes, missing):
        _add_compatible(found, classes.records, records)
        _add_compatible(found, classes.people, people)
        for part, row in zip(parts, rows, strict=True):
            part.extend(_gather_compatible(found, row))
    united = [
        _merge_parts(part, len(classes), row.domain) for part, row in zip(parts, rows, strict=True)
    ]
    histograms = {
        h.column.name: Histogram(h.column, row.start, row.code, row.count)
        for h, row in zip(held, united, strict=False)
    }
    return Classes(records, people, histograms), united[len(held) :]


def _compatible_classes(nodes: Codes, missing: Flags) -> Iterator[CompatibleClasses]:
    """Yield what classes are compatible with, one pattern of missing columns after the other.

    Two patterns are joined on the columns that neither misses, never class by class; all patterns
    that share the same columns with a pattern are joined at once.
    """
    pattern_of, number = number_columns(missing.astype(np.int32))
    start, order_of = group_by_owner(pattern_of, number)
    order = order_of.astype(np.int32)
    known = ~missing[:, order].T
    cells = np.where(known, nodes[:, order].T + 1, 0).astype(np.uint64)
    shown = known[start[:-1]]
    hashes = compatible.cell_hashes(cells)
    everyone = np.arange(len(order), dtype=np.int32)
    for p in range(number):
        views = np.vstack([_distinct_lines(shown & shown[p]), shown[p]]) * _ALL_BITS
        mine = everyone[start[p] : start[p + 1]]
        lines = len(mine) * (len(views) - 1)
        few = lines <= len(everyone)
        size = 2 ** max(2, (2 * min(lines, len(everyone)) - 1).bit_length())
        slots, keys = np.full((size, 3), -1, dtype=np.int32), np.empty(size, dtype=np.uint64)
        here, source, block, member = compatible.find_compatible(
            mine, everyone, views, cells, hashes, slots, keys, few
        )
        single = source < len(order)
        source[single] = order[source[single]]
        yield CompatibleClasses(order[here], source, block, order[member])


def _distinct_lines(lines: Flags) -> Flags:
    """The different lines, each once."""
    packed = np.packbits(lines, axis=1)
    keys = np.ascontiguousarray(packed).view(f"V{packed.shape[1]}").ravel()
    _, first = np.unique(keys, return_index=True)
    return lines[first]


def _add_compatible(found: CompatibleClasses, values: Counts, total: Counts) -> None:
    """Add to the total of each class the values of what it is compatible with."""
    blocks = histogram_kernels.sum_by_class(found.block, values[found.member], found.blocks)
    single = found.source < len(values)
    histogram_kernels.add_by_class(found.here[single], values[found.source[single]], total)
    more = blocks[found.source[~single] - len(values)]
    histogram_kernels.add_by_class(found.here[~single], more, total)


def _gather_compatible(
    found: CompatibleClasses, rows: _CountedCodes
) -> list[tuple[Codes, Codes, Counts]]:
    """Class, code and count of each entry that compatible classes give to the classes of `here`."""
    number = len(rows.start) - 1
    entry, place = histogram_kernels.expand_rows(rows.start, found.member)
    start, code, count = histogram_kernels.histogram(
        found.block[place], rows.code[entry], rows.count[entry], found.blocks, rows.domain
    )
    single = found.source < number
    entry, place = histogram_kernels.expand_rows(rows.start, found.source[single])
    alone = found.here[single][place], rows.code[entry], rows.count[entry]
    entry, place = histogram_kernels.expand_rows(start, found.source[~single] - number)
    return [alone, (found.here[~single][place], code[entry], count[entry])]


def _merge_parts(
    parts: Sequence[tuple[Codes, Codes, Counts]], number: int, domain: int
) -> _CountedCodes:
    """The parts as compressed rows, counts of the same class and code added up."""
    class_of, code, count = (
        np.concatenate([np.empty(0, dtype=kind), *(part[i] for part in parts)])
        for i, kind in enumerate((np.int32, np.int32, np.int64))
    )
    joined = histogram_kernels.histogram(class_of, code, count, number, domain)
    return _CountedCodes(*joined, domain)


def _shares(counts: Counts) -> Floats:
    """The counts over their sum, zeros if that is 0."""
    return counts / max(int(counts.sum()), 1)


def crowd_sums(nodes: Codes, missing: Flags, values: Floats) -> Floats:
    """The sum of values over all classes of each class's crowd (see `join_crowds`)."""
    total = np.zeros(len(values))
    for found in _compatible_classes(nodes, missing):
        blocks = np.bincount(found.block, values[found.member], minlength=found.blocks)
        every = np.concatenate([values, blocks])
        total += np.bincount(found.here, every[found.source], minlength=len(values))
    return total
