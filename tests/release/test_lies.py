"""Whatever lies on the way from the search to the file is found out, and nothing is released."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evidence import made
from incrowd import pipeline as run
from incrowd.cli.main import perform
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import IncrowdError, InputError, NotMetError, boundary
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.io import tables
from incrowd.io.target import TargetFile
from incrowd.policy.policy import Policy
from incrowd.recoding.column_cells import ByClass
from incrowd.recoding.show.labels import ShowSpans
from incrowd.release.certificate import sha256_of
from incrowd.release.proof import ReleaseEvidence
from incrowd.verbs import check as checks
from incrowd.verify.shown import ShownColumn
from incrowd.verify.verify import Reference, see_release

N = 60
TABLE = {
    "age": [20 + i * 7 % 23 for i in range(N)],
    "height": [(1.5, 2.25, 3.0)[i % 3] for i in range(N)],
    "ill": ["abcd"[i * i % 7 % 4] for i in range(N)],
    "kept": ["xyz"[i % 3] for i in range(N)],
    "name": [f"name {i}" for i in range(N)],
    "number": [f"number {i}" for i in range(N)],
}
POLICY = """version = 1
suppression = 0.2
max_alone = 1
[[models]]
name = "k-anonymity"
k = 4
[[models]]
name = "t-closeness"
column = "ill"
t = 0.9
[columns.age]
role = "quasi"
[columns.height]
role = "quasi"
[columns.ill]
role = "sensitive"
[columns.kept]
role = "keep"
[columns.name]
role = "drop"
[columns.number]
role = "identifier"
action = "pseudonym"
"""
KEY = b"0123456789abcdef"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(TABLE).write_parquet("table.parquet")


def release(target="release.csv"):
    return run.anonymize("table.parquet", Policy.loads(POLICY), target, key=KEY, seed=1)


def text(name):
    return lambda frame: frame.with_columns(pl.Series(name, TABLE[name][: len(frame)]))


CHANGES = {
    "a column more": lambda frame: frame.with_columns(pl.Series("row", range(len(frame)))),
    "a dropped column": text("name"),
    "the identifier": text("number"),
    "a column less": lambda frame: frame.drop("height"),
    "a row less": lambda frame: frame[:-1],
    "a row more": lambda frame: pl.concat([frame, frame[:1]]),
    "another order": lambda frame: frame.sort("number"),
    "other values": lambda frame: frame.with_columns(pl.lit("a").alias("ill")),
}


@pytest.mark.parametrize("name", CHANGES)
def test_an_engine_that_releases_something_else(monkeypatch, name):
    honest = MemoryEngine.build_frame
    monkeypatch.setattr(MemoryEngine, "build_frame", lambda *given: CHANGES[name](honest(*given)))
    with pytest.raises(NotMetError):
        release()
    assert [path.name for path in Path().iterdir()] == ["table.parquet"]


@pytest.mark.parametrize("name", ["kept", "ill"])
def test_a_plan_that_changes_what_is_to_be_kept(monkeypatch, name):
    honest = ShowSpans.cells

    def changed(self, outcome, *given):
        labels = np.array([TABLE[name][0]] * len(outcome.classes), dtype=object)
        return honest(self, outcome, *given) | {name: ByClass(labels)}

    monkeypatch.setattr(ShowSpans, "cells", changed)
    with pytest.raises(NotMetError, match=f"keeps the column {name!r} as it is"):
        release()


def test_a_plan_that_does_not_know_whose_records_they_are(monkeypatch):
    honest = run.plan_rows
    monkeypatch.setattr(run, "plan_rows", lambda *given: replace(honest(*given), unit=None))
    policy = Policy.loads(POLICY.replace('"drop"', '"unit"'))
    with pytest.raises(NotMetError, match="does not show which"):
        run.anonymize("table.parquet", policy, "release.csv", key=KEY)


@pytest.mark.parametrize("name", CHANGES)
def test_a_writer_that_writes_something_else(monkeypatch, name):
    honest = tables.write
    monkeypatch.setattr(
        tables, "write", lambda frame, path, like: honest(CHANGES[name](frame), path, like)
    )
    with pytest.raises(NotMetError):
        release()
    assert [path.name for path in Path().iterdir()] == ["table.parquet"]


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("target", ["release.csv", "release.parquet"])
def test_a_file_that_is_altered_before_it_is_read_anew(monkeypatch, name, target):
    """What counts is what was read from the file, not what was to be in it."""
    honest = TargetFile.get
    monkeypatch.setattr(TargetFile, "get", lambda self: CHANGES[name](honest(self)))
    with pytest.raises(
        NotMetError, match=r"written release|columns of the policy|records may leave"
    ):
        release(target)
    assert [path.name for path in Path().iterdir()] == ["table.parquet"]


def test_numbers_spelled_so_that_every_row_is_another(monkeypatch):
    honest = tables.write

    def write(frame, path, like):
        honest(frame, path, like)
        lines = Path(path).read_text().splitlines()
        marked = [line.replace(".5,", f".5{'0' * i},") for i, line in enumerate(lines)]
        Path(path).write_text("\n".join(marked))

    monkeypatch.setattr(tables, "write", write)
    with pytest.raises(NotMetError):
        release()


def test_labels_that_are_too_fine(monkeypatch):
    honest = Hierarchy.show
    monkeypatch.setattr(
        Hierarchy,
        "show",
        lambda self, low, high, level, spans, lowest=0, grid=None: honest(  # noqa: ARG005  it lies
            self, low, low, np.zeros_like(level), spans, lowest=lowest
        ),
    )
    with pytest.raises(NotMetError):
        release()


def test_a_number_that_is_none_is_missing_in_a_text_file():
    costs = [float("nan") if i % 4 == 0 else float(i % 3) for i in range(N)]
    pl.DataFrame({**TABLE, "ill": costs, "height": costs}).write_parquet("table.parquet")
    release()

    assert "NaN" not in Path("release.csv").read_text()
    assert checks.check("release.csv", None, "release.csv.certificate.json").ok


def forged(**changes):
    """A certificate of the release in which something was changed, with the digest it needs."""
    release()
    paper = json.loads(Path("release.csv.certificate.json").read_text())
    for path, value in changes.items():
        *where, last = [int(key) if key.isdigit() else key for key in path.split("__")]
        place = paper
        for key in where:
            place = place[key]
        place[last] = value(place[last]) if callable(value) else value
    paper["policy_sha256"] = sha256_of(paper["policy"])
    Path("forged.json").write_text(json.dumps(paper))
    return checks.check("release.csv", Policy.loads(POLICY), "forged.json")


def test_an_honest_certificate():
    assert forged().ok


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [
        {"models__0__reached": 99.0},
        {"models__1__reached": 0.0},
        {"models__0__asked": 5.0},
        {"models": list.copy, "models__0__name": "alpha-k"},
        {"models": lambda models: models[:1]},
        {"records_in": 10**6},
        {"records_out": 1},
        {"people": 10**6},
        {"suppressed__records": 50},
        {"suppressed__for_missing": 1},
        {"spread": {}},
        {"spread__ill__people": lambda people: [*people[:-1], people[-1] + 500]},
        {"spread__ill__people": lambda people: [0] * len(people)},
        {"spread__ill__places": lambda places: [1] * len(places)},
        {"spread__ill__maps": lambda _: [[0, 1, 1, 1, 1], [1, 1, 1, 1, 1]]},
    ],
)
def test_certificates_that_say_too_much(changes):
    assert not forged(**changes).ok


@pytest.mark.parametrize("policy", [{}, {"columns": 3}, {"columns": {"age": {}}}])
def test_certificates_of_no_policy(policy):
    with pytest.raises(InputError):
        forged(policy=policy)
    with pytest.raises(InputError):
        checks.check("release.csv", None, "forged.json")


def test_people_that_a_certificate_attests_are_enough_people():
    policy = Policy.loads(POLICY.replace('"drop"', '"unit"'))
    run.anonymize("table.parquet", policy, "release.csv", key=KEY)
    paper = json.loads(Path("release.csv.certificate.json").read_text())
    assert checks.check("release.csv", policy, "release.csv.certificate.json").ok
    for reached in (1.0, 10.0**6):
        paper["models"][0]["reached"] = reached
        Path("forged.json").write_text(json.dumps(paper))
        assert not checks.check("release.csv", policy, "forged.json").ok


class PanicException(BaseException):
    """What an engine in Rust raises when it gives up."""


def test_an_engine_that_panics_says_nothing():
    with pytest.raises(IncrowdError) as failure, boundary(InputError("it cannot be read")):
        raise PanicException("a cell")
    assert failure.value.__context__ is None
    with pytest.raises(KeyboardInterrupt), boundary(InputError("it cannot be read")):
        raise KeyboardInterrupt


def test_what_holds_cells_does_not_show_them():
    held = made("table.parquet", Policy.loads(POLICY), "release.csv", key=KEY, seed=1)
    reference = next(iter(held.table.reference.values()))
    assert isinstance(reference, Reference)
    every = [held.table, held.plan, held.staged, held.written, held.proof(), reference]
    evidence = ReleaseEvidence(held.table, held.staged, held.written)
    every += [see_release(evidence.rows.counts(held.table.policy.quasi), held.table.policy)]
    every += [
        evidence.rows,
        evidence.count_shown_and_held(("age",), "age"),
        held.staged.cell_pairs("number"),
    ]
    every += [ShownColumn.of("age", evidence.count_shown_and_held(("age",), "age"))]
    shown = "".join(map(repr, every))
    assert not any(cell in shown for cell in ("name 1", "number 1", "'a'", "'x'", "[20"))


@pytest.mark.parametrize("target", ["policy.toml", "key"])
def test_the_policy_and_the_key_are_not_overwritten(target):
    Path("policy.toml").write_text(POLICY)
    Path("key").write_bytes(KEY)
    read = ["--policy", "policy.toml", "--key-file", "key"]
    assert perform(["anonymize", "table.parquet", *read, "-o", target]) == 2
    assert Path("policy.toml").read_text() == POLICY
    assert Path("key").read_bytes() == KEY
