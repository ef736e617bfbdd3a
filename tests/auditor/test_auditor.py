"""The auditor: one readable file without dependencies that counts what `check` counts."""

import ast
import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

import incrowd
from incrowd import auditor
from incrowd.datasets import hospital

ROOT = Path(__file__).parents[2]
FILE = ROOT / "src" / "incrowd" / "auditor.py"
sys.path.insert(0, str(ROOT))


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audited")
    table = hospital(300, seed=5).select("birth_date", "zip", "sex", "diagnosis", "stay")
    models = [
        {"name": "k-anonymity", "k": 4},
        {"name": "l-diversity", "column": "diagnosis", "l": 2},
        {"name": "t-closeness", "column": "stay", "t": 0.6, "distance": "ordered"},
    ]
    roles = {"birth_date": "quasi", "zip": "quasi", "sex": "quasi"}
    roles |= {"diagnosis": "sensitive", "stay": "sensitive"}
    columns = {name: {"role": role} for name, role in roles.items()}
    policy = incrowd.Policy.model_validate(
        {"models": models, "columns": columns, "suppression": 0.05, "search": "mondrian"}
    )
    incrowd.anonymize(table, policy, folder / "release.csv", seed=1)
    return folder / "release.csv", folder / "release.csv.certificate.json"


def test_it_is_one_short_file_of_the_standard_library():
    text = FILE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    for node in ast.walk(ast.parse(text)):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names


@pytest.mark.slow
def test_it_counts_what_check_counts(released):
    path, paper = released
    found = auditor.audit(path, paper)
    assert found["ok"], found["faults"]
    check = incrowd.check(path, certificate=paper)
    assert [one["counted"] for one in found["models"]] == [
        pytest.approx(one.reached, abs=1e-9) for one in check.models
    ]
    assert {"models", "classes", "records_out", "digest"} <= {*found["recounted"]}
    assert "loss.gcp" in found["not_recounted"]
    assert not {*found["recounted"]} & {*found["not_recounted"]}


def test_a_copy_runs_alone_and_shows_no_cell(released, tmp_path):
    path, _ = released
    copy = tmp_path / "auditor.py"
    copy.write_bytes(FILE.read_bytes())
    run = subprocess.run(
        [sys.executable, "-I", "-S", copy, path], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "keeps its policy" in run.stdout
    assert "k-anonymity: asked 4, counted" in run.stdout
    cells = {cell for cell in hospital(300, seed=5)["diagnosis"].to_list() if cell}
    assert not any(cell in run.stdout for cell in cells)


def _forged(paper, folder, change):
    said = json.loads(paper.read_text(encoding="utf-8"))
    change(said)
    path = folder / "forged.json"
    path.write_text(json.dumps(said), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said.update(records_out=said["records_out"] + 1),
        lambda said: said.update(people=said["people"] - 1),
        lambda said: said.update(classes=said["classes"] + 1),
        lambda said: said["models"][0].update(reached=50.0),
        lambda said: said["models"][1].update(reached=50.0),
        lambda said: said["models"][2].update(reached=0.0),
        lambda said: said["suppressed"].update(records=said["suppressed"]["records"] + 1),
        lambda said: said["loss"].update(discernibility=1.0),
        lambda said: said["digest"].update(sha256="0" * 64),
        lambda said: said["policy"]["models"][0].update(k=2),
        lambda said: said["policy"].update(suppression=0.9),
    ],
)
def test_a_forged_certificate_does_not_pass(released, tmp_path, change):
    path, paper = released
    assert not auditor.audit(path, _forged(paper, tmp_path, change))["ok"]


def test_a_changed_release_does_not_pass(released, tmp_path):
    path, paper = released
    copy = tmp_path / "release.csv"
    copy.write_text(path.read_text(encoding="utf-8").replace("female", "male", 1), encoding="utf-8")
    assert not auditor.audit(copy, paper)["ok"]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A release with columns that leave as they are."""
    folder = tmp_path_factory.mktemp("kept")
    table = hospital(300, seed=5).select("sex", "zip", "ward", "stay")
    roles = {"sex": "quasi", "zip": "quasi", "ward": "keep", "stay": "keep"}
    columns = {name: {"role": role, "alone": "accept"} for name, role in roles.items()}
    del columns["sex"]["alone"], columns["zip"]["alone"]
    models = [{"name": "k-anonymity", "k": 4}]
    policy = incrowd.Policy.model_validate({"models": models, "columns": columns})
    incrowd.anonymize(table, policy, folder / "release.csv", seed=1)
    return folder / "release.csv", folder / "release.csv.certificate.json"


def test_who_is_alone_by_kept_columns_is_counted(kept):
    found = auditor.audit(*kept)
    assert found["ok"], found["faults"]
    assert "alone" in found["recounted"]
    said = json.loads(kept[1].read_text(encoding="utf-8"))["alone"]
    assert said["together"] > max(said["columns"].values()) > 0


@pytest.mark.parametrize("place", ["together", "unaccepted", "limit", "ward"])
def test_other_shares_of_people_who_are_alone_do_not_pass(kept, tmp_path, place):
    def change(said):
        where = said["alone"]["columns"] if place == "ward" else said["alone"]
        where[place] += 0.01

    assert not auditor.audit(kept[0], _forged(kept[1], tmp_path, change))["ok"]


@pytest.mark.parametrize("change", ["fewer", "more"])
def test_other_values_than_the_certificate_counts_are_a_fault(released, tmp_path, capsys, change):
    path, paper = released
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    cells = [line.rsplit(",", 1) for line in lines]
    cells[0][1] = "98765"  # a stay that nobody had
    if change == "fewer":
        cells = [[other, cells[-1][1]] for other, _ in cells]
    copy = tmp_path / "release.csv"
    copy.write_text("\n".join([head, *map(",".join, cells)]) + "\n", encoding="utf-8")
    assert auditor.main([str(copy), str(paper)]) == 1
    said = capsys.readouterr().out
    assert "WRONG: t-closeness is not met: not recounted (the rows have another number of" in said
    assert "98765" not in said


OTHERS = (None, "x", -1, float("nan"), 10**400, [], {}, ["x"], "\ud800\x1b[2J")
NO_CERTIFICATE = "error: the certificate is not a JSON document that incrowd writes\n"


def _changed_everywhere(document, others):
    """Yield copies of a JSON document, each with one entry removed, or replaced by an other."""
    for place in [*document] if isinstance(document, dict) else range(len(document)):
        without = document.copy()
        kept = without.pop(place)
        yield without
        inner = _changed_everywhere(kept, others) if isinstance(kept, dict | list) else ()
        for other in (next(others), *inner):
            replaced = document.copy()
            replaced[place] = other
            yield replaced


def test_whatever_a_certificate_says_the_answer_is_a_sentence(released, tmp_path, capsys):
    said = json.loads(released[1].read_text(encoding="utf-8"))
    for unread in ("assumptions", "versions", "unchanged", "created", "seed"):
        said.pop(unread, None)
    said["policy"]["columns"] = {"stay": {"role": "sensitive"}, "sex": {"role": "quasi"}}
    said["policy"]["models"][1]["column"] = "stay"
    said["spread"]["stay"] |= {"places": [1], "people": [0, 1]}
    few, forged = tmp_path / "few.csv", tmp_path / "forged.json"
    few.write_text("sex,stay\nfemale,2\n", encoding="utf-8")
    for change in _changed_everywhere(said, itertools.cycle(OTHERS)):
        forged.write_text(json.dumps(change), encoding="utf-8")
        code = auditor.main([str(few), str(forged)])
        told = capsys.readouterr()
        assert (code, told.err) in {(1, ""), (3, NO_CERTIFICATE)}
        assert all(line.isprintable() for line in told.out.splitlines())


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "7", "null", '"x"', '{"schema": "incrowd.certificate/1"}', "[" * 99_999, "ÿ"],
)
def test_an_unusable_certificate_is_one_plain_sentence(released, tmp_path, capsys, text):
    nothing = tmp_path / "nothing.json"
    nothing.write_text(text, encoding="latin-1")
    assert auditor.main([str(released[0]), str(nothing)]) == 3
    assert capsys.readouterr().err == NO_CERTIFICATE


def test_files_that_cannot_be_read(released, tmp_path, capsys):
    path, paper = released
    nothing = tmp_path / "nothing.json"
    nothing.write_text("{}", encoding="utf-8")
    assert auditor.main([str(path), str(nothing)]) == 3
    assert auditor.main([str(tmp_path / "nowhere.csv"), str(paper)]) == 3
    torn = tmp_path / "torn.csv"
    torn.write_text("birth_date,zip,sex\n1,2\n", encoding="utf-8")
    assert auditor.main([str(torn), str(paper)]) == 3
    assert auditor.main([str(path), str(paper), "--json"]) == 0
    said = capsys.readouterr()
    assert said.err.count("error: ") == 3
    assert json.loads(said.out)["ok"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [11, pytest.param(12, marks=pytest.mark.thorough)])
def test_random_policies_agree(seed):
    from benchmarks.auditor import run

    tally = run(20, seed)
    assert tally.disagreements == []
    assert tally.counts["released"] >= 8
    assert tally.counts["models compared"] >= 50
