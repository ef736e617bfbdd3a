"""Whether named sets of columns can identify people of a population (Lodha-Thomas Section 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from incrowd import values
from incrowd.engines.base import Engine
from incrowd.errors import InputError, PolicyError
from incrowd.identify.distinct_values import CountSource, PopulationTest
from incrowd.identify.measures import ratios
from incrowd.identify.outcome import JudgedSet, JudgedSets
from incrowd.identify.records import Records
from incrowd.io import files
from incrowd.io.reading import Reading, enough_memory, opened
from incrowd.table.column import CodedColumn
from incrowd.table.names import choose_columns, unique_names
from incrowd.verbs.tables import codes_of, is_batches

if TYPE_CHECKING:
    from incrowd.io.files import AnyPolicy
    from incrowd.policy.policy import Policy


@dataclass(frozen=True)
class NamedSets:
    """The sets that are judged, and for which population. Checked before anything is read."""

    sets: tuple[tuple[str, ...], ...]
    population: float | str | None = None
    """A number of people, or a name such as usa."""
    domains: Mapping[str, float] = field(default_factory=dict)
    """Possible values by column."""
    alpha: float | None = None
    """The share of people that a set must tell apart; 0.5 if not given."""
    source: str | None = None
    """Where numbers of values come from."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "domains", dict(self.domains or {}))
        if not self.sets or not all(self.sets):
            raise PolicyError(
                "a set has at least one column", remedy="name one, for example birth_date,zip,sex"
            )
        self.test  # noqa: B018  it refuses what does not fit together

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of the sets, each once."""
        return unique_names(name for columns in self.sets for name in columns)

    @property
    def test(self) -> PopulationTest:
        """The test of each set."""
        asked = PopulationTest.of(self.population, self.domains, self.alpha, self.source)
        if asked is None:
            raise PolicyError(
                "to judge a set of columns, say for how many people",
                remedy="give the population, for example 3e8 or usa",
            )
        return asked


def judge_sets(  # noqa: PLR0913  the sets, the table, and one keyword per option
    sets: str | Sequence[str] | Sequence[Sequence[str]],
    data: Any = None,
    *,
    population: float | str,
    domains: Mapping[str, float] | None = None,
    alpha: float | None = None,
    source: CountSource | Literal["declared", "estimated", "observed"] | None = None,
    policy: AnyPolicy | None = None,
    reading: Reading | None = None,
) -> JudgedSets:
    """Say whether sets of columns can tell a share `alpha` (0.5) of a population apart.

    `sets` is one set of columns, or several. `domains` has the possible values of columns; their
    product is D, the number of values of a set: at most a share f(D/n) of n people is then alone
    with theirs, and about n/D people share one (Lodha-Thomas Theorems 1 to 3, Figure 3). Columns
    that are not declared need a table to estimate their numbers from: a frame, a path or a table
    elsewhere (see `incrowd.api`). With a table the sets are counted in it, too, with columns read
    as the `policy` says, or its file, if there is one.

    >>> found = judge_sets(["sex", "birth_date", "zip"], population=3e8, alpha=0.87,
    ...                    domains={"sex": 2, "birth_date": 20_000, "zip": 1e5})
    >>> found.sets[0].test.verdict
    'possibly an 0.87-quasi-identifier'
    """
    asked = NamedSets(_several(sets), population, domains or {}, alpha, source)
    if data is None:
        return _declared(asked)
    if is_batches(data):
        raise PolicyError(
            "to count sets takes all records at once, and batches pass once",
            remedy="put them together in one frame",
        )
    with enough_memory(), opened(data, reading, asked.columns) as table:
        notes = [str(note) for note in table.like.notes]
        by_policy = None if policy is None else files.policy_of(policy)
        return _in_table(asked, table.engine, by_policy, notes)


def _several(
    sets: str | Sequence[str] | Sequence[Sequence[str]],
) -> tuple[tuple[str, ...], ...]:
    """The sets, each a tuple of names; names alone are one set."""
    if isinstance(sets, str):
        return (unique_names(sets),)
    names = [one for one in sets if isinstance(one, str)]
    return (
        (unique_names(names),)
        if len(names) == len(sets)
        else tuple(unique_names(one) for one in sets)
    )


def _declared(asked: NamedSets) -> JudgedSets:
    """The sets by declared sizes alone."""
    for name in asked.domains:
        if name not in asked.columns:
            raise PolicyError(
                f"{name!r} has a number of values and is in none of the sets",
                remedy=values.did_you_mean(name, asked.columns) or "name a set that contains it",
            )
    test = asked.test
    judged = tuple(JudgedSet(one, test.without_table(one)) for one in asked.sets)
    return JudgedSets(judged, test.people, test.alpha)


def _in_table(
    asked: NamedSets, engine: Engine, policy: Policy | None, notes: Sequence[str]
) -> JudgedSets:
    """The sets, counted in a table, by declared sizes or by what it lets expect."""
    choose_columns(engine.names, (*asked.columns, *asked.domains))
    if not engine.records:
        raise InputError("the table has no records", remedy="give at least one")
    test, rows = asked.test, _counted(engine, codes_of(engine, asked.columns, policy))
    return JudgedSets(
        tuple(_judged(test, rows, asked.sets)),
        test.people,
        test.alpha,
        engine.records,
        (*notes, *test.notes(rows)),
    )


def _judged(
    test: PopulationTest, rows: Records, sets: Sequence[tuple[str, ...]]
) -> Iterator[JudgedSet]:
    for columns in sets:
        places = rows.places(columns)
        yield JudgedSet(columns, test.test(rows, places), ratios(rows, places))


def _counted(engine: Engine, columns: Mapping[str, CodedColumn]) -> Records:
    """The different records of these columns, with their numbers, counted where the table is."""
    lines = engine.counts((), list(columns.values()))
    codes = np.stack([lines.codes[name] for name in columns])
    return Records(tuple(columns), codes, lines.records)
