"""Each bad input: one clear sentence, the right exit code, no cell value, nothing half-written."""

import csv
import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from patients import MARK, QUICK, patients, snapshot
from processes import hears_interrupts, let_work

USAGE, INPUT, INFEASIBLE, INTERRUPTED = 2, 3, 4, 130


def rows(path):
    with Path(path).open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_a_file_that_is_not_there(refused):
    said = refused(INPUT, "anonymize", "nowhere.csv", *QUICK)
    assert "nowhere.csv" in said.err


def test_an_empty_file(refused, table):
    refused(INPUT, "anonymize", table(""), *QUICK)
    refused(INPUT, "risk", "patients.csv", "--quasi", "age")
    refused(INPUT, "init", "patients.csv")


def test_a_header_only(refused, table):
    refused(INPUT, "anonymize", table("age,zip,sex,diagnosis\n"), *QUICK)
    refused(INPUT, "risk", "patients.csv", "--quasi", "age")


def test_one_row(refused, incrowd, table):
    said = refused(INFEASIBLE, "anonymize", table(n=1), *QUICK)
    assert "1" in said.err
    assert incrowd("risk", "patients.csv", "--quasi", "age,zip").code == 0


def test_k_larger_than_the_table(refused, table):
    said = refused(INFEASIBLE, "anonymize", table(n=40), *QUICK[:4], "-k", "41", *QUICK[6:])
    assert "40" in said.err
    assert "help: " in said.err


def test_l_larger_than_possible(refused, table):
    said = refused(INFEASIBLE, "anonymize", table(n=40), *QUICK, "-l", "6")
    assert "5" in said.err


def test_what_a_flag_takes_is_said_in_plain_words(refused, table):
    said = refused(USAGE, "anonymize", table(), *QUICK[:4], "-k", "2.5", *QUICK[6:])
    assert "'-k': it must be a whole number\n" in said.err
    said = refused(USAGE, "anonymize", table(), *QUICK, "--suppress", "much")
    assert "'--suppress': it must be a number\n" in said.err


def test_two_things_about_one_column(refused, table):
    flags = ("anonymize", table(), *QUICK)
    said = refused(USAGE, *flags, "--hierarchy", "sex=flat", "--hierarchy", "sex=prefix")
    assert "--hierarchy gives 'sex' two values" in said.err
    said = refused(USAGE, *flags, "--widest", "age=5,age=6")
    assert "--widest gives 'age' two values" in said.err


def test_a_size_without_columns(refused, table):
    said = refused(USAGE, "anonymize", table(), "-k", "5", "-o", "release.csv")
    assert "say which columns are quasi-identifiers" in said.err


def test_a_target_without_a_name(refused, table):
    said = refused(USAGE, "anonymize", table(), *QUICK[:6], "-o", "")
    assert "say where to write the release" in said.err


def test_what_would_help_is_apart_from_what_is_wrong(incrowd, table):
    said = incrowd("anonymize", table(), *QUICK, "--method", "latice", "--json")
    assert said.document["error"] == "search: unknown name"
    assert said.document["remedy"] == "did you mean 'lattice'?"


def test_a_certificate_on_standard_output(refused, table):
    said = refused(USAGE, "anonymize", table(), *QUICK, "--certificate", "-")
    assert "not to standard output" in said.err


def test_lists_do_not_go_into_a_text_file(refused, incrowd, here):
    frame = pl.DataFrame({"age": list(range(40)), "visits": [[MARK]] * 40})
    frame.write_parquet(here / "patients.parquet")
    flags = ("anonymize", "patients.parquet", "--quasi", "age", "--keep", "visits", "-k", "5")
    flags += ("--accept-alone", "visits")
    assert "of 'visits'" in refused(INPUT, *flags, "-o", "release.csv").err
    assert incrowd(*flags, "-o", "release.parquet").code == 0


def test_a_certificate_that_is_none(refused, table):
    said = refused(INPUT, "check", table(), "--certificate", "patients.csv")
    assert "the certificate is not a JSON document" in said.err


@pytest.mark.parametrize("k", ["1", "0", "-3", "2.5", "five"])
def test_k_below_two(refused, table, k):
    refused(USAGE, "anonymize", table(), *QUICK[:4], "-k", k, *QUICK[6:])


@pytest.mark.parametrize(
    "flags",
    [
        ("-l", "0.5"),
        ("-t", "-1"),
        ("--suppress", "1.5"),
        ("--suppress", "nan"),
        ("--missing", "sometimes"),
        ("--method", "latice"),
        ("--loss", "gpc"),
        ("--time-limit", "-1"),
    ],
)
def test_a_flag_out_of_its_range(refused, table, flags):
    refused(USAGE, "anonymize", table(), *QUICK, *flags)


def test_duplicate_and_empty_column_names_are_repaired_and_said(incrowd, table):
    """Spreadsheets export such headers every day; what a repair changes is said."""
    text = "age,age,\n" + "".join(f"{20 + i % 3},{i % 7},{i % 2}\n" for i in range(40))
    said = incrowd("risk", table(text), "-q", "age,age_2,column_3", "--header")
    assert said.code == 0, said.err
    assert "1 column has the name of another and got a number: age_2" in said.err
    assert "1 column has no name and got one: column_3" in said.err


def test_a_column_of_one_value(incrowd, table):
    assert incrowd("anonymize", table(sex=["F"] * 40), *QUICK).code == 0


def test_a_column_all_missing(incrowd, table):
    assert incrowd("anonymize", table(sex=[""] * 40), *QUICK).code == 0
    assert {row["sex"] for row in rows("release.csv")} <= {"", "*"}


def test_mixed_types(incrowd, table):
    ages = ["12", "twelve", "1e3", "2020-01-01"] * 10
    assert incrowd("anonymize", table(age=ages), *QUICK).code == 0
    assert len(rows("release.csv")) == 40


@pytest.mark.parametrize("odd", ["NaN", "inf", "-inf", "Infinity", "-0.0", "1e400"])
def test_numbers_that_are_none(incrowd, table, odd):
    ages = [odd if i % 8 == 0 else str(20 + i % 3) for i in range(40)]
    said = incrowd("anonymize", table(age=ages), *QUICK)
    assert said.code == 0, said.err
    assert len(rows("release.csv")) == 40


@pytest.mark.parametrize("odd", ["2024-02-30", "9999-12-31", "0000-00-00", "12024-01-01"])
def test_dates_out_of_range(incrowd, table, odd):
    days = [odd if i % 8 == 0 else f"2024-01-0{1 + i % 3}" for i in range(40)]
    said = incrowd("anonymize", table(age=days), *QUICK)
    assert said.code == 0, said.err
    assert len(rows("release.csv")) == 40


@pytest.mark.thorough
def test_very_many_distinct_strings(incrowd, table):
    n = 60_000
    names = [f"{MARK}{i}" for i in range(n)]
    text = "name,sex\n" + "\n".join(f"{name},{'FM'[i % 2]}" for i, name in enumerate(names))
    said = incrowd("anonymize", table(text), "-q", "name,sex", "-k", "5", "-o", "release.csv")
    assert said.code == 0, said.err
    assert MARK not in said.out + said.err


def test_broken_encoding(refused, table):
    data = patients().encode().replace(b"02133", b"\xff\xfe\xfa\x00\x81")
    refused(INPUT, "anonymize", table(data), *QUICK, "--encoding", "utf-8")


def test_an_unknown_encoding(refused, table):
    refused(USAGE, "anonymize", table(), *QUICK, "--encoding", "utf-99")


def test_ragged_rows(refused, table):
    said = refused(INPUT, "anonymize", table(patients() + f"1,2,3,{MARK},5,6\n"), *QUICK)
    assert "42" in said.err or "41" in said.err
    refused(INPUT, "anonymize", table(patients() + f"{MARK},2\n"), *QUICK)


def test_quotes_and_newlines_in_cells(incrowd, table):
    cells = ['"He said ""no"""', '"two\nlines"', '"a,b"', '" x "'] * 10
    said = incrowd("anonymize", table(note=cells), *QUICK, "--keep", "note", "--keep-order")
    assert said.code == 0, said.err
    notes = [row["note"] for row in rows("release.csv")]
    assert sorted(notes) == sorted(['He said "no"', "two\nlines", "a,b", " x "] * 10)


def test_formulas_leave_as_they_are_and_are_counted(incrowd, table):
    cells = [f"=cmd('{MARK}')" if i % 4 == 0 else "text" for i in range(40)]
    said = incrowd("anonymize", table(note=cells), *QUICK, "--keep", "note")
    assert said.code == 0, said.err
    assert sum(row["note"].startswith("=cmd") for row in rows("release.csv")) == 10
    assert "10" in said.err
    assert "formula" in said.err
    assert MARK not in said.out + said.err


def test_unknown_columns(refused, table):
    said = refused(USAGE, "anonymize", table(), "-q", "agee,zip", "-k", "5", "-o", "release.csv")
    assert "'age'" in said.err
    said = refused(USAGE, "risk", "patients.csv", "--quasi", "zipp")
    assert "'zip'" in said.err


def test_a_column_with_two_roles(refused, table):
    refused(USAGE, "anonymize", table(), *QUICK, "--keep", "age")


def test_no_request_at_all(refused, table):
    refused(USAGE, "anonymize", table(), "-o", "release.csv")
    refused(USAGE, "anonymize", table(), *QUICK, "--policy", "policy.toml")
    refused(USAGE, "anonymize", table(), *QUICK[:6])
    refused(USAGE, "anonymize", table(), *QUICK[:6], "-o", "-")


def test_a_hierarchy_that_misses_values(refused, table, here):
    (here / "zip.csv").write_text(f"02130;*\n02131;*\n{MARK};*\n")
    said = refused(INPUT, "anonymize", table(), *QUICK, "--hierarchy", "zip=zip.csv")
    assert "zip" in said.err
    assert "2" in said.err
    assert "0213" not in said.err


@pytest.mark.parametrize("text", ["", "a;b;c\nd;e\n", f"{MARK};x;*\n{MARK};y;*\n", "a;x\nb;y\n"])
def test_a_hierarchy_that_is_none(refused, table, here, text):
    (here / "zip.csv").write_text(text)
    refused(INPUT, "anonymize", table(), *QUICK, "--hierarchy", "zip=zip.csv")


@pytest.mark.parametrize("option", ["zip", "nothing=prefix", "zip=nowhere.csv", "zip=perfix", "="])
def test_a_hierarchy_that_is_not_there(incrowd, table, option):
    said = incrowd("anonymize", table(), *QUICK, "--hierarchy", option)
    assert said.code in {USAGE, INPUT}
    assert len(said.errors) == 1
    assert Path("release.csv").read_text() == "the release of yesterday"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not toml [",
        "version = 2\n",
        "version = 1\nserach = 'auto'\n",
        f"version = 1\nmissing = '{MARK}'\n",
        "version = 1\n[[models]]\nname = 'k-anonymity'\nk = 1\n",
    ],
)
def test_a_policy_that_is_none(refused, table, here, text):
    (here / "policy.toml").write_text(text)
    refused(USAGE, "anonymize", table(), "--policy", "policy.toml", "-o", "release.csv")


def test_undeclared_columns_print_the_line_to_add(refused, table, here):
    (here / "policy.toml").write_text(
        "version = 1\n[[models]]\nname = 'k-anonymity'\nk = 5\n[columns.age]\nrole = 'quasi'\n"
    )
    said = refused(USAGE, "anonymize", table(), "--policy", "policy.toml", "-o", "release.csv")
    assert "[columns.zip]" in said.err or "columns.zip" in said.err


def test_an_unwritable_target(refused, table, here):
    target = here / "nowhere" / "release.csv"
    refused(INPUT, "anonymize", table(), *QUICK[:6], "-o", target)
    (here / "folder").mkdir()
    refused(INPUT, "anonymize", table(), *QUICK[:6], "-o", "folder")


def test_a_target_that_is_the_input(refused, table):
    refused(USAGE, "anonymize", table(), *QUICK[:6], "-o", "patients.csv")


FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from incrowd.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
main(sys.argv[1:])
"""


@pytest.mark.slow
def test_a_full_target(here, table):
    table(n=4000, diagnosis=[f"{MARK}{i // 10 % 7}" for i in range(4000)])
    before = snapshot(here)
    done = subprocess.run(
        [sys.executable, "-c", FULL, "anonymize", "patients.csv", *QUICK, "--method", "lattice"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_CACHE_DIR": ""},
    )
    assert done.returncode == INPUT, done.stderr
    assert done.stderr.count("error: ") == 1
    assert "Traceback" not in done.stderr
    assert snapshot(here) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.thorough)]
)
def test_an_interruption_in_the_middle(here, table, number):
    n = 20_000
    columns = {f"q{j}": [str((i * (7 + j)) % (50 + j)) for i in range(n)] for j in range(6)}
    table(n=n, **columns)
    before = snapshot(here)
    flags = ("-q", ",".join(columns), "-k", "50", "--method", "exhaustive", "-o", "release.csv")
    command = [sys.executable, "-m", "incrowd.cli.main", "anonymize", "patients.csv", *flags]
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes, preexec_fn=hears_interrupts) as process:  # noqa: PLW1509  it only sets a signal
        let_work(process, 3.0)
        assert process.poll() is None, "the search must last longer than that"
        process.send_signal(number)
        out, err = process.communicate()
    assert process.returncode == INTERRUPTED, err
    assert "error: interrupted; nothing was written" in err
    assert "Traceback" not in err
    assert out == ""
    assert snapshot(here) == before


def test_a_target_of_a_format_that_cannot_be_written(refused, table):
    said = refused(USAGE, "anonymize", table(), *QUICK[:6], "-o", "release.sav")
    assert "help: name a .csv" in said.err


def test_a_folder_that_is_not_there_is_told_before_the_search(refused, table):
    said = refused(INPUT, "anonymize", table(), *QUICK[:6], "-o", "nowhere/release.csv")
    assert "the folder 'nowhere'" in said.err


def test_a_policy_of_another_table_is_told_in_one_sentence(refused, table, here):
    columns = "".join(f'[columns.{name}]\nrole = "quasi"\n' for name in ("one", "two", "three"))
    text = f'version = 1\n[[models]]\nname = "k-anonymity"\nk = 5\n{columns}'
    (here / "policy.toml").write_text(text)
    said = refused(USAGE, "anonymize", table(), "-p", "policy.toml", "-o", "release.csv")
    assert "lacks 3 columns of the policy: 'one', 'two', 'three'" in said.err
    assert len(said.err.splitlines()) == 2
