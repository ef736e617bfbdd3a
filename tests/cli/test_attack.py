"""`incrowd attack`: exit codes, the document, the picture and bad input."""

from pathlib import Path

import pytest

from patients import MARK, QUICK, patients


@pytest.fixture
def release(incrowd, table):
    ids = [f"{MARK}-{i}" for i in range(40)]
    ages = [str(20 + i) for i in range(40)]
    table(ssn=ids, age=ages)
    said = incrowd("anonymize", "patients.csv", *QUICK, "--quiet", "--seed", "1")
    assert said.code == 0, said.err
    Path("truth.csv").write_text("ssn\n" + "\n".join(ids) + "\n")
    Path("voters.csv").write_text(patients(ssn=ids, age=ages).replace("zip", "zipcode", 1))
    return "release.csv"


WORLD = ("--world", "voters.csv", "--world-id", "ssn", "--rename", "zip=zipcode")


@pytest.mark.slow
def test_the_document(incrowd, release):
    said = incrowd("attack", release, *WORLD, "--knows", "age,zip,sex", "--json")
    assert said.code == 0
    document = said.document
    assert document["schema"] == "incrowd.attack/1"
    assert document["k_world"] >= 5
    assert document["inconsistent"] == 0
    for attack in document["attacks"]:
        assert attack.keys() >= {"kind", "knows", "success", "interval", "baseline"}
        assert attack["interval"][0] <= attack["success"] <= attack["interval"][1]
    assert MARK not in said.out + said.err


@pytest.mark.slow
def test_a_broken_limit_is_exit_code_1(incrowd, release):
    flags = ("attack", "patients.csv", *WORLD, "--original", "patients.csv", "-s", "diagnosis")
    said = incrowd(*flags, "--knows", "age,zip")
    assert said.code == 1
    assert "right about 40 people with a chance above 95 %" in said.out
    free = ("--knows", "age,zip", "--max-posterior", "1")
    assert incrowd(*flags, *free).code == 0
    assert incrowd(*flags, "--knows", "age,zip", "--max-people", "40").code == 0
    assert incrowd(*flags, *free, "--max-raise", "0.5").code == 1
    said = incrowd(*flags, *free, "--max-success", "0.1")
    assert said.code == 1
    assert "limits are broken" in said.out
    assert MARK not in said.out + said.err
    paper = ("--certificate", "release.csv.certificate.json")
    assert incrowd("attack", release, *WORLD, *paper).code == 0
    said = incrowd("attack", "patients.csv", *WORLD, *paper)
    assert said.code == 1
    assert "fewer than k = 5" in said.out


def test_a_policy_and_its_hierarchies(incrowd, release):
    assert incrowd("init", "patients.csv", "-o", "policy.toml", "--quiet").code == 0
    said = incrowd("attack", release, *WORLD, "--policy", "policy.toml", "--json")
    assert said.document["k_world"] >= 5
    tree = Path("trees")
    tree.mkdir()
    (tree / "zip.csv").write_text("".join(f"0213{i};x;*\n" for i in range(4)))
    flags = ("--hierarchies", "trees", "--hierarchy", "age=intervals:5", "--max-size", "1")
    said = incrowd("attack", release, *WORLD, *flags, "--json")
    assert {len(one["knows"]) for one in said.document["attacks"]} >= {1, 4}


@pytest.mark.slow
def test_two_releases_and_the_truth(incrowd, release):
    flags = ("--original", "patients.csv", "--other", "patients.csv", "-s", "diagnosis")
    said = incrowd("attack", release, *WORLD, *flags, "--truth", "truth.csv", "--json")
    assert said.code == 1, said.err
    assert any(line.startswith("releases by") for line in said.document["broken"])
    kinds = {attack["kind"] for attack in said.document["attacks"]}
    assert {"linkage", "row-order", "releases"} <= kinds
    assert incrowd("attack", release, *flags, "--quiet").out == ""


@pytest.mark.slow
def test_bad_input(refused, table):
    table(ssn=[f"{MARK}-{i}" for i in range(40)])
    Path("voters.csv").write_text("name\nx\n")
    attack = ("attack", "patients.csv")
    refused(2, *attack, "--world", "patients.csv", "--world-id", "nobody")
    refused(3, *attack, "--world", "voters.csv")
    refused(3, *attack, "--world", "nowhere.csv")
    refused(2, *attack, "--original", "-", "--world", "-")
    refused(2, *attack, "--rename", "zip")
    refused(2, *attack, "--rename", "zip=a", "--rename", "zip=b")
    refused(2, *attack, "--knows", "nothing")
    refused(2, *attack, "--truth", "patients.csv")
    refused(2, *attack, "--other", "patients.csv")
    refused(2, *attack, "--max-success", "2")
    refused(2, *attack, "--max-posterior", "2")
    refused(2, *attack, "--max-raise", "-1")
    refused(2, *attack, "--max-people", "-1")
    refused(2, *attack, "--listed", "2")
    refused(2, *attack, "--control", "patients.csv")
    refused(3, *attack, "--certificate", "voters.csv")


@pytest.mark.slow
def test_what_is_promised_of_every_world(incrowd, refused, release):
    told = ("attack", release, "--knows", "age,sex", "--promise", "sex,age,zip=700")
    said = incrowd(*told, "--json")
    assert said.document["k_proved"] == 700
    assert said.document["k_every_world"] >= 5
    said = incrowd(*told)
    assert "k in every world, whatever table somebody has: " in said.out
    assert "k by the promise about sex, age, zip: 700." in said.out
    said = incrowd("attack", release, "--knows", "age,sex", "--promise", "zip=700")
    assert "prove nothing here" in said.out
    for wrong in ("zip", "zip=", "=5", "zip=0", "zip=-3", "zip=many"):
        refused(2, "attack", release, "--promise", wrong)


def test_what_is_held_against_the_attacks_is_told(incrowd, release):
    table = ("--original", "patients.csv", "-s", "diagnosis", "--max-posterior", "0.99")
    said = incrowd("attack", release, *WORLD, *table, "--max-people", "40", "--listed", "1")
    assert said.code == 0, said.out
    assert "No limit is broken by " in said.out
    assert "At most 40 people are found, or their value learned, with a chance above 99 %" in (
        " ".join(said.out.split())
    )
    document = incrowd("attack", release, *WORLD, *table, "--max-success", "0.1", "--json").document
    assert document["limits"] == {
        "max_posterior": 0.99,
        "max_people": 0,
        "max_success": 0.1,
        "max_raise": 0.3,
    }
    assert document["k_with_release"] >= 5


def test_people_who_are_not_in_the_table(incrowd, release):
    others = patients(ssn=[f"other-{i}" for i in range(40)], age=[str(20 + i) for i in range(40)])
    Path("others.csv").write_text(others)
    flags = ("--original", "patients.csv", "--control", "others.csv", "-s", "diagnosis")
    said = incrowd("attack", release, *flags, "--world-id", "ssn", "--json")
    (control,) = [one for one in said.document["attacks"] if one["kind"] == "control"]
    assert control["figures"]["control_people"] == 40
    assert control["baseline"] == control["figures"]["control"]


def test_a_promise_that_the_world_breaks(refused, release):
    refused(3, "attack", release, *WORLD, "--promise", "zip=500")
