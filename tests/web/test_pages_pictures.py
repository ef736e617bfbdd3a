"""A picture of each page on the made-up hospital, for the guide.

UPDATE_DOCS=1 pytest tests/web/test_pages_pictures.py      # writes them anew
"""

import os
from pathlib import Path

import pytest

from page_server import WAIT, opened, served

pytestmark = pytest.mark.slow
"""A server and a browser are started."""

FOLDER = Path(__file__).parents[2] / "docs" / "guide" / "screens"
LARGEST = 150_000
"""Bytes of a picture."""
WINDOW = (1160, 780)
STEPS = ("table", "roles", "hierarchies", "promise", "search", "release", "check")
NAMES = (*STEPS, "same-as", "phone")


def taken(tab, name, folder):
    """Take a picture of what the window shows."""
    tab.page.mouse.move(0, 0)
    tab.page.wait_for_timeout(300)
    path = folder / f"ui-{name}.png"
    tab.page.screenshot(path=path)
    assert path.stat().st_size <= LARGEST, name


def answered(tab):
    tab.page.locator(".stack[aria-live]:not(.working) .figures").first.wait_for(timeout=WAIT)


@pytest.mark.thorough
def test_a_picture_of_each_page(chromium, tmp_path):
    place = tmp_path / "hospital"
    place.mkdir()
    folder = FOLDER if os.environ.get("UPDATE_DOCS") else tmp_path
    with served("--demo", folder=place) as server, opened(chromium, server, size=WINDOW) as tab:
        tab.sees("2,000 records")
        taken(tab, "table", folder)
        tab.step("Roles")
        answered(tab)
        tab.sees("Told apart")
        taken(tab, "roles", folder)
        tab.step("Hierarchies")
        tab.page.get_by_role("tab", name="zip").click()
        tab.sees("Levels of zip")
        answered(tab)
        taken(tab, "hierarchies", folder)
        tab.step("Promise")
        answered(tab)
        taken(tab, "promise", folder)
        searched(tab, folder)
        released(tab, folder)
        assert tab.errors == tab.strangers == []
    assert {path.name for path in FOLDER.glob("ui-*.png")} == {f"ui-{name}.png" for name in NAMES}


def searched(tab, folder):
    tab.step("Search")
    tab.press("Explore")
    tab.page.locator(".plane .point").nth(4).wait_for(timeout=WAIT * 2)
    tab.press("Cancel")
    tab.sees("Cancelled")
    tab.page.locator(".plane .point").nth(2).press("Enter")
    tab.press("Pin to compare")
    tab.sees("Pinned points")
    tab.page.evaluate("window.scrollTo(0, 0)")
    taken(tab, "search", folder)
    tab.press("Use this point")


def released(tab, folder):
    tab.step("Release")
    tab.page.get_by_role("button", name="Make the release").wait_for(timeout=WAIT)
    tab.press("Same as: policy file, command, Python")
    tab.sees("version = 1")
    taken(tab, "same-as", folder)
    tab.press("Close")
    tab.press("Make the release")
    tab.page.get_by_text("keeps its policy").wait_for(timeout=WAIT * 5)
    tab.page.wait_for_timeout(700)  # the rail says so, too
    taken(tab, "release", folder)
    tab.step("Check")
    tab.press("Check it")
    tab.sees("counted anew from the file")
    tab.page.wait_for_timeout(700)
    taken(tab, "check", folder)
    tab.page.set_viewport_size({"width": 390, "height": 844})
    tab.go("/promise")
    answered(tab)
    taken(tab, "phone", folder)
