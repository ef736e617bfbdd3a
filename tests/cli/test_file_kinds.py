"""Every command takes every kind of file, and says what it found in it."""

import io
import random

import polars as pl
import pyreadstat
import pytest
import xlsxwriter

from incrowd.io.sheet_writing import write as write_sheet
from incrowd.io.tables import read
from patients import MARK

DRAWN = random.Random(0)
PEOPLE = pl.DataFrame(
    {
        "age": [20 + i * 7 % 40 for i in range(120)],
        "sex": [DRAWN.choice("FM") for _ in range(120)],
        "zip": [f"0213{DRAWN.randint(0, 4)}" for _ in range(120)],
        "ill": [f"{MARK}{DRAWN.randint(0, 2)}" for _ in range(120)],
    }
)
COMMANDS = [
    ("init", "{}"),
    ("discover", "{}", "--time-limit", "3"),
    ("risk", "{}", "-q", "age,sex,zip", "-s", "ill"),
    ("plan", "{}", "--population", "1e6", "-k", "5"),
    ("mask", "{}", "--ratio", "0.9", "-o", "o.xlsx", "--time-limit", "3"),
    ("quantiles", "{}", "--columns", "age", "-k", "5", "-o", "o.jsonl"),
    ("check", "{}", "-q", "sex", "-k", "2"),
    ("attack", "{}", "--max-size", "1"),
    ("attack", "good.csv", "--world", "{}", "--max-size", "1"),
    ("frontier", "{}", "-q", "age,sex", "-k", "2", "--time-limit", "2"),
    ("safe-harbor", "{}"),
    ("anonymize", "{}", "-q", "age,zip", "--keep", "sex", "-k", "5", "-o", "o.xlsx"),
    ("anonymize", "good.csv", "-q", "age,zip", "-k", "5", "--world", "{}", "--dry-run"),
]


def made(path):
    match path.suffix:
        case ".xlsx":
            target = io.BytesIO()
            write_sheet(PEOPLE, target)
            path.write_bytes(target.getvalue())
        case ".jsonl":
            PEOPLE.write_ndjson(path)
        case ".sav":
            pyreadstat.write_sav(PEOPLE, path)
        case ".dta":
            pyreadstat.write_dta(PEOPLE, path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["xlsx", "jsonl", "sav", "dta"])
def test_every_command_takes_it_whole_and_refuses_it_broken(incrowd, here, kind):
    PEOPLE.write_csv(here / "good.csv")
    whole, broken = here / f"t.{kind}", here / f"broken.{kind}"
    made(whole)
    data = whole.read_bytes()
    broken.write_bytes(data[: len(data) // 2 - 7])
    for command in COMMANDS:
        said = incrowd(*(part.replace("{}", whole.name) for part in command))
        assert said.code in {0, 1, 4}, (command, said.err)
        assert MARK not in said.out + said.err, command
        said = incrowd(*(part.replace("{}", broken.name) for part in command))
        assert said.code == 3, (command, said.err)
        assert len(said.errors) == 1, (command, said.err)
        assert MARK not in said.out + said.err, command


@pytest.mark.parametrize("kind", ["csv", "xlsx", "jsonl", "parquet"])
def test_a_release_has_the_same_cells_whatever_file_holds_it(incrowd, here, kind):
    PEOPLE.write_parquet(here / "t.parquet")
    flags = ("-q", "age,zip", "--keep", "sex", "-s", "ill", "-k", "5", "--seed", "1")
    said = incrowd("anonymize", "t.parquet", *flags, "--method", "lattice", "-o", f"o.{kind}")
    assert said.code == 0, said.err
    said = incrowd("anonymize", "t.parquet", *flags, "--method", "lattice", "-o", "r.parquet")
    one = read(here / f"o.{kind}").frame.cast(pl.String)
    assert one.equals(read(here / "r.parquet").frame.cast(pl.String))
    checked = incrowd("check", f"o.{kind}", "--certificate", f"o.{kind}.certificate.json")
    assert checked.code == 0, checked.err


def test_options_of_reading_reach_every_kind(incrowd, here):
    with xlsxwriter.Workbook(here / "t.xlsx") as workbook:
        workbook.add_worksheet("first").write_row(0, 0, ["age", "zip"])
        sheet = workbook.add_worksheet("people")
        sheet.write(0, 0, f"{MARK} of the year")
        sheet.write_row(1, 0, ["age", "day"])
        for i in range(40):
            sheet.write_row(2 + i, 0, [20 + i % 4, f"0{1 + i % 3}/04/1990"])
    flags = ("-q", "age,day", "--sheet", "people", "--skip", "1", "--date-format", "day=%d/%m/%Y")
    said = incrowd("anonymize", "t.xlsx", *flags, "-k", "9", "-o", "o.csv")
    assert said.code == 0, said.err
    assert MARK not in said.out + said.err
    assert read(here / "o.csv").frame["day"].str.contains("1990|\\*").all()
    said = incrowd("risk", "t.xlsx", *flags[:2], "--sheet", "nobody")
    assert said.code == 2
    assert "'people'" in said.err


def test_what_is_found_in_a_text_is_said(incrowd, here):
    lines = (f"{i % 28 + 1:02}/01/1990;{i % 9},5;0{i % 3 + 1}/02/2000\n" for i in range(60))
    (here / "t.csv").write_text(f"{MARK}\n\nbirth_date;cost;visit_date\n" + "".join(lines))
    said = incrowd("risk", "t.csv", "-q", "birth_date,cost,visit_date")
    assert said.code == 0, said.err
    assert "read as dates: birth_date (%d/%m/%Y)" in said.err
    assert "read as numbers with a decimal comma: cost" in said.err
    assert "--date-format visit_date=%d/%m/%Y" in said.err
    assert "2 lines above the header were skipped" in said.err
    assert MARK not in said.out + said.err
    assert incrowd("risk", "t.csv", "-q", "cost", "--decimal", "x").code == 2
    assert incrowd("risk", "t.csv", "-q", "cost", "--skip", "-1").code == 2
    assert incrowd("risk", "t.csv", "-q", "cost", "--date-format", "cost").code == 2
