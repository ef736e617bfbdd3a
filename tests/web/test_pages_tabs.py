"""Tabs that are closed, reloaded and typed into."""

import pytest

from page_server import IMPATIENT, WAIT, opened, served
from web.test_pages import nothing_wrong, people, settled

pytestmark = pytest.mark.slow
"""A server and a browser are started."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tabs")
    people(3_000).write_csv(folder / "people.csv")
    with served("people.csv", folder=folder) as running:
        yield running


def slider(tab):
    return tab.page.get_by_role("slider", name="k: people")


def test_a_reload_right_after_a_change_keeps_it(chromium, server):
    with opened(chromium, server) as tab:
        tab.go("/promise")
        settled(tab)
        k = int(slider(tab).get_attribute("value"))
        slider(tab).press("ArrowRight")
        tab.page.reload()
        tab.sees(f"finds {k + 1} people or more")
        settled(tab)
        nothing_wrong(tab)


def test_keys_undo_and_redo(chromium, server):
    with opened(chromium, server) as tab:
        tab.go("/promise")
        settled(tab)
        k = int(slider(tab).get_attribute("value"))
        slider(tab).press("ArrowRight")
        tab.sees(f"finds {k + 1} people or more")
        tab.page.get_by_role("button", name="Undo the last change").and_(
            tab.page.locator(":enabled")
        ).wait_for()
        settled(tab)
        tab.page.locator("h1").click()  # keys that are typed into a field stay there
        tab.page.keyboard.press("Control+z")
        tab.sees(f"finds {k} people or more")
        settled(tab)
        tab.page.keyboard.press("Control+y")
        tab.sees(f"finds {k + 1} people or more")
        settled(tab)
        nothing_wrong(tab)


def test_closing_the_last_tab_cancels_and_reloading_it_does_not(chromium, tmp_path):
    people(60_000).write_csv(tmp_path / "people.csv")
    running = served("people.csv", folder=tmp_path, code=IMPATIENT)
    with running as server, opened(chromium, server) as tab:
        tab.sees("60,000 records")
        tab.go("/search")
        tab.press("Explore")
        tab.page.locator(".plane .point").first.wait_for(timeout=WAIT)
        tab.page.reload()
        cancel = tab.page.get_by_role("button", name="Cancel")
        cancel.wait_for()
        tab.page.wait_for_timeout(2_000)  # longer than the server waits for a tab
        assert cancel.is_visible()
        tab.page.goto("about:blank")  # no tab shows the page any more
        tab.page.wait_for_timeout(9_000)
        tab.go("/search")
        tab.sees("Cancelled")
        nothing_wrong(tab)
