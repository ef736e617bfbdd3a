"""A world on the pages: chosen, counted, released with, checked with, and taken away again."""

import shlex

import numpy as np
import polars as pl
import pytest

from page_server import DESKTOP, PHONE, WAIT, opened

pytestmark = pytest.mark.slow
"""A server and a browser are started."""

CARD = "Does the attacker hold another table (a world)?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table of 200 people of a town, and two registers of all 1,000."""
    folder = tmp_path_factory.mktemp("town")
    draw = np.random.default_rng(5)
    everybody = pl.DataFrame(
        {
            "person": np.arange(1_000),
            "age": draw.integers(18, 90, 1_000),
            "sex": draw.choice(["female", "male"], 1_000),
            "postcode": (draw.integers(0, 20, 1_000) + 10_000).astype(str),
        }
    )
    everybody.write_csv(folder / "register.csv")
    everybody.select("person", "sex").write_csv(folder / "club.csv")
    pl.DataFrame({"colour": ["red", "blue"]}).write_csv(folder / "paint.csv")
    sick = everybody.head(200).drop("person").rename({"postcode": "zip"})
    illness = pl.Series("diagnosis", draw.choice(list("ABCDEF"), 200))
    sick.with_columns(illness).write_csv(folder / "people.csv")
    return folder


@pytest.fixture
def town(pages, folder):
    """A server with this table."""
    return pages.begin(folder, "people.csv")


def settled(tab):
    """Wait until the answer of what-if is there."""
    tab.page.locator(".stack[aria-live]:not(.working) .figures").first.wait_for(timeout=WAIT)
    tab.quiet()


def choose(tab, label, option):
    tab.page.get_by_role("combobox", name=label).click()
    tab.page.get_by_role("option", name=option, exact=True).click()
    tab.page.keyboard.press("Escape")


def in_command(tab):
    tab.press("Same as: policy file, command, Python")
    tab.page.get_by_role("tab", name="Command").click()
    place = tab.page.get_by_role("region", name="Command", exact=True)
    place.wait_for()
    words = shlex.split(place.inner_text())
    tab.press("Close")
    return words


def nothing_wrong(tab):
    assert tab.errors == []
    assert tab.strangers == []


def test_a_release_that_hides_people_among_a_world(chromium, town):
    with opened(chromium, town, "/promise") as tab:
        settled(tab)
        tab.sees(CARD).click()
        choose(tab, "Tables of the world", "register.csv")
        choose(tab, "The world's name of zip", "postcode")
        choose(tab, "Column that tells its people apart", "person")
        tab.press("Use this world")
        tab.sees("register.csv: 1,000 people. It shares")
        settled(tab)
        choose(tab, "Model", "k-map")
        tab.press("Add or reset")
        tab.sees("Each record matches at least 5 people of the world.")
        settled(tab)
        tab.page.get_by_role("radio", name="people of the world (k-map)").click()
        tab.sees("finds 5 people of the world or more")
        settled(tab)
        crowd = tab.page.locator(".figure", has_text="people of the world fit each line")
        assert int(crowd.locator(".number").inner_text().strip("≈≤≥ ")) >= 5
        released(tab)
        taken_away(tab)
        nothing_wrong(tab)


def released(tab):
    """Explore, make the release and check it; the command names the world."""
    tab.next("Search")
    tab.press("Explore")
    tab.page.locator(".plane .point").first.wait_for(timeout=WAIT)
    tab.press("Cancel")
    tab.sees("Cancelled")
    tab.next("Release")
    tab.press("Make the release")
    tab.page.get_by_text("keeps its policy").wait_for(timeout=2 * WAIT)
    tab.page.get_by_role("rowheader", name="k-map").wait_for()
    words = in_command(tab)
    assert words[words.index("--world") + 1].endswith("register.csv")
    assert words[words.index("--world-id") + 1] == "person"
    assert words[words.index("--rename") + 1] == "zip=postcode"
    tab.next("Check")
    tab.sees("Count the people of the world, too: register.csv")
    tab.press("Check it")
    tab.sees("Every promise is kept, counted anew from the file.")


def taken_away(tab):
    """Without a world k counts the table again; undo brings the world back with its model."""
    tab.step("Promise")
    settled(tab)
    tab.sees("Change the world").click()
    choose(tab, "Tables of the world", "club.csv")
    tab.sees("Column that tells its people apart").wait_for()
    tab.press("Do without the world")
    tab.sees("finds 5 people or more")
    settled(tab)
    assert "--world" not in in_command(tab)
    tab.press("Undo the last change (Ctrl+Z)")
    tab.sees("finds 5 people of the world or more")
    tab.sees("register.csv: 1,000 people. It shares")
    settled(tab)
    tab.press("Do without the world")
    tab.sees("finds 5 people or more")
    settled(tab)


@pytest.mark.parametrize(
    ("size", "scheme"),
    [pytest.param(DESKTOP, "light", marks=pytest.mark.thorough), (PHONE, "dark")],
)
def test_a_world_that_does_not_fit_is_refused_with_a_sentence(chromium, town, size, scheme):
    with opened(chromium, town, "/promise", size=size, scheme=scheme) as tab:
        settled(tab)
        tab.sees(CARD).click()
        choose(tab, "Tables of the world", "paint.csv")
        tab.press("Use this world")
        tab.sees("The world has none of the quasi-identifying columns")
        tab.press("Close")
        choose(tab, "Tables of the world", "paint.csv")
        tab.page.get_by_role("button", name="Use this world").wait_for(state="detached")
        tab.page.get_by_role("combobox", name="Tables of the world").click()
        names = tab.page.get_by_role("option").all_inner_texts()
        assert [name.strip() for name in names] == ["club.csv", "paint.csv", "register.csv"]
        tab.page.keyboard.press("Escape")
        assert tab.overflow <= 0
        nothing_wrong(tab)
