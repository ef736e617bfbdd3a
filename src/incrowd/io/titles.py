"""The start of a table: titles above it, and the names of its columns."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count

from incrowd.errors import InputError, count_of
from incrowd.io.notes import Note

MOST_COLUMNS = 50_000
"""A table of more columns takes minutes to read before anything is done with it."""
_TITLES = 20
"""So many lines of titles are found."""
_NAMED = 3
"""So many columns are named in a note."""


def refuse_wide(columns: int) -> None:
    """Raise `InputError` for a table of more than `MOST_COLUMNS` columns."""
    if columns > MOST_COLUMNS:
        raise InputError(
            f"it has {columns:,} columns; incrowd reads at most {MOST_COLUMNS:,}",
            remedy="leave out those that you do not need",
        )


def names_of(record: Sequence[str], *, header: bool) -> list[str]:
    """The names of the columns: those of the header, or column_1, column_2 and so on.

    A column without a name gets one of these; a name that was there before gets a number.
    `InputError` for more than `MOST_COLUMNS` columns.

    >>> names_of(["age", "", "age", "age_2"], header=True)
    ['age', 'column_2', 'age_3', 'age_2']
    """
    refuse_wide(len(record))
    numbered = [f"column_{j}" for j in range(1, len(record) + 1)]
    if not header:
        return numbered
    filled = [name if name.strip() else other for name, other in zip(record, numbered, strict=True)]
    if len(set(filled)) == len(filled):
        return filled
    taken, names = set(filled), list[str]()
    for name in filled:
        names.append(_numbered_name(name, taken) if name in names else name)
        taken.add(names[-1])
    return names


def _numbered_name(name: str, taken: set[str]) -> str:
    """The name with the first number from 2 on that makes it differ from all taken names."""
    return next(new for new in (f"{name}_{i}" for i in count(2)) if new not in taken)


def _repair_notes(record: Sequence[str], names: Sequence[str]) -> Iterator[Note]:
    """Notes on cells of a header (`record`) that were missing or repeated: `names` has new ones."""
    pairs = [(old, new) for old, new in zip(record, names, strict=True) if old != new]
    nameless = [new for old, new in pairs if not old.strip()]
    if nameless:
        has = count_of(len(nameless), "column has", "columns have")
        yield Note("nameless", len(nameless), f"{has} no name and got one: {_list_first(nameless)}")
    repeated = [new for old, new in pairs if old.strip()]
    if repeated:
        has = count_of(len(repeated), "column has", "columns have")
        words = f"{has} the name of another and got a number: {_list_first(repeated)}"
        yield Note("repeated_names", len(repeated), words)


def start_notes(titles: int, first: Sequence[str]) -> Iterator[Note]:
    """Notes on so many skipped lines of titles, and on names of this header that were repaired."""
    if titles:
        lines = count_of(titles, "line above the header was", "lines above the header were")
        yield Note("titles", titles, f"{lines} skipped as titles; --skip says how many to skip")
    yield from _repair_notes(first, names_of(first, header=True))


def _list_first(names: Sequence[str]) -> str:
    """The first of these names as a list, with dots if there are more."""
    return ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")


def count_title_records(records: Sequence[Sequence[str]]) -> int:
    """Number of records that are titles: one cell each, above a first one with several cells.

    A title is shorter than most records, or has but one filled cell of three or more. 0 if the
    record below titles is not as long as most.
    """
    sizes = Counter(map(len, records))
    width = max(sizes, key=lambda size: (sizes[size], size), default=0)
    for number, record in enumerate(records[:_TITLES]):
        filled = sum(bool(cell.strip()) for cell in record)
        if filled > 1 or width < 2 or (len(record) == width and width < 3):
            return number if len(record) == width and filled > 1 else 0
    return 0
