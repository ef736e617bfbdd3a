"""What the pages say is true: marks of missing values, reviews, verdicts, refusals, ways on."""

import json
import re
from contextlib import ExitStack

import numpy as np
import polars as pl
import pytest

from incrowd.cli.main import perform
from page_server import WAIT, opened
from web.test_pages import nothing_wrong, people, settled

pytestmark = pytest.mark.slow
"""A server and a browser are started."""

ROWS = 400
FLAG = re.compile(r"(?<![\w-])--[a-z]")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table with a mark of missing values and a column to review, one that is none, and a key."""
    made = tmp_path_factory.mktemp("truth") / "here"
    made.mkdir()
    draw = np.random.default_rng(1)
    income = np.where(draw.random(ROWS) < 0.3, -8, draw.integers(0, 40, ROWS) * 100)
    table = people(ROWS).with_columns(
        pl.Series("income", income), pl.Series("grp", draw.integers(0, 30, ROWS))
    )
    table.write_csv(made / "people.csv")
    (made / "broken.parquet").write_bytes(b"PAR1 this is no table")
    (made / "odd.csv").write_bytes(b"name;age\n" + b"J\xf6rg;41\nJane;52\n" * 20)
    assert perform(["keys", "new", str(made / "ours"), "--quiet"]) == 0
    return made


@pytest.fixture
def at(chromium, pages, folder):
    """Open a page with the table opened anew: nothing is reviewed, nothing is made."""
    with ExitStack() as open_tabs:

        def tab_at(path):
            server = pages.begin(folder, "people.csv")
            tab = open_tabs.enter_context(opened(chromium, server, path))
            looked_at.append(tab)
            return tab

        looked_at = []
        yield tab_at
        for tab in looked_at:
            nothing_wrong(tab)


def holds(box, value):
    """Wait until a field has this value again."""
    pytest.importorskip("playwright.sync_api").expect(box).to_have_value(value, timeout=WAIT)


def review(tab):
    """Confirm all columns that need an eye."""
    tab.press("All of them are right")
    tab.page.get_by_text("your eye").wait_for(state="detached")


def state(tab, step):
    """What the rail says of a step."""
    rail = tab.page.get_by_role("navigation", name="Steps")
    return rail.get_by_role("listitem").filter(has_text=step).inner_text()


def wait_for_state(tab, step, words):
    rail = tab.page.get_by_role("navigation", name="Steps")
    rail.get_by_role("listitem").filter(has_text=step).get_by_text(words).wait_for(timeout=WAIT)


def notes(tab, tone=""):
    return " ".join(tab.page.locator(f".note{tone}").all_inner_texts())


def test_a_step_is_done_once_it_is_reviewed_and_not_once_it_is_seen(at):
    tab = at("/roles")
    settled(tab)
    count = re.search(r"(\d+) columns need your eye", notes(tab, ".warn"))
    assert count
    assert f"{count[1]} to confirm" in state(tab, "Roles")
    tab.next("Hierarchies")  # going on does not review what nobody has confirmed
    wait_for_state(tab, "Roles", "to confirm")
    assert "done" not in state(tab, "Hierarchies")
    tab.step("Roles")
    tab.quiet()
    tab.press("Confirm grp")
    tab.page.get_by_role("button", name="Confirm grp").wait_for(state="detached")
    tab.page.reload()
    tab.sees("1 column needs your eye: income.")
    tab.press("All of them are right")
    tab.page.get_by_text("your eye").wait_for(state="detached")
    tab.quiet()
    tab.next("Hierarchies")
    wait_for_state(tab, "Roles", "done")
    assert "done" not in state(tab, "Hierarchies")
    tab.next("Promise")
    wait_for_state(tab, "Hierarchies", "done")


def test_marks_of_missing_values_are_shown_counted_and_changed(at):
    tab = at("/roles")
    settled(tab)
    tab.press("Same as: policy file, command, Python")
    policy = tab.page.get_by_role("region", name="Policy", exact=True)
    policy.wait_for()
    line = tab.page.locator(".role", has=tab.page.get_by_label("Marks in income"))
    assert "-8" in line.inner_text()
    line.get_by_text(re.compile(r"^\d{3} cells are read as missing\.$")).wait_for(timeout=WAIT)
    line.locator(".q-chip__icon--remove").click()
    line.wait_for(state="detached")
    tab.quiet()
    tab.page.get_by_label("Marks in every column").fill("C")
    tab.page.get_by_label("Marks in every column").press("Enter")
    policy.get_by_text('missing_values = ["C"]').wait_for(timeout=WAIT)
    assert "-8" not in policy.inner_text()
    tab.press("Undo the last change (Ctrl+Z)")
    policy.get_by_text("missing_values").wait_for(state="detached", timeout=WAIT)
    tab.press("Undo the last change (Ctrl+Z)")
    tab.page.get_by_label("Marks in income").wait_for(timeout=WAIT)


def test_a_refused_value_goes_back_and_says_why(at):
    tab = at("/hierarchies")
    settled(tab)
    for label, wrong, right in (
        ("Lowest level shown", "99", "0"),
        ("Lowest level shown", "-1", "0"),
        ("Weight: how much its loss matters", "-2", "1"),
        ("Weight: how much its loss matters", "", "1"),
    ):
        box = tab.page.get_by_label(label)
        box.fill(wrong)
        box.press("Tab")
        tab.page.wait_for_function(
            "([label, value]) => [...document.querySelectorAll('input')].some("
            "one => one.getAttribute('aria-label') === label && one.value === value)",
            arg=[label, right],
        )
    tab.page.locator(".q-notification").first.wait_for(timeout=WAIT)
    tab.go("/promise")
    settled(tab)
    box = tab.page.get_by_role("spinbutton", name="l of l-diversity of diagnosis")
    in_force = box.input_value()
    box.fill("0")
    box.press("Tab")
    tab.page.locator(".q-notification").first.wait_for(timeout=WAIT)
    holds(box, in_force)


def test_a_release_needs_a_name_and_stays_in_its_folder(at, folder):
    tab = at("/release")
    box = tab.page.get_by_label("File of the release")
    box.wait_for(timeout=WAIT)
    before, there = box.input_value(), set(folder.parent.rglob("*"))
    for wrong in ("", "../out.csv", ".."):
        box.fill(wrong)
        tab.press("Make the release")
        tab.sees("This is no name of a file.")
        holds(box, before)
    seed = tab.page.get_by_label("Seed")
    held = seed.input_value()
    seed.fill("")
    tab.press("Make the release")
    tab.sees("The seed is a whole number")
    holds(seed, held)
    assert set(folder.parent.rglob("*")) == there


def make(tab, name, key="", *, agree=None):
    tab.page.get_by_label("File of the release").fill(name)
    tab.page.get_by_label("Private key to sign with").fill(key)
    tab.press("Make the release")
    if agree is not None:
        tab.press("Replace it" if agree else "Keep it")
    if agree is not False:
        tab.sees(f"{name} is written, and was read again.")
        tab.quiet()


def signed(folder, name):
    text = (folder / f"{name}.certificate.json").read_text(encoding="utf-8")
    return json.loads(text).get("signature") is not None


def test_a_release_belongs_to_its_policy_and_is_replaced_only_if_somebody_agrees(at, folder):
    tab = at("/roles")
    review(tab)
    tab.go("/release")
    tab.page.get_by_role("button", name="Make the release").wait_for(timeout=WAIT)
    make(tab, "ours.csv", str(folder / "ours"))
    assert "The release keeps its policy." in notes(tab, ".good")
    tab.page.reload()  # the key stays in its field
    tab.sees("ours.csv is written")
    assert tab.page.get_by_label("Private key to sign with").input_value().endswith("ours")
    make(tab, "ours.csv", agree=False)
    tab.page.get_by_text("The new one would NOT be").wait_for(state="detached")
    assert signed(folder, "ours.csv")
    tab.step("Promise")
    settled(tab)
    tab.page.get_by_role("slider", name="k: people").press("ArrowRight")
    tab.sees("finds 6 people or more")
    tab.quiet()
    wait_for_state(tab, "Release", "not of this policy")
    tab.step("Release")
    tab.sees("This release was made with another policy than the one you have now.")
    assert notes(tab, ".good") == ""
    make(tab, "ours.csv", agree=True)
    tab.page.get_by_text("another policy").wait_for(state="detached")
    tab.page.get_by_text("ours.csv is written").wait_for(timeout=WAIT)
    assert not signed(folder, "ours.csv")
    assert "The release keeps its policy." in notes(tab, ".good")


def test_the_page_gives_the_verdict_of_the_report(at, folder):
    tab = at("/promise")
    settled(tab)
    for name in ("diagnosis", "income"):
        tab.press(f"Take l-diversity of {name} away")
        tab.page.get_by_role("button", name=f"Take l-diversity of {name} away").wait_for(
            state="detached"
        )
        tab.quiet()
    tab.page.get_by_role("slider", name="k: people").press("Home")
    tab.sees("finds 2 people or more")
    tab.quiet()
    tab.step("Release")
    tab.page.get_by_role("button", name="Make the release").wait_for(timeout=WAIT)
    make(tab, "weak.csv")
    said = "The release keeps its policy, but an attack on it succeeds"
    assert said in (folder / "weak.csv.report.html").read_text(encoding="utf-8")
    assert said in notes(tab, ".warn")
    assert "k = 2 is small" in notes(tab, ".warn")  # warnings are part of the verdict
    assert notes(tab, ".good") == ""
    wait_for_state(tab, "Release", "look here")
    tab.page.get_by_role("switch", name="With a report to read").click()
    make(tab, "untested.csv")
    assert "Whether attacks on it succeed is not known." in notes(tab, ".warn")
    tab.press("Attack it")
    tab.sees("but an attack on it succeeds")
    tab.next("Check")
    tab.press("Check it")
    tab.sees("Every promise is kept, counted anew from the file.")
    tab.page.get_by_role("combobox", name="Release", exact=True).fill("weak.csv")
    tab.page.get_by_role("option", name="weak.csv", exact=True).click()
    tab.sees("What is said below is about untested.csv.")
    assert notes(tab, ".good") == ""


def test_a_file_that_cannot_be_read_leads_to_another(at):
    tab = at("/")
    tab.sees(f"{ROWS} records")
    tab.press("Another table")
    tab.press("broken.parquet")
    tab.page.locator(".note.bad").wait_for(timeout=WAIT)
    assert not FLAG.search(tab.page.locator(".page").inner_text())
    tab.go("/roles")
    tab.press("Choose another table")
    tab.heading("Table")
    tab.press("broken.parquet")
    tab.page.locator(".note.bad").wait_for(timeout=WAIT)
    tab.press("odd.csv")  # the files stand below the reason
    tab.sees("40 records, 2 columns")
    said = tab.page.locator(".page").inner_text()
    assert "“Encoding”" in said
    assert not FLAG.search(said)
    tab.page.get_by_text("How the file is read").click()
    tab.page.get_by_label("Delimiter").fill(",")
    tab.press("Read it so")
    tab.sees("40 records, 1 column")
