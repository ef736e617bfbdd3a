"""What the four commands do when all is well."""

import io
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from patients import QUICK, patients, snapshot

COLUMNS = ("-q", "age,zip,sex", "-s", "diagnosis")


def release():
    return pl.read_csv("release.csv", infer_schema=False)


@pytest.fixture
def policy(incrowd, table):
    """A drafted policy for the table of patients."""
    assert incrowd("init", table(), "-o", "policy.toml", "--quiet").code == 0
    return "policy.toml"


def test_lists_take_commas_and_repetition(incrowd, table):
    one = incrowd("risk", table(), "-q", "age,zip", "-q", "sex", "--json").document
    other = incrowd("risk", "patients.csv", "--quasi", " age, zip, sex", "--json").document
    assert one == other


def test_a_name_with_a_comma_is_quoted(incrowd, table):
    text = patients().replace("age", '"age, years"', 1)
    said = incrowd("risk", table(text), "-q", '"age, years",zip', "--json")
    assert said.code == 0, said.err
    assert said.document["classes"] == 20


@pytest.mark.slow
def test_standard_input(here):
    command = [sys.executable, "-m", "incrowd.cli.main", "anonymize", "-", *QUICK, "--quiet"]
    done = subprocess.run(command, input=patients().encode(), capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(release()) == 40
    assert (here / "release.csv.certificate.json").exists()


def test_what_is_not_named_is_left_out_and_said(incrowd, table):
    said = incrowd("anonymize", table(note=["x"] * 40), *QUICK, "--json")
    assert "note" in said.err
    assert said.document["left_out"] == ["note"]
    assert release().columns == ["age", "zip", "sex", "diagnosis"]


def test_a_dry_run_writes_nothing(incrowd, table, here):
    table()
    before = snapshot(here)
    said = incrowd("anonymize", "patients.csv", *QUICK, "--dry-run", "--json")
    assert said.code == 0
    assert said.document["release"] is None
    assert snapshot(here) == before
    assert incrowd("anonymize", "patients.csv", *COLUMNS, "-k", "5", "--dry-run").code == 0


def test_one_seed_gives_one_release(incrowd, table):
    texts = []
    for seed in ("7", "7", "8"):
        assert incrowd("anonymize", table(), *QUICK, "--seed", seed).code == 0
        texts.append(Path("release.csv").read_text())
    assert texts[0] == texts[1] != texts[2]


def test_the_order_is_kept_on_request_with_a_warning(incrowd, table):
    ids = [str(i) for i in range(40)]
    kept = ("--keep", "row", "--accept-alone", "row", "--keep-order")
    said = incrowd("anonymize", table(row=ids), *QUICK, *kept)
    assert release()["row"].to_list() == ids
    assert "order" in said.err


def test_quiet_says_nothing(incrowd, table):
    said = incrowd("anonymize", table(note=["x"] * 40), *QUICK, "--quiet")
    assert (said.code, said.out, said.err) == (0, "", "")


def test_results_have_no_color_off_a_terminal(incrowd, table):
    assert "\x1b" not in incrowd("risk", table(), *COLUMNS).out


def test_the_way_of_a_policy(incrowd, policy):
    flags = ("--policy", policy)
    assert incrowd("anonymize", "patients.csv", *flags, "-o", "release.csv").code == 0
    paper = ("--certificate", "release.csv.certificate.json")
    assert incrowd("check", "release.csv", *flags, *paper).code == 0
    assert incrowd("check", "release.csv", *paper).code == 0
    assert incrowd("check", "release.csv", *COLUMNS, "-k", "2", *paper).code == 2
    said = incrowd("check", "patients.csv", *flags, *paper)
    assert said.code == 1
    assert "NOT" in said.out


def test_a_certificate_goes_where_it_is_told(incrowd, table, here):
    assert incrowd("anonymize", table(), *QUICK, "--certificate", "paper.json").code == 0
    assert (here / "paper.json").exists()
    assert not (here / "release.csv.certificate.json").exists()


def test_hierarchies_from_files_and_builders(incrowd, table, here):
    (here / "trees").mkdir()
    lines = "".join(f"0213{i};{'AB'[i // 2]};*\n" for i in range(4))
    (here / "trees" / "my_zip.csv").write_text(lines)
    flags = ("--hierarchies", "trees", "--hierarchy", "age=intervals:5", "--method", "lattice")
    said = incrowd("anonymize", table(), *QUICK, *flags, "--json")
    assert said.code == 0, said.err
    assert set(release()["zip"]) <= {"A", "B", "*"} | {f"0213{i}" for i in range(4)}


@pytest.mark.slow
def test_flags_beside_a_policy_are_told(incrowd, policy, here):
    (here / "zip.csv").write_text("".join(f"0213{i};x;*\n" for i in range(4)))
    flags = ("--policy", policy, "--hierarchy", "zip=zip.csv", "--loss", "granularity")
    said = incrowd("anonymize", "patients.csv", *flags, "-o", "release.csv")
    assert said.code == 0, said.err
    assert "loss, zip" in said.err
    assert incrowd("anonymize", "patients.csv", *flags, "-k", "3", "-o", "release.csv").code == 2


def test_a_draft_is_not_overwritten(incrowd, policy):
    Path(policy).write_text("mine")
    assert incrowd("init", "patients.csv", "-o", policy).code == 2
    assert Path(policy).read_text() == "mine"
    assert incrowd("init", "patients.csv", "-o", policy, "--force").code == 0
    assert "[columns.age]" in Path(policy).read_text()


def test_a_draft_never_takes_the_place_of_its_table(refused, table):
    said = refused(2, "init", table(), "-o", "patients.csv", "--force")
    assert "would overwrite the table" in said.err
    assert "names no file" in refused(2, "init", "patients.csv", "-o", "").err


def test_a_draft_goes_to_standard_output(incrowd, table):
    said = incrowd("init", table())
    assert said.code == 0
    assert "[columns.age]" in said.out


@pytest.mark.parametrize("preset", ["hipaa-safe-harbor", "public-file", "internal"])
def test_presets(incrowd, table, preset):
    said = incrowd("init", table(), "--preset", preset, "--json")
    assert said.code == 0, said.err
    assert incrowd("init", "patients.csv", "--preset", preset[:-1]).code == 2


def test_pseudonyms_need_a_key_from_outside(incrowd, table, here, monkeypatch):
    names = [f"person {i}" for i in range(40)]
    table(name=names)
    (here / "policy.toml").write_text(
        'version = 1\nmodels = [{ name = "k-anonymity", k = 5 }]\n[columns]\n'
        'age = { role = "quasi" }\nzip = { role = "quasi" }\nsex = { role = "quasi" }\n'
        'diagnosis = { role = "sensitive" }\nname = { role = "identifier", action = "pseudonym" }\n'
    )
    (here / "key").write_bytes(b"0123456789abcdef0123456789abcdef\n")
    flags = ("anonymize", "patients.csv", "-p", "policy.toml", "-o", "release.csv")
    assert incrowd(*flags).code == 2
    assert incrowd(*flags, "--key-file", "key").code == 0
    from_file = sorted(release()["name"])
    monkeypatch.setenv("INCROWD_KEY", "0123456789abcdef0123456789abcdef")
    assert incrowd(*flags).code == 0
    assert sorted(release()["name"]) == from_file
    assert not set(from_file) & set(names)


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_reading_as_told(incrowd, table, delimiter):
    text = patients().replace(",", delimiter).encode("utf-16")
    flags = ("--delimiter", delimiter, "--encoding", "utf-16", "--header")
    said = incrowd("risk", table(text), "-q", "age,zip", *flags, "--json")
    assert said.code == 0, said.err
    assert said.document["classes"] == 20


def test_parquet_in_and_out(incrowd, here):
    frame = pl.read_csv(io.StringIO(patients()), schema_overrides={"zip": pl.String})
    frame.write_parquet(here / "patients.parquet")
    said = incrowd("anonymize", "patients.parquet", *QUICK[:6], "-o", "release.parquet")
    assert said.code == 0, said.err
    assert len(pl.read_parquet("release.parquet")) == 40


@pytest.mark.parametrize(
    ("words", "completed"),
    [("incrowd an", "anonymize"), ("incrowd anonymize --qua", "--quasi")],
)
def test_the_shell_completes(words, completed):
    surroundings = {
        **os.environ,
        "_INCROWD_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    command = [sys.executable, "-c", "from incrowd.cli.main import main; main()"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=surroundings)
    assert completed in done.stdout.split()


@pytest.mark.thorough
def test_a_full_standard_output(table):
    command = [sys.executable, "-m", "incrowd.cli.main", "risk", table(), *COLUMNS]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith("error: standard output cannot be written: ")
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_the_demo(here, capfd):
    from incrowd.demo import demo

    assert demo(here / "demo", rows=300) == 0
    assert "$ incrowd anonymize" in capfd.readouterr().out
    assert (here / "demo" / "release.csv").exists()


def test_a_folder_without_a_file_for_a_column_is_told(incrowd, table, here):
    (here / "trees").mkdir()
    (here / "trees" / "my_sex.csv").write_text("F;*\nM;*\n")
    said = incrowd("anonymize", table(), *QUICK, "--hierarchies", "trees")
    assert said.code == 0, said.err
    assert "the folder of hierarchies has no file for age, zip" in said.err


def test_a_table_without_a_header_is_told(incrowd, table):
    said = incrowd("risk", table("30,m\n40,f\n30,m\n"), "-q", "column_1")
    assert said.code == 0, said.err
    assert "note: the first line looks like data" in said.err
