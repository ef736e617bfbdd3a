"""Whether named sets of columns can identify people of a population (Lodha-Thomas Section 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from incrowd import values
from incrowd.engines.base import Engine
from incrowd.errors import InputError, PolicyError
from incrowd.identify.distinct_values import PopulationTest
from incrowd.identify.measures import ratios
from incrowd.identify.outcome import JudgedSet, JudgedSets
from incrowd.identify.records import Records
from incrowd.io import files
from incrowd.io.reading import Opened, enough_memory, open_table
from incrowd.policy.coding import code_columns
from incrowd.requests.discover import JudgeSetsRequest
from incrowd.requests.request import verb
from incrowd.table.column import CodedColumn
from incrowd.table.names import choose_columns, unique_names
from incrowd.verbs.tables import is_batches

Sets: TypeAlias = tuple[tuple[str, ...], ...]


@verb(JudgeSetsRequest)
def judge_sets(asked: JudgeSetsRequest) -> JudgedSets:
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
    sets, test = _sets_of(asked.sets), _test_of(asked)
    if asked.data is None:
        return _judge_by_declared_sizes(asked, sets, test)
    if is_batches(asked.data):
        raise PolicyError(
            "to count sets takes all records at once, and batches pass once",
            remedy="put them together in one frame",
        )
    with enough_memory(), open_table(asked.data, asked.reading, _columns_of(sets)) as table:
        return _judge_in_table(asked, sets, test, table)


def _columns_of(sets: Sets) -> tuple[str, ...]:
    """The columns of all sets, each once."""
    return unique_names(name for columns in sets for name in columns)


def _test_of(asked: JudgeSetsRequest) -> PopulationTest:
    """The test that the request asks for; `PolicyError` without a population."""
    test = PopulationTest.of(asked.population, asked.domains or {}, asked.alpha, asked.source)
    if test is None:
        raise PolicyError(
            "to judge a set of columns, say for how many people",
            remedy="give the population, for example 3e8 or usa",
        )
    return test


def _sets_of(given: str | Sequence[str] | Sequence[Sequence[str]]) -> Sets:
    """The sets, each a tuple of names; names alone are one set. `PolicyError` for an empty set."""
    if isinstance(given, str):
        return (unique_names(given),)
    names = [one for one in given if isinstance(one, str)]
    alone = len(names) == len(given)
    sets = (unique_names(names),) if alone else tuple(unique_names(one) for one in given)
    if not all(sets):
        raise PolicyError(
            "a set has at least one column", remedy="name one, for example birth_date,zip,sex"
        )
    return sets


def _judge_by_declared_sizes(
    asked: JudgeSetsRequest, sets: Sets, test: PopulationTest
) -> JudgedSets:
    """Judge by declared numbers of values alone; `PolicyError` if one is of a column of no set."""
    columns = _columns_of(sets)
    for name in asked.domains or ():
        if name not in columns:
            raise PolicyError(
                f"{name!r} has a number of values and is in none of the sets",
                remedy=values.did_you_mean(name, columns) or "name a set that contains it",
            )
    judged = tuple(JudgedSet(one, test.test_without_table(one)) for one in sets)
    return JudgedSets(judged, test.people, test.alpha)


def _judge_in_table(
    asked: JudgeSetsRequest, sets: Sets, test: PopulationTest, table: Opened
) -> JudgedSets:
    """Judge by declared or estimated numbers of values; `InputError` if there are no records."""
    engine, columns = table.engine, _columns_of(sets)
    choose_columns(engine.names, (*columns, *(asked.domains or ())))
    if not engine.records:
        raise InputError("the table has no records", remedy="give at least one")
    policy = None if asked.policy is None else files.policy_of(asked.policy)
    rows = _count_records(engine, code_columns(engine, policy, columns))
    return JudgedSets(
        tuple(_judge_in_records(test, rows, sets)),
        test.people,
        test.alpha,
        engine.records,
        (*(str(note) for note in table.origin.notes), *test.notes(rows)),
    )


def _judge_in_records(test: PopulationTest, rows: Records, sets: Sets) -> Iterator[JudgedSet]:
    """Yield each set with the outcome of the test and with its ratios, both by these rows."""
    for columns in sets:
        places = rows.places(columns)
        yield JudgedSet(columns, test.test(rows, places), ratios(rows, places))


def _count_records(engine: Engine, columns: Mapping[str, CodedColumn]) -> Records:
    """Count the distinct rows of these columns."""
    lines = engine.counts((), list(columns.values()))
    codes = np.stack([lines.codes[name] for name in columns])
    return Records(tuple(columns), codes, lines.records)
