"""The pages: one file a step. They show what the session holds and what the worker answers."""

from nicegui import ui

from incrowd.web.pages import (
    check,
    frame,
    hierarchies,
    promise,
    release,
    roles,
    search,
    steps,
    table,
)
from incrowd.web.pages.project import Project
from incrowd.web.session import PageSession

_CONTENTS = (
    (steps.TABLE, table.show),
    (steps.ROLES, roles.show),
    (steps.HIERARCHIES, hierarchies.show),
    (steps.PROMISE, promise.show),
    (steps.SEARCH, search.show),
    (steps.RELEASE, release.show),
    (steps.CHECK, check.show),
)


def attach(session: PageSession) -> None:
    """Define the pages of all steps for this session; all tabs share one project."""
    project = Project(session)
    for step, content in _CONTENTS:
        _define_page(project, step, content)


def _define_page(project: Project, step: steps.Step, content: frame.Content) -> None:
    @ui.page(step.path)
    def draw(after: str = "") -> None:
        frame.draw_page(project, step, content, after)
