"""What `check` says: nothing false, and nothing of a certificate that was not looked at."""

import json
from pathlib import Path

import polars as pl
import pytest

import incrowd
from incrowd.cli.main import perform
from incrowd.policy.policy import Policy
from incrowd.release.certificate import Certificate
from incrowd.table.cells import rows_digest
from incrowd.table.column import Kind

N = 60
TABLE = {
    "age": [20 + i * 7 % 23 for i in range(N)],
    "sex": ["fm"[i % 2] for i in range(N)],
    "ill": ["abcd"[i * i % 7 % 4] for i in range(N)],
    "kept": [(1.5, 2.25, 3.0)[i % 3] for i in range(N)],
}
POLICY = """version = 1
suppression = 0.2
max_alone = 1
[[models]]
name = "k-anonymity"
k = 4
[[models]]
name = "l-diversity"
column = "ill"
l = 1.2
[columns.age]
role = "quasi"
[columns.sex]
role = "quasi"
[columns.ill]
role = "sensitive"
[columns.kept]
role = "keep"
"""
RELEASE, PAPER = "release.csv", "release.csv.certificate.json"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(TABLE).write_csv("table.csv")
    Path("policy.toml").write_text(POLICY)


def anonymize(target=RELEASE, **more):
    return incrowd.anonymize("table.csv", Policy.loads(POLICY), target, **more)


def paper(path=PAPER):
    return Certificate.from_json(Path(path).read_bytes())


def said(check):
    return " ".join(check.notes)


def swapped(frame):
    """Two rows exchange what they keep: the models see no difference."""
    kept = frame["kept"].to_list()
    other = next(i for i, value in enumerate(kept) if value != kept[0])
    kept[0], kept[other] = kept[other], kept[0]
    return frame.with_columns(pl.Series("kept", kept))


# A frame and the certificate of a file, or the other way round


def test_a_frame_that_was_read_from_the_certified_file_is_known():
    anonymize()
    found = incrowd.check(pl.read_csv(RELEASE), Policy.loads(POLICY), paper())
    assert found.digest_ok
    assert found.ok


def test_a_frame_that_was_changed_is_found_out():
    anonymize()
    found = incrowd.check(swapped(pl.read_csv(RELEASE)), Policy.loads(POLICY), paper())
    assert found.digest_ok is False
    assert not found.ok


def test_a_frame_changed_after_its_own_certificate_is_found_out():
    policy = Policy.loads(POLICY)
    release = incrowd.anonymize(pl.DataFrame(TABLE), policy)
    assert incrowd.check(release.frame, policy, release.certificate).ok
    found = incrowd.check(swapped(release.frame), policy, release.certificate)
    assert found.digest_ok is False
    assert not found.ok


def test_what_cannot_be_compared_is_not_called_good():
    anonymize()
    document = json.loads(Path(PAPER).read_text())
    document["rows_sha256"] = None
    old = Certificate.from_json(json.dumps(document))
    found = incrowd.check(pl.read_csv(RELEASE), Policy.loads(POLICY), old)
    assert found.digest_ok is None
    assert not found.ok


def test_the_digest_of_rows_does_not_depend_on_what_holds_them():
    frame = pl.DataFrame(
        {
            "n": [1.0, 2.5, None, 3.0],
            "t": ["x", "", "007", None],
            "b": [True, False, None, True],
            "d": pl.Series(["2020-01-01", "2020-02-03", None, "1999-12-31"]).str.to_date(),
            "w": [1, 2, 3, 12345678901234567],
        }
    )
    frame = frame.with_columns(pl.col("d").cast(pl.Datetime).alias("m"))
    frame.write_csv("frame.csv")
    frame.write_parquet("frame.parquet")
    read = [
        pl.read_csv("frame.csv", infer_schema=False),
        pl.read_parquet("frame.parquet"),
        pl.from_pandas(frame.to_pandas()),
    ]
    assert {rows_digest(one) for one in read} == {rows_digest(frame)}
    others = [
        frame.with_columns(pl.Series("t", ["x", "", "7", None])),
        frame.with_columns(pl.Series("n", [1.0, 2.5, None, 3.1])),
        frame.with_columns(pl.Series("n", [1.0, None, 2.5, 3.0])),
        frame[::-1],
        frame.rename({"n": "o"}),
        frame.with_columns(pl.Series("t", ["", "x", "007", None])),
    ]
    assert len({rows_digest(one) for one in [frame, *others]}) == len(others) + 1


# Notes that are true


def test_the_certificates_own_policy_is_no_other_policy():
    anonymize()
    found = incrowd.check(RELEASE, None, PAPER)
    assert found.ok
    assert "differs" not in said(found)
    assert "policy" in found.claimed
    assert "differs" not in said(incrowd.check(RELEASE, Policy.loads(POLICY), PAPER))
    other = Policy.loads(POLICY).model_copy(update={"time_limit": 7.0})
    found = incrowd.check(RELEASE, other, PAPER)
    assert "differs" in said(found)
    assert found.ok


@pytest.mark.parametrize(
    ("order", "seed", "words", "not_words"),
    [
        ("shuffle", None, "drawn at random", "seed"),
        ("shuffle", 5, "comes from a seed", "at random"),
        ("keep", 5, "that of the table", "at random"),
    ],
)
def test_a_certificate_says_where_the_order_comes_from(order, seed, words, not_words):
    policy = Policy.loads(POLICY)
    policy = policy.model_copy(update={"order": order})
    release = incrowd.anonymize(pl.DataFrame(TABLE), policy, seed=seed)
    sentences = [line for line in release.certificate.assumptions if "order of records" in line]
    assert len(sentences) == 1
    assert words in sentences[0]
    assert not_words not in sentences[0]
    assert incrowd.check(release.frame, policy, release.certificate).ok


def test_values_that_changed_places_by_a_seed_are_not_called_random():
    policy = Policy.loads(
        POLICY.replace('[[models]]\nname = "k-anonymity"\nk = 4\n', "")
        .replace(
            "suppression = 0.2", 'show = "permutation"\norder = "keep"\nclass_column = "class"'
        )
        .replace('role = "keep"', 'role = "drop"')
    )
    for seed, likely in ((None, True), (3, False)):
        release = incrowd.anonymize(pl.DataFrame(TABLE), policy, seed=seed)
        words = " ".join(release.certificate.assumptions)
        assert ("equally likely" in words) is likely
        assert incrowd.check(release.frame, policy, release.certificate).ok


# What is recounted, and what is claimed


def forged(**changes):
    document = json.loads(Path(PAPER).read_text())
    for path, value in changes.items():
        *where, last = path.split("__")
        place = document
        for key in where:
            place = place[key]
        place[last] = value(place[last]) if callable(value) else value
    Path("forged.json").write_text(json.dumps(document))
    return incrowd.check(RELEASE, Policy.loads(POLICY), "forged.json")


@pytest.mark.parametrize(
    "change",
    [
        {"classes": lambda n: n + 1},
        {"suppressed__share": lambda share: share + 0.01},
        {"loss__discernibility": lambda loss: loss - 1},
        {"loss__average_class": lambda loss: loss * 0.5},
        {"people": lambda n: n - 1},
        {"records_out": lambda n: n - 1},
        {"models": lambda models: [models[0] | {"reached": models[0]["reached"] - 1}, models[1]]},
        {"assumptions": lambda lines: lines[1:]},
        {"kinds": {"ill": "number"}, "classes": lambda n: n + 1},
    ],
)
def test_what_can_be_recounted_is(change):
    anonymize()
    assert forged().ok
    assert not forged(**change).ok


def test_the_rest_is_named_as_claimed(capsys):
    anonymize()
    found = incrowd.check(RELEASE, Policy.loads(POLICY), PAPER)
    assert {"classes", "records_out", "models", "people", "digest", "policy"} <= set(
        found.recounted
    )
    assert {"records_in", "loss.gcp", "search", "optimal", "why", "created"} <= set(found.claimed)
    document = json.loads(Path(PAPER).read_text())
    named = {name.partition(".")[0] for name in (*found.recounted, *found.claimed)}
    filled = {name for name, value in document.items() if value not in (None, {}, [])}
    assert named == filled - {"schema", "signature"}
    assert not set(found.recounted) & set(found.claimed)
    assert perform(["check", RELEASE, "--certificate", PAPER, "-p", "policy.toml", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["claimed"] == list(found.claimed)
    assert perform(["check", RELEASE, "--certificate", PAPER, "--details"]) == 0
    assert "loss.gcp" in capsys.readouterr().out


def test_people_of_a_unit_are_claimed():
    policy = Policy.loads(
        POLICY.replace('role = "keep"', 'role = "unit"').replace("k = 4", "k = 2")
    )
    release = incrowd.anonymize(pl.DataFrame(TABLE | {"kept": [i // 2 for i in range(N)]}), policy)
    found = incrowd.check(release.frame, policy, release.certificate)
    assert {"people", "models"} <= set(found.claimed)


# Spellings


SPELLED = ["1", "1.0", "1.00", "1.000"]
TEXTS = ["hiv", "HIV", "hiv ", " Hiv"]


def spelled(values):
    return "age,ill\n" + "".join(f"{30 + i // 8},{values[i % 4]}\n" for i in range(32))


def test_numbers_are_counted_by_value_by_both():
    Path("spelled.csv").write_text(spelled(SPELLED))
    quick = ["-q", "age", "-s", "ill", "-k", "4", "-l", "2"]
    assert perform(["check", "spelled.csv", *quick]) == 1
    assert perform(["anonymize", "spelled.csv", *quick, "-o", "out.csv"]) == 4
    policy = incrowd.quick(("age", "ill"), quasi=("age",), sensitive=("ill",), k=4, l=2)
    as_file = incrowd.check("spelled.csv", policy)
    assert [model.reached for model in as_file.models] == [8, 1]
    policy = policy.model_copy(
        update={
            "columns": policy.columns
            | {"ill": policy.columns["ill"].model_copy(update={"kind": Kind.TEXT})}
        }
    )
    assert incrowd.check("spelled.csv", policy).models[1].reached == 4


def test_texts_are_counted_as_written_and_a_note_says_so(capsys):
    Path("spelled.csv").write_text(spelled(TEXTS))
    quick = ["-q", "age", "-s", "ill", "-k", "4", "-l", "2"]
    assert perform(["check", "spelled.csv", *quick, "--json"]) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert any("3 values differ" in note and "'ill'" in note for note in notes)
    assert not any("hiv" in note.lower() for note in notes)
    assert perform(["anonymize", "spelled.csv", *quick, "-o", "out.csv", "--json"]) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert any("3 values differ" in note and "'ill'" in note for note in notes)
    assert perform(["check", "out.csv", "--certificate", "out.csv.certificate.json"]) == 0


def test_quasi_identifying_texts_that_differ_in_case_are_noted(capsys):
    lines = "".join(f"{('Zug', 'zug')[i % 2]},{i % 3}\n" for i in range(20))
    Path("towns.csv").write_text("town,ill\n" + lines)
    quick = ["-q", "town", "-s", "ill", "-k", "4"]
    assert perform(["anonymize", "towns.csv", *quick, "-o", "out.csv", "--json"]) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert any("1 value differs" in note and "quasi column 'town'" in note for note in notes)
    assert not any("zug" in note.lower() for note in notes)


# Hierarchical distances without a certificate


TREE = "a;x;*\nb;x;*\nc;y;*\nd;y;*\ne;y;*\n"


def hierarchical(t):
    return (
        POLICY.replace('name = "l-diversity"', 'name = "t-closeness"\ndistance = "hierarchical"')
        .replace("l = 1.2", f"t = {t}")
        .replace(
            '[columns.ill]\nrole = "sensitive"',
            '[columns.ill]\nrole = "sensitive"\nhierarchy = { name = "file", path = "ill.csv" }',
        )
    )


def test_without_a_certificate_distances_are_those_of_the_policys_tree():
    Path("ill.csv").write_text(TREE)
    Path("policy.toml").write_text(hierarchical(0.6))
    policy = incrowd.read_policy("policy.toml")
    incrowd.anonymize("table.csv", policy, RELEASE)
    with_it = incrowd.check(RELEASE, policy, PAPER)
    without = incrowd.check(RELEASE, policy)
    assert with_it.ok
    assert without.ok
    assert "values of ill come from the policy's hierarchy" in said(without)
    assert "values of ill come from the certificate" in said(with_it)
    assert without.models[1].reached == pytest.approx(with_it.models[1].reached)
    Path("policy.toml").write_text(hierarchical(0.0))
    assert not incrowd.check(RELEASE, incrowd.read_policy("policy.toml")).ok
    found = incrowd.check(pl.read_csv(RELEASE), policy)
    assert found.models[1].reached == pytest.approx(without.models[1].reached)


# An interrupted run


@pytest.mark.slow
def test_a_pair_that_was_torn_is_named():
    from incrowd.io.atomic import prefix_of

    anonymize()
    first = Path(PAPER).read_text()
    anonymize()
    Path(PAPER).write_text(first)
    intent = Path(f"{prefix_of(Path(RELEASE))}x.intent")
    intent.write_text("{}")
    found = incrowd.check(RELEASE, None, PAPER)
    assert not found.ok
    assert found.digest_ok is False
    assert "was killed" in said(found)
    anonymize()
    assert not intent.exists()
    assert incrowd.check(RELEASE, None, PAPER).ok


# Other files with the same rows, and files as they come


@pytest.mark.parametrize(
    "target", ["r.csv", "r.tsv", "r.csv.gz", "r.csv.zst", "r.parquet", "r.arrow", "r"]
)
def test_every_format_that_is_written_is_checked(target):
    anonymize(target)
    assert incrowd.check(target, Policy.loads(POLICY), f"{target}.certificate.json").ok
    assert incrowd.check(target, None, f"{target}.certificate.json").ok
    assert incrowd.check(target, Policy.loads(POLICY)).ok


@pytest.mark.parametrize("target", ["one.tsv", "one.csv", "one.tsv.gz"])
@pytest.mark.parametrize("values", [["a", "b"], ["1 x", "2 y"], ["", "b"]])
def test_a_table_of_one_column_is_checked(target, values):
    pl.DataFrame({"town": [values[i % 2] for i in range(20)]}).write_parquet("in.parquet")
    policy = incrowd.quick(("town",), quasi=("town",), k=4)
    incrowd.anonymize("in.parquet", policy, target)
    assert incrowd.check(target, policy, f"{target}.certificate.json").ok


def test_the_same_rows_in_another_file_are_named():
    anonymize()
    pl.read_csv(RELEASE, infer_schema=False).write_csv("other.csv", separator=";")
    found = incrowd.check("other.csv", Policy.loads(POLICY), PAPER)
    assert not found.ok
    assert "the bytes of the file do not" in said(found)
    swapped(pl.read_csv(RELEASE)).write_csv("changed.csv")
    found = incrowd.check("changed.csv", Policy.loads(POLICY), PAPER)
    assert not found.ok
    assert "the bytes of the file do not" not in said(found)
