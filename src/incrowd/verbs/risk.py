"""The risk of a table, as it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import Codes, Floats
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import PolicyError
from incrowd.exposure import Risk, measure, population_size
from incrowd.exposure import special_uniques as special_uniques_of_exposure
from incrowd.exposure.contributions import exposed
from incrowd.exposure.explained import explained
from incrowd.hierarchy import Suggested
from incrowd.identify import distinct_values
from incrowd.io import files
from incrowd.io import hierarchies as hierarchies_of_io
from incrowd.partition.classes import SensitiveColumn, people_per_code
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.encode import align
from incrowd.table.fold import fold
from incrowd.table.names import listed
from incrowd.table.tally import Tally
from incrowd.verbs.reading import AnyPath, Reading, enough_memory
from incrowd.watch import Watch

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
    population: float | str | None = None,
    fraction: float | None = None,
    special_uniques: int | None = None,
    explain: bool = False,
    watch: Watch | None = None,
) -> Risk:
    """How easily a person of this table is found by these columns, and what is then learned.

    Values are compared as they are. `unit` says which records belong to one person, a record counts
    as risky above the `threshold`, and texts among `missing_values` mean that a value is missing.
    If the table is a sample, `weight` names the column of sampling weights, or `population` tells
    how many people it was drawn from (a number, or a name such as "usa"), or `fraction` which
    share of them it holds: the risk in the population is then estimated, with 95 % intervals.
    `special_uniques` is the largest number of columns of the sets that make a record unique to be
    looked for. With `explain` comes what each column does, and what would lower the risk.
    `hierarchies` are those of sensitive columns, for distances, and of quasi-identifying ones, for
    coarser values; the latter are suggested by the data if not given.
    """
    asked = _Asked(
        quasi=quasi,
        sensitive=sensitive,
        unit=unit,
        weight=weight,
        hierarchies=hierarchies,
        threshold=threshold,
        missing_values=missing_values,
        population=population,
        fraction=fraction,
        special_uniques=special_uniques,
        explain=explain,
    )
    with enough_memory():
        return _risk(MemoryEngine(frame), asked, watch or Watch())


def risk_file(
    path: AnyPath,
    *,
    list_records: AnyPath | None = None,
    reading: Reading | None = None,
    watch: Watch | None = None,
    **options: Any,
) -> Risk:
    """The risk of a table in a file; see `risk`.

    The options are those of `risk`. `list_records` is a file for the numbers of the records whose
    risk is above the threshold, from 1, one a line. It says who is exposed: keep it where the table
    is kept.
    """
    asked = _Asked(**options)
    if list_records is not None:
        _refuse_listing(path, list_records)
    with enough_memory():
        named = (*asked.quasi, *asked.sensitive, *filter(None, (asked.unit, asked.weight)))
        read = (reading or Reading()).expecting(named).read(path)
        engine = MemoryEngine(read.frame, text=read.text)
        return _risk(engine, asked, watch or Watch(), list_records)


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What is asked of a table's risk."""

    quasi: Sequence[str]
    sensitive: Sequence[str] = ()
    unit: str | None = None
    weight: str | None = None
    hierarchies: Mapping[str, "AnyHierarchy"] | None = None
    threshold: float = 0.2
    missing_values: Sequence[str] = ()
    population: float | str | None = None
    fraction: float | None = None
    special_uniques: int | None = None
    explain: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "quasi", listed(self.quasi))
        object.__setattr__(self, "sensitive", listed(self.sensitive))
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
        if self.special_uniques is not None and self.special_uniques < 1:
            raise PolicyError(
                "special uniques have sets of at least 1 column",
                remedy="give the largest number of columns of a set: 4 is usual",
            )
        _ = self.drawn_from

    @property
    def drawn_from(self) -> int | None:
        """The people of the population, if they are told."""
        if self.population is None:
            return None

        return distinct_values.population(self.population)


@dataclass(frozen=True, eq=False)
class _Coded:
    """The columns of a table that are asked for."""

    quasi: Mapping[str, CodedColumn]
    unit: Codes | None
    weights: Floats | None


def _risk(
    engine: MemoryEngine, asked: _Asked, watch: Watch, list_records: AnyPath | None = None
) -> Risk:
    names = listed((*asked.quasi, *asked.sensitive))
    codes = engine.codes(names, missing_values=asked.missing_values)
    unit = None if asked.unit is None else engine.units(asked.unit, asked.missing_values)
    weights = None if asked.weight is None else engine.weights(asked.weight)
    coded = _Coded({name: codes[name] for name in asked.quasi}, unit, weights)
    columns, sensitive = [], []
    for name in asked.sensitive:
        column, described = _sensitive(codes[name], (asked.hierarchies or {}).get(name), unit)
        columns.append(column.codes)
        sensitive.append(described)
    tally = fold([column.codes for column in coded.quasi.values()], columns, unit, weights)
    people = engine.records if unit is None else _people(unit)
    population = population_size(people, asked.drawn_from, asked.fraction)
    found = measure(tally, sensitive, asked.threshold, population=population)
    found = _more(found, coded, tally, (asked, watch))
    if list_records is not None:
        _write_exposed(tally, asked.threshold, list_records)
    return found


def _people(unit: Codes) -> int:
    """Different units; a record without one is a person of its own."""
    seen = np.bincount(unit, minlength=1)
    return int(seen[0] + np.count_nonzero(seen[1:]))


def _more(found: Risk, coded: _Coded, tally: Tally, request: tuple[_Asked, Watch]) -> Risk:
    """What takes longer, if it is asked for."""
    asked, watch = request
    names = list(coded.quasi)
    if asked.special_uniques is not None:
        codes = [column.codes for column in coded.quasi.values()]
        sets = special_uniques_of_exposure.minimal(
            names, codes, coded.unit, asked.special_uniques, watch
        )
        special = special_uniques_of_exposure.special_uniques(
            sets, _sampled(found, coded.weights), asked.threshold
        )
        found = replace(found, special_uniques=special)
    if asked.explain:
        coarser = _coarser(coded.quasi, asked.hierarchies or {})
        found = replace(found, explained=explained(names, tally, found, coarser, watch))
    return found


def _sampled(found: Risk, weights: Floats | None) -> float | None:
    """The share of the population that is in the table, if something tells it."""
    if found.uniqueness is not None:
        return min(found.uniqueness.fraction, 1.0)
    if weights is None or not weights.sum():
        return None
    return min(len(weights) / float(weights.sum()), 1.0)


def _coarser(
    quasi: Mapping[str, CodedColumn], hierarchies: Mapping[str, "AnyHierarchy"]
) -> dict[str, Codes]:
    """By column: the code of each code one level higher, where that is not yet the highest."""
    found = {}
    for name, column in quasi.items():
        spec = hierarchies_of_io.resolve(hierarchies.get(name, Suggested()), Path())
        hierarchy = spec.build(column.domain, name)
        if hierarchy.height > 1:
            every = np.arange(len(column.domain) + 1, dtype=np.int32)
            leaves = align(CodedColumn(name, every, column.domain), hierarchy.leaves).codes
            found[name] = hierarchy.maps[1][leaves]
    return found


def _refuse_listing(source: AnyPath, target: AnyPath) -> None:

    if str(target) == "-":
        raise PolicyError("a list of records goes to a file", remedy="name a file")
    if str(source) != "-" and files.same_file(source, target):
        raise PolicyError(
            "the list of records would overwrite the table", remedy="name another file"
        )


def _write_exposed(tally: Tally, threshold: float, path: AnyPath) -> None:
    """Write the numbers of the records above the threshold, from 1."""
    rows = exposed(tally, tally.quasi, threshold)
    records = np.flatnonzero(rows if tally.row_of is None else rows[tally.row_of]) + 1
    files.write_text(path, "".join(f"{record}\n" for record in records.tolist()))


def _sensitive(
    column: CodedColumn, spec: "AnyHierarchy | None", unit: Any
) -> tuple[CodedColumn, SensitiveColumn]:
    ordered, maps = column.domain.kind is not Kind.TEXT, None
    if spec is not None:
        hierarchy = hierarchies_of_io.resolve(spec, Path()).build(column.domain, column.name)
        column = align(column, hierarchy.leaves)
        ordered, maps = ordered or hierarchy.ordered, hierarchy.maps
    people = people_per_code(column, unit)
    return column, SensitiveColumn(column.name, people, ordered=ordered, maps=maps)
