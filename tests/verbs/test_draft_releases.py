"""Drafts are used as they are: init, anonymize and check, with nothing edited in between."""

import collections
import json
import tomllib
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import incrowd
from incrowd.cli.main import main
from incrowd.datasets import correlated, hospital, visits
from incrowd.errors import InputError
from made_tables import MAKERS

THOROUGH = pytest.mark.thorough
SHIPPED = {
    "hospital": lambda: hospital(400, seed=3),
    "visits": lambda: visits(150, seed=3),
    "correlated": lambda: correlated(400, seed=3),
}
PRESETS = (None, "internal", "public-file", "hipaa-safe-harbor")
OFTEN = [("visits", None), ("visits", "hipaa-safe-harbor"), ("correlated", None)]
"""Tables and presets that `make test` tries, besides a hospital with every preset."""


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)

    def command(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([*arguments])
        said = capfd.readouterr()
        assert stop.value.code == 0, said.err
        return said.out

    return command


def released(run, frame, *flags):
    """The roles of a drafted policy, after a release was made with it and checked."""
    frame.write_csv("t.csv")
    run("init", "t.csv", "-o", "policy.toml", *flags)
    run("anonymize", "t.csv", "-p", "policy.toml", "-o", "r.csv", "--effort", "0")
    run("check", "r.csv", "--certificate", "r.csv.certificate.json")
    columns = tomllib.loads(Path("policy.toml").read_text())["columns"]
    return collections.Counter(column["role"] for column in columns.values())


def kept_something(roles):
    leaving = sum(roles[role] for role in ("quasi", "sensitive", "keep", "weight"))
    return leaving >= 2 and leaving * 2 >= sum(roles.values())


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, *(pytest.param(s, marks=THOROUGH) for s in (2, 11))])
@pytest.mark.parametrize("name", MAKERS)
def test_every_made_table_is_released_with_its_draft(run, name, seed):
    assert kept_something(released(run, MAKERS[name](np.random.default_rng(seed))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "preset"),
    [
        pytest.param(*case, marks=() if case[0] == "hospital" or case in OFTEN else THOROUGH)
        for case in product(SHIPPED, PRESETS)
    ],
)
def test_every_shipped_table_is_released_with_its_draft(run, name, preset):
    flags = () if preset is None else ("--preset", preset)
    assert kept_something(released(run, SHIPPED[name](), *flags))


def test_a_weight_that_singles_out_people_is_dropped_with_the_reason(run):
    MAKERS["household_survey"](np.random.default_rng(4)).write_csv("t.csv")
    run("init", "t.csv", "-o", "policy.toml")
    lines = Path("policy.toml").read_text().splitlines()
    place = lines.index("[columns.household_weight]")
    assert "would be alone for whoever knows it" in lines[place + 1]
    assert 'role = "drop"' in lines[place + 2]


def test_a_weight_that_singles_out_nobody_stays():
    draw = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "age": draw.integers(18, 80, 2000),
            "sex": draw.choice(["f", "m"], 2000),
            "sampling_weight": np.where(draw.random(2000) < 0.01, 2.0, 1.0),
        }
    )
    drafted = incrowd.draft(frame)
    assert drafted.policy.weight == "sampling_weight"
    assert incrowd.anonymize(frame, drafted.policy, seed=1).alone.together > 0


@pytest.mark.parametrize("people", [2, 3, 4])
def test_k_is_no_more_than_the_people(people, run):
    frame = pl.DataFrame({"age": [30 + i for i in range(people)], "pay": [1, 2, 3, 4][:people]})
    frame.write_csv("t.csv")
    document = json.loads(run("init", "t.csv", "--json"))
    assert f"k = {people}" in document["policy"]
    assert f"# the table holds {people} people" in document["policy"]
    assert incrowd.Policy.draft(frame).models[0].k == people
    assert incrowd.anonymize(frame, incrowd.draft(frame).policy).k == people


def test_one_person_cannot_hide():
    with pytest.raises(InputError, match="one person"):
        incrowd.draft(pl.DataFrame({"age": [30], "town": ["x"]}))


def test_what_all_records_of_a_person_share_is_no_function():
    """What is the same in all records of a person follows from nothing."""
    draw = np.random.default_rng(1)
    who = np.repeat(np.arange(80), 6)
    frame = pl.DataFrame(
        {
            "patient_id": [f"P{number:05}" for number in who],
            "age": draw.integers(18, 90, 80)[who],
            "zip": [f"{number:05}" for number in draw.integers(10_000, 10_500, 80)[who]],
            "diagnosis": draw.choice(["flu", "gout", "asthma"], 80)[who],
        }
    )
    assert incrowd.draft(frame).policy.sensitive == ("diagnosis",)
