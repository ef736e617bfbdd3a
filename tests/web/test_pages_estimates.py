"""Estimates, bounds and what was stopped: the pages say so, and searches take their place."""

import pytest

from page_server import WAIT, opened, served
from web.test_pages import figure, nothing_wrong, people

pytestmark = pytest.mark.slow
"""A server and a browser are started."""

CODE = """
import sys
from incrowd.web import edits, facts, jobs, worker
from incrowd.web.events import Cancelled, Done, Progress
from incrowd.web.server import UiOptions, serve

real, stopped = worker.Worker.submit, []
crowd = facts.ClassFacts(k=1, classes=9, highest=1.0, average=0.1, uniques=0)

def ticket(job, *events):
    made = worker.Ticket(0, job)
    for event in events:
        made.put(event)
    return made

def answer(k, loss, quick):
    after = facts.ClassFacts(k=k, classes=9, highest=1 / k, average=0.1, uniques=0)
    return facts.WhatIf(before=crowd, after=after, suppressed=0, why_refused=None,
        loss_name="gcp", loss=loss, by_column={"age": loss}, quick=quick, how="", seconds=0.1)

def point(job, k, loss, quick=False):
    name = f"crowd, k = {k}"
    return facts.TriedRelease(name=name, search="crowd", policy=edits.with_k(job.policy, k), k=k,
        answer=None if loss is None else answer(k, loss, quick), why="too late; use --time-limit")

def submit(self, job):
    if isinstance(job, jobs.AskWhatIf):
        why = "the table is too large for a quick answer"
        return ticket(job, Done(facts.Unanswered(before=crowd, why=why)))
    if isinstance(job, jobs.SearchPolicy) and not stopped:
        stopped.append(job)
        return ticket(job, Cancelled("cancelled"))
    if isinstance(job, jobs.Explore):
        made = [point(job, 2, 0.9), point(job, 3, 0.5), point(job, 5, 0.95, True),
            point(job, 50, None)]
        return ticket(job, *(Progress("", 0.5, one) for one in made), Done(tuple(made)))
    return real(self, job)

worker.Worker.submit = submit
if __name__ == "__main__":
    serve(UiOptions(file=sys.argv[1], browser=False), print)
"""
"""A server whose quick answers come too late, whose first search somebody stops, and whose points
are made up: k = 2 dearer than k = 3, k = 5 stopped by the clock, k = 50 not found in time."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("estimates")
    people(400).write_csv(folder / "people.csv")
    with served("people.csv", folder=folder, code=CODE) as running:
        yield running


def test_what_is_not_computed_or_was_stopped_is_said_to_be_so(chromium, server):
    with opened(chromium, server, "/promise") as tab:
        tab.sees("Not computed yet: the table is too large for a quick answer.")
        assert figure(tab, "information loss") == "unknown"
        assert figure(tab, "people share each line") == "unknown"
        tab.sees("The full search ended without an answer: cancelled.")
        tab.press("Search now")
        tab.page.get_by_text("Not computed yet").wait_for(state="detached", timeout=WAIT)
        assert figure(tab, "information loss (gcp)").endswith("%")
        assert int(figure(tab, "people share each line")) >= 5
        assert tab.page.get_by_text("ended without an answer").count() == 0
        nothing_wrong(tab)


def test_points_say_what_they_are_and_every_one_can_be_chosen(chromium, server):
    with opened(chromium, server, "/search") as tab:
        tab.press("Explore")
        marks = tab.page.locator(".plane .point")
        marks.nth(2).wait_for(timeout=WAIT)
        labels = [one.get_attribute("aria-label") for one in marks.all()]
        assert "crowd, k = 2: risk 0.333, loss 0.5" in labels  # the release of k = 3 does it, too
        assert "crowd, k = 5: risk 0.2, loss at most 0.95" in labels
        tab.sees("1 point: none was found, and there may be one").click()
        assert "--time-limit" not in tab.page.locator(".page").inner_text()
        covering = tab.page.get_by_label("crowd, k = 3: risk")
        covering.click(force=True)
        tab.sees("1 more point lies at this place:")
        chosen = tab.page.locator('section[aria-label="The point you chose"]')
        first = chosen.locator("h3").inner_text()
        covered = ({"crowd, k = 2", "crowd, k = 3"} - {first}).pop()
        covering.click(force=True)  # a second click takes the next point of this place
        chosen.get_by_role("heading", name=covered, exact=True).wait_for(timeout=WAIT)
        if covered != "crowd, k = 2":
            chosen.get_by_role("button", name="crowd, k = 2", exact=True).click()
        tab.sees("The release of “crowd, k = 3” loses less and satisfies this, too")
        tab.press("Use this point")
        tab.sees("The policy is now that of crowd, k = 3.")
        tab.page.get_by_label("crowd, k = 5: risk").press("Enter")
        chosen.get_by_role("heading", name="crowd, k = 5", exact=True).wait_for(timeout=WAIT)
        tab.page.get_by_text("information loss at most").wait_for(state="detached", timeout=WAIT)
        assert figure(tab, "information loss") != "95 %"  # the full search took its place
        nothing_wrong(tab)


def test_points_of_an_earlier_policy_cannot_be_used(chromium, server):
    with opened(chromium, server, "/search") as tab:
        tab.press("Explore")
        tab.page.locator(".plane .point").nth(2).wait_for(timeout=WAIT)
        tab.go("/roles")
        tab.page.get_by_role("combobox", name="Role of zip").click()
        tab.page.get_by_role("option", name="drop", exact=True).click()
        tab.page.locator(".role", has_text="zip").get_by_text("drop").first.wait_for()
        tab.quiet()
        tab.go("/search")
        tab.sees("These points are of an earlier policy")
        tab.page.locator(".plane .point").first.press("Enter")
        assert tab.page.get_by_role("button", name="Use this point").is_disabled()
        nothing_wrong(tab)
