"""Groups and roles in a real browser: by clicks, by dragging, and by the keyboard alone."""

import re

import numpy as np
import polars as pl
import pytest

from page_server import PHONE, WAIT, opened

pytestmark = pytest.mark.slow
"""A server and a browser are started."""

MARK = "Zq7marker"
CITIES = [f"City {letter}" for letter in "ABCDEFGH"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a table of cities, one of which 3 people live in."""
    folder = tmp_path_factory.mktemp("places")
    draw, n = np.random.default_rng(5), 400
    city = [CITIES[i % 8] for i in range(n - 3)] + [MARK] * 3
    frame = pl.DataFrame({"city": city, "age": draw.integers(18, 90, n)})
    frame = frame.with_columns(ward=pl.Series(draw.choice(["north", "south", "east"], n)))
    frame.with_columns(illness=pl.Series(draw.choice(list("ABCD"), n))).write_csv(folder / "p.csv")
    return folder


@pytest.fixture
def places(pages, folder):
    """A server with this table."""
    return pages.begin(folder, "p.csv")


def nothing_wrong(tab):
    assert tab.errors == []
    assert tab.strangers == []


def settled(tab):
    """Wait until the answer of what-if is there."""
    tab.page.locator(".stack[aria-live]:not(.working) .figures").first.wait_for(timeout=WAIT)
    tab.quiet()


def choose(tab, label, option):
    tab.page.get_by_role("combobox", name=label).click()
    tab.page.get_by_role("option", name=option, exact=True).click()


def open_city(tab):
    """The cities without groups, as the draft has them."""
    tab.page.get_by_role("tab", name="city").click()
    tab.sees("Groups of city")
    settled(tab)


def level_heads(tab):
    """What the heads of the grid say of its levels."""
    return tab.page.locator(".tree thead th .small").all_inner_texts()


def grid_button(tab, name):
    return tab.page.get_by_role("button", name=name, exact=True)


def put(tab, values, label):
    """Choose values and put them under a new label."""
    for number, value in enumerate(values, start=1):
        grid_button(tab, f"{value}, value").click()
        tab.sees(f"{number} value{'s' * (number > 1)} chosen", exact=True)
    tab.page.get_by_label("Name of the label").fill(label)
    tab.press("Put there")
    grid_button(tab, f"{label}, label of level 1").wait_for()


def test_values_move_to_a_new_group_and_the_counts_follow(chromium, places):
    with opened(chromium, places, "/hierarchies") as tab:
        open_city(tab)
        put(tab, CITIES[:2], "coast")
        tab.page.locator(".tree td", has_text="coast").get_by_text("100").wait_for()
        assert level_heads(tab) == ["8 labels; rarest: fewer than 5"]  # 6 cities, coast, other
        put(tab, CITIES[2:5], "hills")
        tab.page.locator(".tree thead").get_by_text("6 labels; rarest: fewer than 5").wait_for()
        settled(tab)
        tab.sees("values of fewer than 5 records: 1 value")
        assert MARK not in tab.page.content()
        tab.press("Undo the last change (Ctrl+Z)")
        tab.page.locator(".tree thead").get_by_text("8 labels").wait_for()
        settled(tab)
        tab.press("Same as: policy file, command, Python")
        tab.page.get_by_role("tab", name="Policy").click()
        text = tab.page.get_by_role("region", name="Policy", exact=True).inner_text()
        assert '["City A", "coast", "*"]' in text
        assert "hills" not in text
        assert MARK not in text
        nothing_wrong(tab)


def test_a_label_is_renamed_moved_and_dragged(chromium, places):
    with opened(chromium, places, "/hierarchies") as tab:
        open_city(tab)
        put(tab, CITIES[:2], "coast")
        grid_button(tab, "coast, label of level 1").click()
        tab.sees("1 label of level 1 chosen", exact=True)
        tab.page.get_by_label("Name of the label").fill("seaside")
        tab.press("Rename")
        seaside = grid_button(tab, "seaside, label of level 1")
        seaside.wait_for()
        seaside.click()
        tab.sees("1 label of level 1 chosen", exact=True)
        tab.page.get_by_label("Name of the label").fill("country")
        tab.press("Put there")  # above the highest labels: a level is added
        grid_button(tab, "country, label of level 2").wait_for()
        assert len(level_heads(tab)) == 2
        settled(tab)
        grid_button(tab, "City C, value").drag_to(grid_button(tab, "seaside, label of level 1"))
        tab.page.locator(".tree td", has_text="seaside").get_by_text("150").wait_for()
        settled(tab)
        choose(tab, "Level", "Level 1")
        tab.press("Take it away")
        grid_button(tab, "country, label of level 1").wait_for()
        assert len(level_heads(tab)) == 1
        tab.press("Start without groups")
        grid_button(tab, "country, label of level 1").wait_for(state="detached")
        nothing_wrong(tab)


def test_groups_are_made_with_the_keyboard_alone(chromium, places):
    with opened(chromium, places, "/hierarchies", size=PHONE) as tab:
        open_city(tab)
        grid_button(tab, "City A, value").focus()
        tab.page.keyboard.press("Enter")
        tab.sees("1 value chosen", exact=True)
        tab.page.keyboard.press("Tab")
        tab.page.keyboard.press("Space")
        tab.sees("2 values chosen", exact=True)
        tab.page.get_by_label("Name of the label").focus()
        tab.page.keyboard.type("both")
        tab.page.keyboard.press("Tab")
        tab.page.keyboard.press("Enter")
        grid_button(tab, "both, label of level 1").wait_for()
        settled(tab)
        focused = tab.page.evaluate("document.activeElement.innerText")
        assert "Put there" in focused  # the bars stay where they are, and with them the focus
        assert tab.overflow <= 0
        nothing_wrong(tab)


def test_what_cannot_be_is_said_and_changes_nothing(chromium, places):
    with opened(chromium, places, "/hierarchies") as tab:
        open_city(tab)
        tab.press("Put there")
        tab.sees("A label needs a name")
        tab.press("Rename")
        tab.sees("One label can be renamed at a time")
        choose(tab, "Level", "Values")
        tab.press("Take it away")
        tab.sees("Values and the top stay")
        nothing_wrong(tab)


def test_another_suggestion_is_used(chromium, places):
    with opened(chromium, places, "/hierarchies") as tab:
        open_city(tab)
        tab.sees("Labels at each level: 9 → 1")
        tab.page.get_by_role("button", name=re.compile("^Use: The 4 most frequent")).click()
        tab.page.locator(".tree thead").get_by_text("5 labels").wait_for()
        tab.sees("in use")
        assert MARK not in tab.page.content()
        nothing_wrong(tab)


def place_of(tab, role):
    return tab.page.locator(".place", has=tab.page.locator(".put", has_text=role))


def card_in(tab, name, role):
    return place_of(tab, role).get_by_role("button", name=re.compile(f"^{name}, "))


def test_a_role_is_dragged_and_the_list_follows(chromium, places):
    with opened(chromium, places, "/roles") as tab:
        settled(tab)
        choose(tab, "Role of ward", "quasi-identifier")
        card = card_in(tab, "ward", "quasi-identifier")
        card.wait_for()
        settled(tab)
        card.drag_to(place_of(tab, "drop"))
        card_in(tab, "ward", "drop").wait_for()
        line = tab.page.locator(".role", has_text="ward")
        line.get_by_text("drop", exact=True).wait_for()
        settled(tab)
        choose(tab, "Role of ward", "keep as it is")  # and the board follows the list
        card_in(tab, "ward", "keep as it is").wait_for()
        nothing_wrong(tab)


def test_a_role_is_given_with_the_keyboard_alone(chromium, places):
    with opened(chromium, places, "/roles", size=PHONE) as tab:
        settled(tab)
        choose(tab, "Role of ward", "quasi-identifier")
        card_in(tab, "ward", "quasi-identifier").wait_for()
        settled(tab)
        card_in(tab, "ward", "quasi-identifier").focus()
        tab.page.keyboard.press("Enter")
        tab.sees("ward is chosen.")
        place_of(tab, "drop").locator(".put").focus()
        tab.page.keyboard.press("Enter")
        card_in(tab, "ward", "drop").wait_for()
        settled(tab)
        label = "document.activeElement.getAttribute('aria-label')"
        tab.page.wait_for_function(f"{label} === 'ward, drop'", timeout=WAIT)
        assert tab.overflow <= 0
        nothing_wrong(tab)
