"""How each step stands: open, done once somebody has reviewed it, or in need of a look.

Looking at a page does not make its step done. Roles are done when every column that needs an eye
was confirmed or changed; other steps when somebody changed something there, or went on from there.
"""

from typing import TYPE_CHECKING

from incrowd.web.pages import steps
from incrowd.web.pages.steps import State, Step

if TYPE_CHECKING:
    from incrowd.web.pages.project import Project


def state_of(project: "Project", step: Step) -> State:
    """Whether a step is done, open, or needs a look."""
    if step is steps.CHECK:
        return _check_state(project)
    if project.session.source is None:
        return "open"
    if step is steps.TABLE:
        return _table_state(project)
    if step is steps.RELEASE:
        return _release_state(project)
    if step is steps.ROLES and project.unreviewed:
        return "attention"
    return "done" if step in project.passed else "open"


def words_of(project: "Project", step: Step) -> str:
    """The state of a step in a word or two; empty if there is nothing to say."""
    state = state_of(project, step)
    if state == "attention" and step is steps.ROLES:
        return f"{len(project.unreviewed):,} to confirm"
    if state == "attention" and step is steps.RELEASE and project.release_is_old:
        return "not of this policy"
    return {"open": "", "done": "done", "attention": "look here"}[state]


def _table_state(project: "Project") -> State:
    if project.table_run.failed is not None:
        return "attention"
    return "done" if project.table_run.value is not None else "open"


def _release_state(project: "Project") -> State:
    """Whether a release was made, and its verdict is good and still about the present policy."""
    if project.release_run.failed is not None:
        return "attention"
    if project.release_run.value is None:
        return "open"
    verdict = project.verdict()
    good = verdict is not None and verdict.tone == "good" and not project.release_is_old
    return "done" if good else "attention"


def _check_state(project: "Project") -> State:
    found = project.check_run.value
    if found is None or project.check_is_old:
        return "attention" if project.check_run.failed is not None else "open"
    return "done" if found.ok else "attention"
