"""What people see at a terminal."""

import io
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from incrowd import exposure
from incrowd.attacks import Attack, Attacked
from incrowd.attacks.rates import PersonRisk, Rate
from incrowd.documents import attack as texts_of_attacks
from incrowd.documents import identify as texts_of_tables
from incrowd.documents import release as texts_of_releases
from incrowd.documents import risk as texts_of_risk
from incrowd.documents.words import number, promise_words, quantity, rate, share, share_rounded_up
from incrowd.exposure import Figures, Prosecutor, Reached, Risk
from incrowd.table.column import Missing
from incrowd.table.fold import fold
from incrowd.verify.verdict import Check, Verdict


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
    for piece in ("3 of 1,200 records (0.25 %)", "37, the smallest with 1 person of 1,100"):
        assert piece in said
    for piece in ("3.1 %", "above 20 %", "distinct l = 2, frequency l = 1.5"):
        assert piece in said
    assert "population" not in said
    assert "own-value" not in said
    said = shown(texts_of_risk.risk_text(risk, ["age", "zip"], details=True))
    for piece in ("frequency l", "0.41", "own-value (asked)", "matches-anything"):
        assert piece in said


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
    assert quantity(0, "class", "classes") == "0 classes"
    assert promise_words("some-model", "x", 2.0) == "2 achieved"


def test_a_draft_of_many_columns_ends_in_a_summary_and_advice():
    from incrowd.api import draft
    from incrowd.datasets import hospital

    few = shown(texts_of_tables.draft_text(draft(hospital(100, seed=1).select("sex", "zip"))))
    assert "2 columns: 2 quasi; 0 to review" in few
    assert "The more columns" not in few
    many = hospital(100, seed=1).select("zip")
    wide = many.with_columns(many["zip"].alias(f"zip{j}") for j in range(texts_of_tables._MANY))
    assert "The more quasi-identifiers there are" in shown(texts_of_tables.draft_text(draft(wide)))


def test_nothing_is_cut_off_in_a_narrow_terminal(risk):
    stream = io.StringIO()
    Console(file=stream, width=40).print(texts_of_risk.risk_text(risk, ["age"]))
    assert "…" not in stream.getvalue()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"records": 0, "people": 0, "k": 0, "unique_records": 0}, "The table has no records"),
        ({"records": 1, "people": 1, "unique_records": 1}, "1 of 1 person is unique (k = 1)"),
        ({"people": 1200, "unique_records": 1200}, "1,200 of 1,200 people are unique (k = 1)"),
        ({"unique_records": 1}, "1 of 1,200 records belongs to a person who is unique"),
        ({"k": 2, "unique_records": 0}, "shares age and zip with at least 1 other person"),
    ],
)
def test_the_headline_of_a_risk_is_true(figures, more, says):
    figures |= more
    risk = Risk(**figures, threshold=0.2, reading=Missing.OWN_VALUE, missing={})
    assert says in shown(texts_of_risk.risk_text(risk, ["age", "zip"]))


@given(st.floats(0, 1))
def test_shares_are_never_rounded_to_none_or_all(value):
    assert (share(value) == "0 %") is (value == 0)
    assert (share(value) == "100 %") is (value == 1)


@given(st.floats(0, 1))
def test_upper_bounds_are_never_rounded_down(value):
    said = share_rounded_up(value)
    if not said.startswith(("<", ">")):
        assert float(said.removesuffix(" %")) / 100 >= value - 1e-9


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3).map(sorted))
def test_an_interval_says_something(three):
    low, value, high = three
    said = rate(value, (low, high))
    ends = re.search(r"\((.*) to (.*)\)", said)
    assert "%" in said
    assert ends is None or len({ends[1], ends[2], said.split(" %")[0]}) > 1


def test_a_model_that_just_misses_shows_the_difference():
    near = Verdict("l-diversity", "illness", 1.3, 1.2999, ok=False)
    check = Check(False, (near,), "ab12", None, measures=("frequency",))
    said = " ".join(shown(texts_of_releases.check_text(check)).split())
    assert "l-diversity (frequency) of illness reaches 1.2999, not 1.3" in said


def test_a_measure_is_named_and_explained():
    reached = Verdict("l-diversity", "illness", 2.0, 3.0, ok=True)
    for measure, says in (
        ("frequency", "no value of illness covers more than 33.4 % of a class"),
        ("distinct", "every class shows at least 3 different values of illness"),
        ("entropy", "illness is as mixed as 3 equally common values"),
        ("recursive", "illness is at least 3-diverse in every class"),
    ):
        check = Check(True, (reached,), "ab12", None, measures=(measure,))
        said = shown(texts_of_releases.check_text(check))
        assert f"l-diversity ({measure}) of illness" in said
        assert says in said


def attack(kind, success, interval, baseline=0.1, **more):
    rate = Rate(success, interval, more.pop("trials", 100))
    return Attack(kind, ("age",), rate, baseline, "Somebody looks.", **more)


ATTACKS = (
    attack("homogeneity", 0.0, (0.0, 0.0006), 0.0, column="illness"),
    attack("linkage", 0.1, (0.05, 0.2)),
    attack("inference", 0.15, (0.05, 0.3), column="illness"),
    attack("control", 0.104, (0.102, 0.106)),
    attack("singling-out", 0.8, (0.7, 0.9), 0.0),
    attack("background", 0.0, (0.0, 1.0), 0.0, trials=0),
    attack("releases", 0.3, (0.2, 0.4)),
)


def test_attacks_have_a_line_each_the_worst_first():
    lines = shown(texts_of_attacks.attack_text(Attacked(ATTACKS))).splitlines()
    assert lines[0] == "No limit is broken by 6 kinds of attack."
    rows = [re.split(r"  +", line.strip()) for line in lines[3:10]]
    assert rows == [
        ["singling out", "80 % (70 to 90)", "0 %", "far better"],
        ["releases", "30 % (20 to 40)", "10 %", "better than guessing"],
        ["inference of illness", "15 % (5 to 30)", "10 %", "not clearly better"],
        ["control", "10.4 % (10.2 to 10.6)", "10 %", "barely better"],
        ["linkage", "10 % (5 to 20)", "10 %", "no better than guessing"],
        ["homogeneity of illness", "0 % (≤ 0.06 %)", "0 %", "no better than guessing"],
        ["background", "nobody to attack", "0 %", "not tested"],
    ]


def test_people_who_are_found_come_first():
    found = PersonRisk(0.95, 12.0, 0.99, 0.9, 1)
    worst = attack("linkability", 0.12, (0.1, 0.2), persons=found)
    said = shown(texts_of_attacks.attack_text(Attacked((*ATTACKS, worst), broken=("it is",) * 7)))
    lines = said.splitlines()
    assert lines[0] == "7 limits are broken."
    assert "--details adds 2 more broken limits." in said
    assert re.split(r"  +", lines[9].strip())[-1] == "right about 12 people"
    details = shown(texts_of_attacks.attack_text(Attacked((worst,)), details=True))
    assert "Somebody looks." in details
    assert "knows" in details


def test_nobody_to_attack():
    said = shown(texts_of_attacks.attack_text(Attacked(())))
    assert said.startswith("No limit is broken, and there was nobody to attack.")


def said_of(codes, weights=None, **known):
    tally = fold([np.asarray(codes, dtype=np.int32)], (), None, weights)
    risk = exposure.measure(tally, (), **known)
    return risk, " ".join(shown(texts_of_risk.risk_text(risk, ["age"])).split())


def test_the_text_says_what_the_95_percent_depend_on():
    codes = np.repeat(np.arange(1, 61), 5)
    risk, text = said_of(codes, population=3_000)
    assert risk.model.assumes == ("random-sample", "population", "smooth-lower-ends")
    assert "The 95 % hold if everybody was equally likely to be drawn and the size of the" in text
    assert "Upper ends hold whatever the class sizes of the population" in text
    weighed, text = said_of(codes, np.linspace(2.0, 30.0, len(codes)))
    assert weighed.model.assumes == ("weights", "population", "smooth-sizes")
    assert "The 95 % hold if the weights are right" in text
    assert "also suppose that class sizes of the population vary smoothly" in text
    assert "whatever the class sizes" not in text


def test_the_text_says_that_a_table_cannot_tell():
    """Everybody is alone, one in a hundred was drawn; or a third of the population was."""
    risk, text = said_of(np.arange(1, 201), population=20_000)
    assert risk.uniqueness.undecided
    assert "The table cannot tell how many are unique in the population" in text
    assert "Plan with the upper ends." in text
    codes = np.concatenate([np.arange(1, 1_001), np.repeat(np.arange(2_000, 2_100), 30)])
    risk, text = said_of(codes, population=5_000)
    assert not risk.uniqueness.undecided
    assert "cannot tell" not in text


def test_a_table_that_is_the_population_depends_on_nothing():
    risk, text = said_of([1, 1, 2], population=3)
    assert risk.model.assumes == ()
    assert "The 95 %" not in text
