"""The risk of a table, as it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incrowd.classes import SensitiveColumn, people_per_code
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import PolicyError
from incrowd.risk import Risk, measure
from incrowd.run.reading import AnyPath, Reading, enough_memory
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.encode import align
from incrowd.table.fold import fold

if TYPE_CHECKING:
    from incrowd.hierarchy import AnyHierarchy


def risk(  # noqa: PLR0913  the table, its columns by what they are for, and settings
    frame: Any,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    unit: str | None = None,
    weight: str | None = None,
    hierarchies: Mapping[str, "AnyHierarchy"] | None = None,
    threshold: float = 0.2,
    missing_values: Sequence[str] = (),
) -> Risk:
    """How easily a person of this table is found by these columns, and what is then learned.

    Values are compared as they are. `unit` says which records belong to one person, `hierarchies`
    are those of sensitive columns (for distances), a record counts as risky above the `threshold`,
    and texts among `missing_values` mean that a value is missing.
    """
    asked = _Asked(quasi, sensitive, unit, weight, hierarchies, threshold, missing_values)
    with enough_memory():
        return _risk(MemoryEngine(frame), asked)


def risk_file(  # noqa: PLR0913  the same, and how to read the file
    path: AnyPath,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    unit: str | None = None,
    weight: str | None = None,
    hierarchies: Mapping[str, "AnyHierarchy"] | None = None,
    threshold: float = 0.2,
    missing_values: Sequence[str] = (),
    reading: Reading | None = None,
) -> Risk:
    """The risk of a table in a file; see `risk`."""
    asked = _Asked(quasi, sensitive, unit, weight, hierarchies, threshold, missing_values)
    with enough_memory():
        read = (reading or Reading()).read(path)
        return _risk(MemoryEngine(read.frame, text=read.text), asked)


@dataclass(frozen=True)
class _Asked:
    """What is asked of a table's risk."""

    quasi: Sequence[str]
    sensitive: Sequence[str]
    unit: str | None
    weight: str | None
    hierarchies: Mapping[str, "AnyHierarchy"] | None
    threshold: float
    missing_values: Sequence[str]

    def __post_init__(self) -> None:
        if not self.quasi:
            raise PolicyError(
                "no column is named by which a person could be found",
                remedy="name columns as quasi, such as --quasi age,zip",
            )
        if not 0 <= self.threshold <= 1:
            raise PolicyError(
                "the threshold of risk must be from 0 to 1",
                remedy="give a share: 0.2 is one in five",
            )


def _risk(engine: MemoryEngine, asked: _Asked) -> Risk:
    names = tuple(dict.fromkeys((*asked.quasi, *asked.sensitive)))
    codes = engine.codes(names, missing_values=asked.missing_values)
    unit = None if asked.unit is None else engine.units(asked.unit, asked.missing_values)
    weights = None if asked.weight is None else engine.weights(asked.weight)
    columns, sensitive = [], []
    for name in dict.fromkeys(asked.sensitive):
        column, described = _sensitive(codes[name], (asked.hierarchies or {}).get(name), unit)
        columns.append(column.codes)
        sensitive.append(described)
    quasi = [codes[name].codes for name in dict.fromkeys(asked.quasi)]
    return measure(fold(quasi, columns, unit, weights), sensitive, asked.threshold)


def _sensitive(
    column: CodedColumn, spec: "AnyHierarchy | None", unit: Any
) -> tuple[CodedColumn, SensitiveColumn]:
    ordered, maps = column.domain.kind is not Kind.TEXT, None
    if spec is not None:
        from incrowd.io.hierarchies import resolve  # noqa: PLC0415  few ask for it

        hierarchy = resolve(spec, Path()).build(column.domain, column.name)
        column = align(column, hierarchy.leaves)
        ordered, maps = ordered or hierarchy.ordered, hierarchy.maps
    people = people_per_code(column, unit)
    return column, SensitiveColumn(column.name, people, ordered=ordered, maps=maps)
