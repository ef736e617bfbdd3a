"""What people see at a terminal."""

import io

import pytest
from rich.console import Console

from incrowd.documents import identify as texts_of_tables
from incrowd.documents import release as texts_of_releases
from incrowd.documents import risk as texts_of_risk
from incrowd.documents.words import counted, number, promise
from incrowd.exposure import Figures, Prosecutor, Reached, Risk
from incrowd.table.column import Missing
from incrowd.verify.verify import Check, Verdict


def shown(picture):
    stream = io.StringIO()
    Console(file=stream, width=120, markup=False, highlight=False).print(picture)
    return stream.getvalue()


@pytest.fixture
def figures():
    return {
        "records": 1200,
        "people": 1100,
        "classes": 37,
        "k": 1,
        "unique_records": 3,
        "unique_share": 0.0025,
        "average_class": 32.4321,
        "prosecutor": Prosecutor(1.0, 0.031, 0.01),
        "sizes": ((1, 3), (40, 34)),
        "sensitive": {"illness": Reached({"frequency": 1.5, "distinct": 2.0}, {"equal": 0.41})},
        "population": None,
    }


@pytest.fixture
def risk(figures):
    readings = dict.fromkeys(Missing, Figures(**figures))
    return Risk(**figures, threshold=0.2, reading=Missing.OWN_VALUE, missing=readings)


def test_risk_tells_every_figure(risk):
    said = shown(texts_of_risk.risk_text(risk, ["age", "zip"]))
    for piece in ("1,200 records of 1,100 people", "37 classes by age, zip", "l (frequency)"):
        assert piece in said
    for piece in ("32.4321", "0.031", "0.2", "0.41", "own-value (asked)", "matches-anything"):
        assert piece in said
    assert "population" not in said


def test_a_check_says_yes_or_no():
    met = Verdict("k-anonymity", None, 5.0, 7.0, ok=True)
    broken = Verdict("l-diversity", "illness", 3.0, 1.25, ok=False)
    said = shown(texts_of_releases.check_text(Check(True, (met,), "ab12", None)))
    assert "keeps its policy" in said
    assert "every class holds at least 7 people" in said
    said = shown(
        texts_of_releases.check_text(Check(False, (met, broken), "ab12", False, ("It is late.",)))
    )
    assert "does NOT keep" in said
    assert "1.25" in said
    assert "not met" in said
    assert "- It is late." in said


def test_names_are_text_and_never_markup(figures):
    figures["sensitive"] = {"[bold]x[/bold]": Reached({"distinct": 2.0}, {})}
    readings = {Missing.SUPPRESS: Figures(**figures)}
    risk = Risk(**figures, threshold=0.2, reading=Missing.SUPPRESS, missing=readings)
    assert "[bold]x[/bold]" in shown(texts_of_risk.risk_text(risk, ["[red]"]))


def test_names_steer_no_terminal(risk):
    assert "\x1b" not in shown(texts_of_risk.risk_text(risk, ["a\x1b[2J"]))


def test_figures_for_people():
    assert [number(x) for x in (5.0, 1234567, 0.5, 0.00004, -1.5, 12345.678)] == [
        "5",
        "1,234,567",
        "0.5",
        "0.00004",
        "-1.5",
        "12,345.7",
    ]
    assert counted(0, "class", "classes") == "0 classes"
    assert promise("some-model", "x", 2.0) == "2 achieved"


def test_a_draft_of_many_columns_ends_in_a_summary_and_advice():
    from incrowd.api import draft
    from incrowd.datasets import hospital

    few = shown(texts_of_tables.draft_text(draft(hospital(100, seed=1).select("sex", "zip"))))
    assert "columns: 2 quasi; 0 to review" in few
    assert "The more columns" not in few
    many = hospital(100, seed=1).select("zip")
    wide = many.with_columns(many["zip"].alias(f"zip{j}") for j in range(texts_of_tables._MANY))
    assert "The more quasi-identifiers there are" in shown(texts_of_tables.draft_text(draft(wide)))


def test_nothing_is_cut_off_in_a_narrow_terminal(risk):
    stream = io.StringIO()
    Console(file=stream, width=40).print(texts_of_risk.risk_text(risk, ["age"]))
    assert "…" not in stream.getvalue()
