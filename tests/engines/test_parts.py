"""Large tables in a database are released part by part, with the promises of the whole."""

import pickle

import numpy as np
import polars as pl
import pytest

import incrowd
import incrowd.release.parts as by_parts
from incrowd.datasets import hospital
from incrowd.engines.duckdb import engine_of
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InfeasibleError, InputError, PolicyError
from incrowd.policy.policy import Column, Policy
from incrowd.release.parts import part_release_of
from incrowd.search import Crowd
from incrowd.watch import Watch

duckdb = pytest.importorskip("duckdb")

QUASI = ("birth_date", "zip", "sex")
LOCAL = Crowd(effort=0)
"""Parts are made and joined the same way however well each is searched."""


def table_of(records):
    rows = pl.int_range(pl.len())
    return hospital(records, seed=4).with_columns(
        pl.when(rows % 41 != 0).then(pl.col("sex")).alias("sex"),
        (rows % (records * 19 // 40)).cast(pl.String).alias("who"),
        (rows % 7).cast(pl.Float64).alias("visits"),
    )


def relation_of(frame):
    connection = duckdb.connect()
    connection.register("given", frame.to_arrow())
    connection.execute("CREATE TABLE people AS SELECT * FROM given")
    return connection.table("people")


@pytest.fixture(scope="module")
def people():
    return table_of(2_000)


@pytest.fixture
def relation(people):
    return relation_of(people)


def parts_of(monkeypatch, records):
    """Let parts have about so many records."""
    monkeypatch.setattr(by_parts, "ABOVE", 1_000)
    monkeypatch.setattr(by_parts, "PART", records)
    monkeypatch.setattr(by_parts, "_FILLED", 5)
    monkeypatch.setattr(by_parts.part_release_of, "__defaults__", (1_000,))


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    parts_of(monkeypatch, 350)


def policy_of(people, *, unit=False, **more):
    roles = dict.fromkeys(people.columns, Column(role="drop"))
    roles |= {name: Column(role="quasi") for name in QUASI}
    roles["diagnosis"] = Column(role="sensitive")
    roles["visits"] = Column(role="keep", derived="accept", alone="accept")
    if unit:
        roles["who"] = Column(role="unit")
    models = more.pop("models", (incrowd.KAnonymity(4),))
    return Policy(columns=roles, models=models, **more)


REQUESTS = {
    "k": {},
    "auto": {"search": "auto"},
    "l": {"models": (incrowd.KAnonymity(4), incrowd.LDiversity("diagnosis", 2))},
    "t": {"models": (incrowd.KAnonymity(4), incrowd.TCloseness("diagnosis", 0.5))},
    "people": {"unit": True},
    "consistent": {"consistent": True},
    "suppression": {"suppression": 0.05},
    "missing suppressed": {"missing": "suppress"},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", REQUESTS)
def test_a_release_in_parts_keeps_its_promises(people, relation, name, tmp_path):
    policy = policy_of(people, **({"search": LOCAL} | REQUESTS[name]))
    target = tmp_path / "release.parquet"
    assert part_release_of(engine_of(relation), policy) is not None
    release = incrowd.anonymize(relation, policy, target, seed=3)
    assert "parts" in release.why
    assert [model.ok for model in release.models] == [True] * len(policy.models)
    assert release.records + release.suppressed == len(people)
    found = incrowd.check(target, policy, f"{target}.certificate.json", original=people)
    assert found.ok, found.notes


@pytest.mark.thorough
@pytest.mark.parametrize("name", REQUESTS)
def test_a_release_in_parts_loses_hardly_more(name, monkeypatch):
    parts_of(monkeypatch, 700)
    many = table_of(4_000)
    policy = policy_of(many, **({"search": "crowd"} | REQUESTS[name]))
    mine = incrowd.anonymize(relation_of(many), policy, seed=3)
    theirs = incrowd.anonymize(many, policy, seed=3)
    assert "parts" in mine.why
    # People whose records differ widely, as here, are put into one part with all of them.
    assert mine.loss["gcp"] <= (2.0 if policy.unit else 1.15) * theirs.loss["gcp"]


@pytest.mark.slow
def test_what_leaves_as_it_is_stays_with_its_record(people, relation, tmp_path):
    policy = policy_of(people, search=LOCAL)
    incrowd.anonymize(relation, policy, tmp_path / "r.parquet", seed=1)
    released = pl.read_parquet(tmp_path / "r.parquet")
    pair = ["diagnosis", "visits"]
    assert released.select(pair).sort(pair).equals(people.select(pair).sort(pair))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_rows(people):
    some = relation_of(people.head(1_200))
    policy = policy_of(people, search="crowd")
    one, same = (incrowd.anonymize(some, policy, seed=7).frame.pl() for _ in range(2))
    assert one.equals(same)


@pytest.mark.slow
def test_a_job_can_be_sent_to_another_process_and_answers_the_same(people, relation, monkeypatch):
    jobs = []

    def caught(*given):
        jobs.append(given[3])
        raise InfeasibleError("enough")

    engine = type(engine_of(relation))
    monkeypatch.setattr(engine, "stage_parts", caught)
    with pytest.raises(InfeasibleError):
        incrowd.anonymize(relation, policy_of(people, search="crowd"), seed=1)
    (job,) = jobs
    rng = np.random.default_rng(0)
    sizes = [len(column.frequency) for column in job.problem.columns]
    codes = {f"k{j}": rng.integers(1, size, 300) for j, size in enumerate(sizes)}
    codes |= {f"k{len(sizes)}": np.ones(300)}
    rows = pl.DataFrame({"row": np.arange(300), "u": np.zeros(300), **codes})
    again = pickle.loads(pickle.dumps(job))
    assert job(3, rows).equals(again(3, rows))
    assert not job(3, rows).equals(job(4, rows))


def test_what_cannot_be_done_in_parts_is_done_as_a_whole(people, relation):
    engine = engine_of(relation)
    plain = policy_of(people, search="crowd")
    assert part_release_of(engine, plain) is not None
    assert part_release_of(MemoryEngine(people), plain) is None
    assert part_release_of(engine, plain, len(people)) is None
    for more in (
        {"search": "lattice"},
        {"show": "sets"},
        {"split_ends": True},
        {"missing": "matches-anything"},
        {"loss": "entropy"},
    ):
        assert part_release_of(engine, policy_of(people, **({"search": "crowd"} | more))) is None


def test_a_gap_is_refused(people, relation):
    with pytest.raises(PolicyError, match="parts"):
        incrowd.anonymize(relation, policy_of(people, search="crowd"), seed=1, gap="estimate")


def test_parts_that_cannot_stand_alone_are_joined():
    from incrowd.release.parts import _group_parts

    class Size:
        columns = ()

        def smallest_class(self):
            return 4

    problem = type("P", (), {"models": (Size(),)})()
    part = np.array([0, 1, 2, 3, 4])
    records = np.array([5, 30, 2, 40, 3])
    by_parts._can_satisfy, kept = (lambda *_: True), by_parts._can_satisfy
    try:
        assert _group_parts(problem, part, {}, records, 5).tolist() == [0, 0, 1, 1, 1]
    finally:
        by_parts._can_satisfy = kept


@pytest.mark.slow
def test_one_value_in_half_of_the_table(people):
    half = people.with_columns(
        pl.when(pl.int_range(pl.len()) % 2 == 0)
        .then(pl.lit(None))
        .otherwise(pl.col("zip"))
        .alias("zip")
    )
    connection = duckdb.connect()
    connection.register("given", half.to_arrow())
    release = incrowd.anonymize(
        connection.sql("SELECT * FROM given"), policy_of(half, search=LOCAL), seed=1
    )
    assert release.k >= 4
    assert release.records == len(half)


class CrashError(Exception):
    pass


def crashing(monkeypatch, after):
    """Jobs fail after so many parts; the numbers of those that were begun."""
    begun, call = [], by_parts.RecodingJob.__call__

    def job(self, part, rows):
        if len(begun) >= after:
            raise CrashError
        begun.append(part)
        return call(self, part, rows)

    monkeypatch.setattr(by_parts.RecodingJob, "__call__", job)
    return begun


@pytest.mark.slow
def test_after_a_crash_only_the_parts_that_are_missing_are_done(
    people, relation, tmp_path, monkeypatch
):
    monkeypatch.setattr(
        "incrowd.engines.duckdb_parts.in_threads", lambda tasks: [t() for t in tasks]
    )
    policy, target = policy_of(people, search=LOCAL), tmp_path / "r.parquet"
    with monkeypatch.context() as patch:
        first = crashing(patch, 3)
        with pytest.raises(InputError, match="cannot be searched"):
            incrowd.anonymize(relation, policy, target, resume=True)
    assert len(first) == 3
    assert not target.exists()
    folder = tmp_path / "r.parquet.parts"
    assert folder.stat().st_mode & 0o077 == 0
    with monkeypatch.context() as patch:
        second = crashing(patch, 100)
        release = incrowd.anonymize(relation, policy, target, resume=True)
    assert second
    assert not set(second) & set(first)
    assert release.records == len(people)
    assert [path.name for path in sorted(tmp_path.iterdir())] == [
        "r.parquet",
        "r.parquet.certificate.json",
    ]
    assert incrowd.check(target, policy, f"{target}.certificate.json", original=people).ok


@pytest.mark.slow
def test_parts_of_another_request_or_of_other_rows_are_not_used(
    people, relation, tmp_path, monkeypatch
):
    monkeypatch.setattr(
        "incrowd.engines.duckdb_parts.in_threads", lambda tasks: [t() for t in tasks]
    )
    target = tmp_path / "r.parquet"
    for models in ((incrowd.KAnonymity(4),), (incrowd.KAnonymity(5),)):
        with monkeypatch.context() as patch:
            begun = crashing(patch, 2)
            with pytest.raises(InputError, match="cannot be searched"):
                incrowd.anonymize(
                    relation, policy_of(people, models=models, search=LOCAL), target, resume=True
                )
        assert len(begun) == 2


def test_to_go_on_there_must_be_a_file(people, relation):
    with pytest.raises(PolicyError, match="file"):
        incrowd.anonymize(relation, policy_of(people), resume=True)


@pytest.mark.slow
def test_progress_is_the_share_of_the_records_that_are_done(people, relation):
    told = []
    watch = Watch(tell=lambda what, share: told.append((what, share)))
    incrowd.anonymize(relation, policy_of(people, search=LOCAL), seed=1, watch=watch)
    shares = [share for what, share in told if what.startswith("part ")]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    steps = np.diff([0.0, *shares]) * len(people)
    assert np.allclose(steps, steps.round())
    assert len(set(steps.round().tolist())) > 1
