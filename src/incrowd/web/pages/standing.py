"""How each step stands: open, done, or in need of a look.

Table, Release and Check are done once their job has a good answer; other steps once somebody
changed something there, or went on from there. Roles also need every doubtful column reviewed.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from incrowd.web.pages import steps
from incrowd.web.pages.steps import State, Step

if TYPE_CHECKING:
    from incrowd.web.pages.project import JobRun, Project


def state_of(project: "Project", step: Step) -> State:
    """Whether a step is done, open, or needs a look."""
    if step is steps.CHECK:
        run = project.check_run
        return "open" if project.check_is_old else _state_of_run(run, lambda check: check.ok)
    if project.session.source is None:
        return "open"
    if step is steps.TABLE:
        return _state_of_run(project.table_run, lambda _: True)
    if step is steps.RELEASE:
        return _state_of_run(project.release_run, lambda _: _is_release_good(project))
    if step is steps.ROLES and project.unreviewed:
        return "attention"
    return "done" if step in project.passed else "open"


def state_words(project: "Project", step: Step) -> str:
    """The state of a step in a few words, such as "not of this policy"; empty if it is open."""
    state = state_of(project, step)
    if state == "attention" and step is steps.ROLES:
        return f"{len(project.unreviewed):,} to confirm"
    if state == "attention" and step is steps.RELEASE and project.release_is_old:
        return "not of this policy"
    return {"open": "", "done": "done", "attention": "look here"}[state]


def _state_of_run(run: "JobRun[Any]", is_good: Callable[[Any], bool]) -> State:
    """Done if the job has a good answer, open before any, else in need of a look."""
    if run.failed is not None:
        return "attention"
    return "open" if run.value is None else "done" if is_good(run.value) else "attention"


def _is_release_good(project: "Project") -> bool:
    """Whether the verdict on the release is good and still about the present policy."""
    verdict = project.verdict()
    return verdict is not None and verdict.tone == "good" and not project.release_is_old
