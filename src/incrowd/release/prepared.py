"""Rows that are about to leave: proving what they show, and putting it into a certificate."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Floats
from incrowd.exposure import Risk, measure
from incrowd.loss import figures
from incrowd.loss.ncp import ncp_of_classes
from incrowd.models.l_diversity import LDiversity
from incrowd.policy.compile import Compiled, Counted, Quasi
from incrowd.policy.policy import Policy
from incrowd.recoding import Outcome
from incrowd.release.against import Against
from incrowd.release.assumptions import assumptions
from incrowd.release.certificate import (
    Attested,
    Certificate,
    Digest,
    LeftOut,
    Seed,
    Spread,
    digest_of_policy,
    versions,
)
from incrowd.release.leaving import Leaving, leaving_names, pseudonymous, unchanging
from incrowd.release.telling import cautions, distinct_shares
from incrowd.release.written import written
from incrowd.search.search import Found
from incrowd.table.column import Kind
from incrowd.table.fold import fold
from incrowd.verify.cells import readable
from incrowd.verify.crowds import numbered
from incrowd.verify.ends import joined
from incrowd.verify.losses import of_sizes
from incrowd.verify.permuted import by_number, permuted, told_by
from incrowd.verify.shown import (
    coarse,
    consistent,
    covers,
    represents,
    sets,
    steady,
    within,
)
from incrowd.verify.verdict import Verdict
from incrowd.verify.verify import (
    Reference,
    Seen,
    accounted,
    complete,
    look,
    people_in,
    replaced,
    unchanged,
    verify,
)

ROUNDING = 1e-9
"""What a sum of shares may be above its bound."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it was read: its rows, and its columns as codes."""

    policy: Policy
    """As the user wrote it."""
    rows: pl.DataFrame
    text: bool
    """Whether the rows come from a text file."""
    quasi: Quasi
    counted: Counted
    unit: Codes | None
    weights: Floats | None
    compiled: Compiled
    against: Against | None = None
    """The world that the release is held against, if there is one."""
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """What the values of the counted columns were read as."""

    def __repr__(self) -> str:
        """Without values."""
        return f"Table({len(self.rows)} records, {len(self.rows.columns)} columns)"

    @cached_property
    def reference(self) -> dict[str, Reference]:
        """How the columns that models are about were spread in this table."""
        names = dict.fromkeys(model.columns[0] for model in self.policy.models if model.columns)
        return {name: self._reference(name) for name in names}

    def _reference(self, name: str) -> Reference:
        column, hierarchy = self.counted[name]
        maps = None if hierarchy is None else hierarchy.maps
        return Reference.read(self.rows[name], column, self.unit, maps)


@dataclass(frozen=True, eq=False)
class Prepared:
    """What a search found, turned into rows, not yet verified."""

    table: Table
    found: Found
    outcome: Outcome
    leaving: Leaving
    frame: Any
    """The rows that are to leave, in the kind of frame that came in."""
    order: Literal["system", "given", "kept"]
    drawn: bool = True
    """Whether what was drawn comes from the system's randomness."""

    def __repr__(self) -> str:
        """Without values."""
        return f"Prepared({self.table!r}, {self.leaving!r})"


def prove(prepared: Prepared, rows: pl.DataFrame) -> tuple[Seen, tuple[Verdict, ...]]:
    """What the rows show of their policy; `NotMetError` if a cell is not what it must be."""
    table, records = prepared.table, prepared.leaving.records
    split = prepared.leaving.split
    complete(rows, leaving_names(table.policy, table.rows.columns, split), len(records))
    accounted([column.codes for column, _ in table.quasi.values()], records, table.policy)
    unchanged(table.rows.select(unchanging(table.policy)), rows, records)
    people = None if table.unit is None else table.unit[records]
    tops = {name: str(table.quasi[name][1].labels[-1][0]) for name in split}
    clear = joined(readable(rows, table.policy.missing_values, text=table.text), tops)
    for name in pseudonymous(table.policy):
        replaced(name, clear[name], prepared.leaving.pseudonyms[name][records])
    seen = look(clear, table.policy, people)
    if table.policy.show == "permutation":
        return _proved_by_class(prepared, seen)
    single = table.policy.show == "representatives"
    crowd = sets([cells.codes for cells in seen.quasi.values()]) if single else None
    buckets = prepared.found.recoding.kind == "cuts"
    for name, (column, hierarchy) in table.quasi.items():
        if buckets:
            steady(name, seen.quasi[name], column.codes[records])
        if crowd is not None:
            alike = seen.quasi[name].codes if buckets else crowd
            represents(hierarchy, name, seen.quasi[name], column.codes[records], alike)
        else:
            covers(hierarchy, name, seen.quasi[name], column.codes[records])
        coarse(hierarchy, name, seen.quasi[name], table.policy.columns[name].lowest)
        within(hierarchy, name, seen.quasi[name], table.policy.columns[name])
    if table.policy.consistent:
        consistent([column.codes[records] for column, _ in table.quasi.values()], seen.quasi)
    world = None if table.against is None else table.against.public
    drawn = people_in(len(table.rows), table.unit)
    return seen, verify(seen, table.policy, table.reference, world, drawn)


def _proved_by_class(prepared: Prepared, seen: Seen) -> tuple[Seen, tuple[Verdict, ...]]:
    """What rows show whose sensitive cells changed places; other columns were seen to already."""
    table, records = prepared.table, prepared.leaving.records
    classes = prepared.leaving.classes[records].astype(np.int64)
    names = list(table.policy.sensitive)
    held = readable(table.rows.select(names)[records], table.policy.missing_values, text=table.text)
    permuted(held, seen.rows.select(names), classes)
    if table.policy.class_column is not None:
        told_by(table.policy.class_column, seen.rows[table.policy.class_column], classes)
    seen = replace(seen, crowds=by_number(classes))
    return seen, verify(seen, table.policy, table.reference)


def risk_of(prepared: Prepared, seen: Seen) -> Risk:
    """The risk of the rows that leave.

    Where sensitive values changed places, rows that show the same tell nothing of them: then only
    who can be found is measured.
    """
    table, records = prepared.table, prepared.leaving.records
    quasi = [cells.codes.astype(np.int32) for cells in seen.quasi.values()]
    names = () if table.policy.show == "permutation" else table.policy.sensitive
    tally = fold(
        quasi,
        [table.counted[name][0].codes[records] for name in names],
        None if table.unit is None else table.unit[records],
        None if table.weights is None else table.weights[records],
    )
    sensitive = [column for column in table.compiled.problem.sensitive if column.name in names]
    return measure(tally, sensitive, missing=table.policy.missing)


@dataclass(frozen=True)
class Extent:
    """How private the least private class is, and how much the worst one loses."""

    privacy: Mapping[str, Any]
    """`k`, people in the smallest class, and `l` of the sensitive column, by column if several."""
    max_class_ncp: float
    """The largest share (NCP) that a class loses, 0..1."""
    bound_met: bool | None
    """Whether every class is within what the policy allows it to lose; None if it allows all."""


def extent_of(prepared: Prepared, risk: Risk) -> Extent:
    """What the rows that leave reach; where quasi-identifiers are exact, l is that of classes."""
    policy, outcome = prepared.table.policy, prepared.outcome
    reached: dict[str, float | None]
    if policy.show == "permutation":
        reached = {name: LDiversity(name, 1).achieved(outcome.classes) for name in policy.sensitive}
    else:
        reached = {name: risk.sensitive[name].l["frequency"] for name in policy.sensitive}
    l = reached if len(reached) > 1 else next(iter(reached.values()), None)
    largest = float(ncp_of_classes(outcome).max(initial=0.0))
    return Extent({"k": int(risk.k), "l": l}, largest, _bound_met(policy, largest))


def _bound_met(policy: Policy, largest: float) -> bool | None:
    """Limits of columns were seen to by verification: rows that break one are no release."""
    most = getattr(policy.search, "max_loss", None)
    limited = any(c.highest is not None or c.widest is not None for c in policy.columns.values())
    if most is None and not limited:
        return None
    return most is None or largest <= most + ROUNDING


def attest(
    prepared: Prepared,
    seen: Seen,
    verdicts: Sequence[Verdict],
    digests: tuple[Digest, str],
    created: str,
) -> Certificate:
    """The certificate of these rows; `digests` are of what holds them, and of the rows alone."""
    table, found = prepared.table, prepared.found
    policy = written(table.policy)
    shares = distinct_shares(seen.rows, table.policy)
    return Certificate(
        created=created,
        versions=versions(),
        policy=policy,
        policy_sha256=digest_of_policy(policy),
        digest=digests[0],
        models=tuple(Attested(**asdict(verdict)) for verdict in verdicts),
        loss=_losses(prepared, seen),
        search=found.search,
        optimal=found.optimal,
        why=found.why,
        suppressed=_left_out(prepared),
        records_in=len(table.rows),
        records_out=len(seen.rows),
        people=_people(prepared),
        classes=seen.crowds.number,
        blank=table.text,
        seed=Seed(search=_search_seed(table), order=prepared.order, given=not prepared.drawn),
        spread=spreads(table, seen.rows),
        unchanged=shares,
        world=None if table.against is None else table.against.opposed,
        assumptions=(
            *assumptions(table.policy, prepared.order, seeded=not prepared.drawn),
            *cautions(shares, len(seen.rows)),
        ),
        kinds={name: table.kinds[name] for name in table.reference},
        rows_sha256=digests[1],
    )


def _losses(prepared: Prepared, seen: Seen) -> dict[str, float]:
    """All figures; those that count classes count what the rows show, as a reader does."""
    loss = prepared.table.policy.loss
    every = figures(prepared.outcome, loss)
    records = len(prepared.table.compiled.tally_records)
    return every | of_sizes(np.bincount(seen.crowds.class_of), records)


def _search_seed(table: Table) -> int | None:
    """The seed of the search; one that draws keeps its seed to itself."""
    return None if getattr(table.policy.search, "draws", False) else table.compiled.problem.seed


def _left_out(prepared: Prepared) -> LeftOut:
    records = len(prepared.table.rows)
    gone = records - len(prepared.leaving.records)
    missing = prepared.table.compiled.left_out_missing
    return LeftOut(records=gone, share=gone / max(records, 1), for_missing=missing)


def _people(prepared: Prepared) -> int:
    """Different people among the records that leave; one without a unit is a person."""
    records = prepared.leaving.records
    if prepared.table.unit is None:
        return len(records)
    unit = prepared.table.unit[records]
    return len(np.unique(unit[unit > 0])) + int((unit == 0).sum())


def spreads(table: Table, rows: pl.DataFrame) -> dict[str, Spread]:
    """What is needed to measure t-closeness again from the release alone."""
    names = {model.columns[0] for model in table.policy.models if model.name == "t-closeness"}
    return {
        name: Spread(
            people=tuple(reference.people.tolist()),
            places=tuple(_places(reference, rows[name])),
            maps=None if reference.maps is None else tuple(map(tuple, reference.maps.tolist())),
        )
        for name, reference in table.reference.items()
        if name in names
    }


def _places(reference: Reference, column: pl.Series) -> list[int]:
    places: list[int] = reference.places(numbered(column).labels.to_list()).tolist()
    return places
