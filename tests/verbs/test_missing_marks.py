"""A policy's marks of missing values mean the same in every verb: what real blanks would mean."""

import json
import re
from dataclasses import replace

import duckdb
import numpy as np
import polars as pl
import pytest

import incrowd
from incrowd.cli.main import perform
from incrowd.errors import InputError
from incrowd.models import KAnonymity, LDiversity
from incrowd.policy.policy import Column, Policy
from incrowd.web import jobs
from incrowd.web.work import releases
from incrowd.web.work.state import WorkerState
from page_levels import at_levels

MARKS = {"age": -8, "region": "XX", "income": 99, "illness": "XX", "visits": 999}
"""The mark of each column: its own (numbers), or that of the whole policy (XX)."""
POLICY = Policy(
    columns={
        "age": Column(role="quasi", missing_values=("-8",)),
        "region": Column(role="quasi"),
        "income": Column(role="sensitive", missing_values=("99",)),
        "illness": Column(role="sensitive"),
        "visits": Column(role="keep", missing_values=("999",), alone="accept"),
        "weight": Column(role="weight", derived="accept", alone="accept"),
    },
    models=(KAnonymity(3), LDiversity("illness", 1.5)),
    missing_values=("", "XX"),
    suppression=0.2,
)


def made(*, blank, rows=160, seed=11):
    """A table whose missing values are blank, or marked; otherwise the same."""
    rng = np.random.default_rng(seed)
    columns = {
        "age": rng.integers(20, 60, rows),
        "region": rng.choice(["north", "south", "west"], rows),
        "income": rng.integers(10, 30, rows),
        "illness": rng.choice(["flu", "cold", "none"], rows),
        "visits": rng.integers(0, 4, rows),
    }
    frame = pl.DataFrame(columns)
    for name, mark in MARKS.items():
        gone = pl.Series(rng.random(rows) < (0.5 if name == "income" else 0.15))
        cell = pl.lit(None) if blank else pl.lit(mark)
        frame = frame.with_columns(pl.when(gone).then(cell).otherwise(pl.col(name)).alias(name))
    return frame.with_columns(weight=pl.Series(rng.choice([1.0, 2.5], rows)))


class Scene:
    """A table and its release, with blanks or with marks, in files."""

    def __init__(self, folder, suffix, *, blank):
        self.folder = folder
        self.table, self.release = folder / f"table{suffix}", folder / f"release{suffix}"
        self.certificate = folder / f"release{suffix}.certificate.json"
        frame = made(blank=blank)
        frame.write_csv(self.table) if suffix == ".csv" else frame.write_parquet(self.table)
        incrowd.anonymize(self.table, POLICY, self.release, seed=1)
        (folder / "policy.toml").write_text(POLICY.dumps())


@pytest.fixture(scope="module", params=[".csv", ".parquet"])
def scenes(request, tmp_path_factory):
    return [
        Scene(tmp_path_factory.mktemp(name), request.param, blank=name == "blank")
        for name in ("marked", "blank")
    ]


def alike(scenes, answer):
    marked, blank = map(answer, scenes)
    assert marked == blank
    return marked


@pytest.mark.slow
def test_the_releases_are_alike(scenes):
    loss = alike(scenes, lambda s: json.loads(s.certificate.read_text())["loss"])
    assert loss["gcp"] > 0


def test_attack(scenes):
    def answer(s):
        found = incrowd.attack(s.release, original=s.table, policy=POLICY, max_size=1)
        return [(a.goal, a.knows, a.rate, a.baseline, dict(a.figures)) for a in found.attacks]

    found = alike(scenes, answer)
    assert {goal for goal, *_ in found} >= {"inference of income", "inference of illness"}


def test_attack_with_a_world_and_without_an_original(scenes):
    def answer(s):
        found = incrowd.attack(s.release, world=s.table, policy=POLICY)
        return found.k_world, [(a.goal, a.knows, a.rate, a.baseline) for a in found.attacks]

    alike(scenes, answer)


def test_attack_by_the_policy_of_the_certificate(scenes):
    def answer(s):
        found = incrowd.attack(s.release, original=s.table, certificate=s.certificate)
        return [(a.goal, a.rate, a.baseline) for a in found.attacks]

    alike(scenes, answer)


def test_compare(scenes):
    def answer(s):
        found = incrowd.compare(s.table, s.release, policy=POLICY, models=False)
        (release,) = found.releases
        return found.risk, release.losses, release.risk, release.columns, release.pairs

    assert alike(scenes, answer)[1]


def test_check(scenes):
    def answer(s):
        found = incrowd.check(s.release, POLICY, s.certificate, original=s.table)
        assert found.ok, found.notes
        return found.models, dict(found.losses), found.recounted, found.claimed

    alike(scenes, answer)


@pytest.mark.slow
def test_report(scenes):
    def answer(s):
        facts = incrowd.report(s.release, None, POLICY, s.certificate, original=s.table).facts
        attacks = [] if facts.attacks is None else facts.attacks.attacks
        return (
            [(m.name, m.reached) for m in facts.verdict.models],
            repr((facts.risk, facts.exposure, facts.sizes, facts.curve, facts.diversity)),
            attacks,
            repr(facts.columns),
            None if facts.utility is None else facts.utility.losses,
        )

    alike(scenes, answer)


def test_risk_of_columns_with_the_marks_of_the_whole_table(scenes):
    def answer(s):
        found = incrowd.risk(s.table, quasi=["region"], missing_values=["XX"])
        return repr(found)

    alike(scenes, answer)


def test_the_page(scenes):
    def answer(s):
        table = jobs.TableFile(str(s.table), folder=str(s.folder))
        policy = POLICY.dumps()
        asked = at_levels(table, policy, {"age": 1, "region": 0})
        attack = jobs.AttackRelease(release=str(s.release), table=table, policy=policy)
        compare = jobs.CompareReleases(table=table, policy=policy, releases=(str(s.release),))
        shown = [
            releases.attack_release(WorkerState(), attack, tell).html,
            releases.compare_releases(WorkerState(), compare, tell).html,
        ]
        return replace(asked, seconds=0), [re.sub(r"\s+", " ", text) for text in shown]

    alike(scenes, answer)


def tell(*_):
    pass


def test_the_commands(scenes, capsys):
    def answer(s):
        release, table = str(s.release), str(s.table)
        policy = ["--policy", str(s.folder / "policy.toml"), "--json"]
        perform(["attack", release, "--original", table, *policy])
        attacks = json.loads(capsys.readouterr().out)["attacks"]
        perform(["compare", table, release, *policy, "--no-models"])
        losses = json.loads(capsys.readouterr().out)["releases"][0]["losses"]
        return attacks, losses

    alike(scenes, answer)


@pytest.mark.slow
def test_usual_marks_in_a_text_file_of_numbers(tmp_path):
    def answer(mark):
        frame = made(blank=True).with_columns(pl.col("income").cast(pl.String).fill_null(mark))
        table, release = tmp_path / f"table{mark}.csv", tmp_path / f"release{mark}.csv"
        frame.write_csv(table)
        incrowd.anonymize(table, POLICY, release, seed=1)
        found = incrowd.attack(release, original=table, policy=POLICY)
        return [(a.goal, a.rate, a.baseline) for a in found.attacks]

    assert answer("NA") == answer("")


@pytest.mark.parametrize("mark", ["99", "XX"])
def test_a_marked_weight_is_refused_as_a_blank_one_is(tmp_path, mark):
    frame = made(blank=False).with_columns(pl.col("weight").cast(pl.String))
    first = pl.int_range(pl.len()) < 4
    asked = POLICY.model_copy(
        update={
            "columns": {**POLICY.columns, "weight": Column(role="weight", missing_values=("99",))}
        }
    )
    for cell in (mark, None):
        path = tmp_path / "table.csv"
        marked = pl.when(first).then(pl.lit(cell)).otherwise(pl.col("weight")).alias("weight")
        frame.with_columns(marked).write_csv(path)
        with pytest.raises(
            InputError, match=r"weight column 'weight' holds 4 values that are missing"
        ):
            incrowd.anonymize(path, asked)


def ratios_of(found):
    return found.records, [(one.columns, one.ratios) for one in found.sets], found.best.ratios


@pytest.mark.parametrize("drawn", [False, True], ids=["all", "sampled"])
def test_discover(scenes, drawn):
    def answer(s):
        more = {"exact": False, "sample": 60, "seed": 3} if drawn else {}
        return ratios_of(incrowd.discover(s.table, policy=POLICY, ratio=0.2, **more))

    records, sets, best = alike(scenes, answer)
    assert records == 160
    assert sets
    assert best.classes < best.records or drawn


def test_discover_in_a_stream(scenes):
    def answer(s):
        frame = pl.read_csv(s.table) if s.table.suffix == ".csv" else pl.read_parquet(s.table)
        pieces = iter([frame[:70], frame[70:]])
        return ratios_of(incrowd.discover(pieces, policy=POLICY, ratio=0.2, sample=100, seed=1))

    alike(scenes, answer)


def test_discover_elsewhere(scenes, monkeypatch):
    monkeypatch.setattr("incrowd.verbs.tables.FEW_RECORDS", 10)
    found = alike(
        scenes,
        lambda s: ratios_of(
            incrowd.discover(f"duckdb:{file_of(s)}::people", policy=POLICY, ratio=0.2, sample=100)
        ),
    )
    assert found[0] == 160


def file_of(scene):
    """The table of a scene in a file of DuckDB."""
    path = scene.folder / f"{scene.table.suffix[1:]}.duckdb"
    read = f"read_{scene.table.suffix[1:]}('{scene.table}')"
    with duckdb.connect(path) as base:
        base.execute(f"CREATE OR REPLACE TABLE people AS FROM {read}")
    return path


def test_groups_and_named_sets(scenes):
    def answer(s):
        groups = incrowd.groups(s.table, 3, policy=POLICY)
        judged = incrowd.judge_sets(["age", "region"], s.table, population=1e4, policy=POLICY)
        return groups.sets, groups.people, [(one.test, one.ratios) for one in judged.sets]

    assert alike(scenes, answer)[0]


@pytest.mark.parametrize("kind", ["frame", "stream", "file", "duckdb"])
def test_marks_and_blanks_tell_nobody_apart(kind, tmp_path, monkeypatch):
    """Marks beside blanks: as values they would be two, read by the policy they are one."""
    monkeypatch.setattr("incrowd.verbs.tables.FEW_RECORDS", 2)
    ages, regions = [30, 30, None, -8, None, -8], ["north", "north", None, "XX", "XX", None]
    frame = pl.DataFrame({"age": ages, "region": regions})
    source = frame
    if kind == "stream":
        source = iter([frame[:3], frame[3:]])
    elif kind != "frame":
        source = tmp_path / "table.csv"
        frame.write_csv(source)
    if kind == "duckdb":
        with duckdb.connect(tmp_path / "base.duckdb") as base:
            base.execute(f"CREATE TABLE people AS FROM read_csv('{source}')")
        source = f"duckdb:{tmp_path / 'base.duckdb'}::people"
    found = incrowd.discover(source, ["age", "region"], policy=POLICY, ratio=0.1, sample=5)
    assert (found.best.ratios.classes, found.records) == (2, 6)
    if kind in {"frame", "file", "duckdb"}:
        assert incrowd.groups(source, 2, ["age", "region"], policy=POLICY).sets[0].smallest == 2
        (judged,) = incrowd.judge_sets(
            ["age", "region"], source, population=100, policy=POLICY
        ).sets
        assert judged.ratios.classes == 2


def test_discover_looks_at_what_leaves(tmp_path):
    policy = Policy(
        columns={
            "id": Column(role="identifier"),
            "note": Column(role="drop"),
            "age": Column(role="quasi"),
            "person": Column(role="unit"),
        },
        models=(KAnonymity(2),),
    )
    frame = pl.DataFrame(
        {"id": [1, 2, 3], "note": [4, 5, 6], "age": [1, 1, 2], "person": [7, 7, 8]}
    )
    (tmp_path / "policy.toml").write_text(policy.dumps())
    found = incrowd.discover(frame, policy=tmp_path / "policy.toml", ratio=0.5)
    assert found.best.columns == ("age",)
    assert incrowd.groups(frame, 1, policy=policy).people == 2
    named = incrowd.discover(frame, ["id", "age"], policy=policy, ratio=0.5)
    assert [one.columns for one in named.sets] == [("id",), ("age",)]


def test_discover_by_a_policy_on_the_command_line(scenes, capsys):
    def answer(s):
        policy = str(s.folder / "policy.toml")
        assert perform(["discover", str(s.table), "-p", policy, "--ratio", "0.2", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        return found["sets"], found["best"]

    alike(scenes, answer)
