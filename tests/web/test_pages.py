"""The pages in a real browser: the whole path, and what can go wrong on it."""

import os
import re
import shlex
import signal
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from incrowd.cli.main import perform
from page_server import DESKTOP, PHONE, WAIT, opened, served

pytestmark = pytest.mark.slow
"""A server and a browser are started."""

STEPS = ("Table", "Roles", "Hierarchies", "Promise", "Search", "Release", "Check")
PATHS = ("/", "/roles", "/hierarchies", "/promise", "/search", "/release", "/check")


def people(rows, seed=3):
    """A made-up table of people: three columns that others know, one that nobody should learn."""
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": draw.integers(18, 90, rows),
            "sex": draw.choice(["female", "male"], rows),
            "zip": draw.integers(0, 60, rows) + 10_000,
            "diagnosis": draw.choice(["A", "B", "C", "D", "E", "F"], rows),
        }
    ).with_columns(pl.col("zip").cast(pl.String))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a table of 400 people."""
    made = tmp_path_factory.mktemp("small")
    people(400).write_csv(made / "people.csv")
    return made


@pytest.fixture
def small(pages, folder):
    """A server with this table."""
    return pages.begin(folder, "people.csv")


@pytest.fixture
def searched(pages, folder):
    """A server with this table, which searches it behind the quick answers."""
    return pages.begin(folder, "people.csv", searched=True)


def nothing_wrong(tab):
    assert tab.errors == []
    assert tab.strangers == []
    assert "token" not in tab.page.url


def figure(tab, meaning):
    """The number above these words."""
    place = tab.page.locator(".figure", has_text=meaning).first
    place.wait_for(timeout=WAIT)
    return place.locator(".number").inner_text()


def settled(tab):
    """Wait until the answer of what-if is there."""
    tab.page.locator(".stack[aria-live]:not(.working) .figures").first.wait_for(timeout=WAIT)
    tab.quiet()


def choose(tab, label, option):
    tab.page.get_by_role("combobox", name=label).click()
    tab.page.get_by_role("option", name=option, exact=True).click()


def test_the_path_from_a_table_to_a_checked_release(chromium, tmp_path, monkeypatch):
    people(400).write_csv(tmp_path / "people.csv")
    with served("people.csv", folder=tmp_path) as server, opened(chromium, server) as tab:
        tab.sees("400 records, 4 columns")
        tab.next("Roles")
        settled(tab)
        choose(tab, "Role of zip", "drop")
        tab.press("Undo the last change (Ctrl+Z)")  # enabled once the change is accepted
        zip_role = tab.page.locator(".role", has_text="zip").get_by_text("quasi-identifier")
        zip_role.first.wait_for()
        settled(tab)
        tab.next("Hierarchies")
        tab.sees("Levels of age")
        tab.page.get_by_role("button", name="Cut at 40").press("Enter")
        tab.sees("Intervals begin at 40.")
        tab.next("Promise")
        settled(tab)
        assert figure(tab, "share each line") >= "5"
        for k in (6, 7, 8):  # it stays where it was put
            tab.page.get_by_role("slider", name="k: people").press("ArrowRight")
            tab.sees(f"finds {k} people or more")
        crowd = tab.page.locator(".figure", has_text="people share each line at least")
        crowd.get_by_text(re.compile(r"^([89]|\d{2,})$")).wait_for()  # accepted, and answered
        tab.page.reload()
        tab.sees("finds 8 people or more")
        settled(tab)
        tab.next("Search")
        explored(tab)
        tab.next("Release")
        released(tab, tmp_path, monkeypatch)
        tab.next("Check")
        tab.press("Check it")
        tab.sees("Every promise is kept, counted anew from the file.")
        nothing_wrong(tab)


def explored(tab):
    """Explore until there are some points, cancel, choose one, pin it and use it."""
    tab.press("Explore")
    tab.page.locator(".plane .point").nth(1).wait_for(timeout=WAIT)
    tab.press("Cancel")
    tab.sees("Cancelled")
    tab.page.locator(".plane .point").first.press("Enter")
    tab.press("Pin to compare")
    tab.sees("Pinned points")
    tab.press("Use this point")
    tab.sees("The policy is now that of")


def released(tab, folder, monkeypatch):
    """Make a release, and make it again by the command that the page shows."""
    tab.press("Make the release")
    tab.page.get_by_text("keeps its policy").wait_for(timeout=2 * WAIT)
    tab.press("Same as: policy file, command, Python")
    policy = shown_as(tab, "Policy")
    command = shlex.split(shown_as(tab, "Command"))
    again = folder / "again"
    again.mkdir()
    (again / "policy.toml").write_text(policy, encoding="utf-8")
    target = Path(command[command.index("-o") + 1])
    made = target.read_bytes()
    target.unlink()
    monkeypatch.chdir(again)
    assert perform([*command[1:], "--quiet"]) == 0
    assert target.read_bytes() == made
    tab.press("Close")


def shown_as(tab, name):
    tab.page.get_by_role("tab", name=name).click()
    place = tab.page.get_by_role("region", name=name, exact=True)
    place.wait_for()
    return place.inner_text()


def test_two_tabs_show_the_same_policy(chromium, small):
    with opened(chromium, small, "/promise") as one:
        with opened(chromium, small, "/promise") as other:
            settled(one)
            settled(other)
            slider = other.page.get_by_role("slider", name="k: people")
            slider.press("Home")
            one.sees("finds 2 people or more")
            nothing_wrong(other)
        nothing_wrong(one)


def test_a_change_of_k_is_answered_without_asking(chromium, searched):
    with opened(chromium, searched, "/promise") as tab:
        settled(tab)
        slider = tab.page.get_by_role("slider", name="k: people")
        slider.press("End")  # k = 50
        crowd = tab.page.locator(".figure", has_text="people share each line at least")
        crowd.get_by_text(re.compile(r"^([5-9]\d|\d{3,})$")).wait_for(timeout=WAIT)
        nothing_wrong(tab)


def test_a_full_search_goes_on_behind_the_quick_answer(chromium, searched):
    with opened(chromium, searched, "/promise") as tab:
        settled(tab)
        for key in ("End", "Home"):  # whatever it was, it is asked anew
            tab.page.get_by_role("slider", name="k: people").press(key)
        tab.page.locator(".figure", has_text="highest risk").get_by_text("50 %").wait_for()
        quick = tab.page.get_by_text("a full search usually loses less")
        quick.wait_for(state="detached", timeout=WAIT)
        assert figure(tab, "highest risk") == "50 %"
        assert figure(tab, "information loss").endswith("%")
        nothing_wrong(tab)


def workers(pid):
    """The worker processes of a server, by what started them."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    commands = {int(c): Path(f"/proc/{c}/cmdline").read_bytes() for c in children}
    return [child for child, command in commands.items() if b"spawn_main" in command]


def test_a_lost_worker_is_told_and_replaced(chromium, small):
    with opened(chromium, small, "/search") as tab:
        tab.press("Explore")
        tab.page.get_by_role("button", name="Cancel").wait_for()
        for worker in workers(small.process.pid):
            os.kill(worker, signal.SIGKILL)
        tab.sees("The worker ended unexpectedly")
        tab.step("Promise")
        settled(tab)
        nothing_wrong(tab)


def test_a_broken_file_is_told_in_the_librarys_words(chromium, pages, tmp_path):
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 this is no table")
    with opened(chromium, pages.begin(tmp_path, "broken.parquet")) as tab:
        tab.page.locator(".note.bad").wait_for(timeout=WAIT)
        assert "Traceback" not in tab.page.content()
        tab.press("Try again")
        tab.page.locator(".note.bad").wait_for(timeout=WAIT)
        nothing_wrong(tab)


def every_page(tab):
    """Go through all pages, the first of which is open; give the step of each once it is drawn."""
    for path, step in zip(PATHS, STEPS, strict=True):
        if path != PATHS[0]:
            tab.go(path)
        tab.heading(step)
        tab.quiet()
        yield step


HOSTILE = "<img src=x onerror=alert(1)>\"'`{{7*7}}${1}</script><script>alert(2)</script>"


def test_hostile_names_stay_text(chromium, pages, tmp_path):
    name = "<img src=x onerror=alert(1)>{{7*7}}.csv"
    people(200).rename({"age": HOSTILE, "diagnosis": "</pre><b>x"}).write_csv(tmp_path / name)
    with opened(chromium, pages.begin(tmp_path, name)) as tab:
        tab.page.on("dialog", lambda dialog: tab.errors.append(dialog.message))
        tab.sees("200 records")
        for step in every_page(tab):
            assert tab.page.locator("img[src='x'], b").count() == 0
            if step == "Roles":
                tab.sees(HOSTILE)
        tab.press("Same as: policy file, command, Python")
        assert "{{7*7}}" in shown_as(tab, "Command")
        nothing_wrong(tab)


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_every_page_fits_and_has_names_for_its_controls(chromium, small, size, scheme):
    with opened(chromium, small, size=size, scheme=scheme) as tab:
        for step in every_page(tab):
            assert tab.overflow <= 0, step
            assert tab.page.evaluate(UNNAMED) == [], step
        nothing_wrong(tab)


UNNAMED = """() => [...document.querySelectorAll('button, input, [role=slider], [role=button]')]
  .filter(e => e.offsetParent !== null)
  .filter(e => !(e.getAttribute('aria-label') || e.innerText || e.getAttribute('aria-labelledby')
    || (e.labels && e.labels.length) || e.closest('label, [aria-label]')))
  .map(e => e.outerHTML.slice(0, 200))"""


def test_cells_are_shown_only_when_asked_for(chromium, small):
    with opened(chromium, small) as tab:
        tab.sees("400 records")
        assert tab.page.get_by_role("cell", name="female").count() == 0
        hidden = tab.page.get_by_text("Cells are not shown.")
        hidden.wait_for()
        switch = tab.page.get_by_role("switch")
        switch.click()
        tab.page.get_by_role("cell", name="female", exact=True).first.wait_for()
        assert hidden.count() == 0
        switch.click()
        tab.page.get_by_role("cell", name="female").first.wait_for(state="detached")
        hidden.wait_for()
        nothing_wrong(tab)


def test_a_preset_a_group_and_an_export(chromium, small):
    with opened(chromium, small, "/promise") as tab:
        settled(tab)
        tab.page.get_by_role("slider", name="k: people").press("Home")
        tab.page.locator(".figure", has_text="highest risk").get_by_text("50 %").wait_for()
        tab.quiet()
        tab.press("Use internal")
        tab.sees("finds 5 people or more")
        tab.go("/hierarchies")
        tab.page.get_by_role("tab", name="sex").click()
        tab.sees("Levels of sex")
        tab.page.get_by_text("From or to a CSV file").click()
        with tab.page.expect_download() as saved:
            tab.press("Export")
        assert saved.value.suggested_filename == "sex.hierarchy.csv"
        tab.press("Put there")
        tab.sees("A label needs a name")
        nothing_wrong(tab)


@pytest.mark.thorough
def test_five_million_rows_open_and_answer(chromium, tmp_path):
    people(5_000_000).write_parquet(tmp_path / "many.parquet")
    with served("many.parquet", folder=tmp_path) as server, opened(chromium, server) as tab:
        tab.sees("5,000,000 records")
        tab.go("/promise")
        tab.page.locator(".figures").first.wait_for(timeout=2 * WAIT)
        nothing_wrong(tab)
