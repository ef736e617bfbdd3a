"""Tabs that are closed, reloaded and typed into."""

import pytest

from page_server import IMPATIENT, opened, served
from web.test_pages import nothing_wrong, people, settled

pytestmark = pytest.mark.slow
"""A server and a browser are started."""


@pytest.fixture
def server(pages, tmp_path):
    people(300).write_csv(tmp_path / "people.csv")
    return pages.begin(tmp_path, "people.csv")


def slider(tab):
    return tab.page.get_by_role("slider", name="k: people")


def test_a_reload_right_after_a_change_keeps_it(chromium, server):
    with opened(chromium, server, "/promise") as tab:
        settled(tab)
        k = int(slider(tab).get_attribute("value"))
        slider(tab).press("ArrowRight")
        tab.page.reload()
        tab.sees(f"finds {k + 1} people or more")
        settled(tab)
        nothing_wrong(tab)


def test_keys_undo_and_redo(chromium, server):
    with opened(chromium, server, "/promise") as tab:
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


LEFT = f"""
from incrowd.web.session import PageSession
import builtins
PageSession.cancel = lambda session: builtins.print("left alone", flush=True)
{IMPATIENT}
"""
"""A server that says when it cancels, instead of doing so."""


def test_closing_the_last_tab_cancels(chromium, tmp_path):
    people(200).write_csv(tmp_path / "people.csv")
    with served("people.csv", folder=tmp_path, code=LEFT) as server:
        with opened(chromium, server) as tab:
            tab.sees("200 records")
            tab.page.reload()
            tab.sees("200 records")
            nothing_wrong(tab)
            server.said.clear()
        server.says("left alone")
