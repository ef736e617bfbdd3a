"""Search: releases as points in the plane of risk and loss; choose one, pin some, compare.

A point whose search was stopped shows a bound, and says so; once somebody chooses it, its search
goes on behind and what it finds takes the place of the bound.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nicegui import ui

from incrowd.web import edits, jobs
from incrowd.web.facts import Choices, TriedRelease
from incrowd.web.pages import blocks, drawings
from incrowd.web.pages.drawings import Spot
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.points import (
    draw_chosen_card,
    draw_impossible_card,
    draw_pinned_table,
    loss_words,
)
from incrowd.web.pages.progress import ProgressLine
from incrowd.web.points import with_best_releases, with_longer_answers
from incrowd.web.wording import page_sentence

_OLD = (
    "These points are of an earlier policy: its columns or models were changed since. Explore "
    "again before you use one."
)


@dataclass(eq=False)
class SearchView:
    """The points that one tab shows, and which of them is chosen."""

    frame: Frame
    methods: Mapping[str, str]
    """What each search is called."""
    chosen: str | None = None
    seen: tuple[object, ...] = ()
    points: list[TriedRelease] = field(default_factory=list)

    def take_points(self) -> None:
        """Replace the points by those known now, each with the best release found for it."""
        project = self.frame.project
        self.seen = self._drawn_state()
        self.points = with_best_releases(
            with_longer_answers(project.points_run.parts, project.longer_answers)
        )

    def _drawn_state(self) -> tuple[object, ...]:
        """Values that differ from earlier ones once the points must be drawn anew."""
        project = self.frame.project
        return (project.points_run.news, len(project.longer_answers), self.is_old)

    @property
    def is_old(self) -> bool:
        """Whether the world, or anything in the policy but k, search and suppression, changed."""
        job = self.frame.project.points_run.job
        parts = self.frame.project.points_run.parts
        made_of = parts[0].policy if parts else self.frame.policy
        other = isinstance(job, jobs.Explore) and job.world != self.frame.project.session.world
        return other or edits.shared_settings(made_of) != edits.shared_settings(self.frame.policy)

    @property
    def released_points(self) -> list[TriedRelease]:
        """The points of which a release is known."""
        return [point for point in self.points if point.answer is not None]

    def refresh(self) -> None:
        """Draw the points anew if there is news; search longer for the chosen point."""
        point = self.chosen_point
        if point is not None and not self.is_old and not self.frame.project.points_run.running:
            self.frame.project.search_longer(point)
        if self._drawn_state() != self.seen:
            self.take_points()
            self.draw.refresh()

    @property
    def chosen_point(self) -> TriedRelease | None:
        """The point that is chosen; None without one."""
        return next((one for one in self.points if one.name == self.chosen), None)

    @ui.refreshable_method
    def draw(self) -> None:
        """Draw the plane, the chosen point, the pinned ones and those without a release."""
        _say_why_ended(self)
        if not self.released_points:
            draw_impossible_card(self.points)
            return
        if self.is_old:
            blocks.draw_note([_OLD], "warn")
        with blocks.draw_box("side"):
            with blocks.draw_card("Risk and loss"):
                blocks.draw_text(
                    "p", "Lower left is better. Choose a point to see what it does.", "quiet"
                )
                drawings.draw_plane(self.spots(), self._choose_at)
                _draw_legend(self.methods, self.released_points)
            with blocks.draw_box("stack"):
                draw_chosen_card(self)
        draw_pinned_table(self.frame.project.session.pinned)
        draw_impossible_card(self.points)

    def spots(self) -> list[Spot]:
        """`released_points`, in their order, as spots of the plane."""
        points = self.released_points
        pins = {one.name for one in self.frame.project.session.pinned}
        methods = list(dict.fromkeys(point.search for point in points))
        return [
            Spot(
                name=f"{point.name}: risk {risk:.3g}, {loss_words(point)} {loss:.3g}",
                risk=risk,
                loss=loss,
                series=methods.index(point.search),
                chosen=point.name == self.chosen,
                pinned=point.name in pins,
                best=best,
                bound=point.answer is not None and point.answer.quick,
            )
            for point, (risk, loss), best in zip(
                points, map(risk_and_loss, points), unbeaten_flags(points), strict=True
            )
        ]

    def points_at_chosen(self) -> list[TriedRelease]:
        """The points whose spots overlap the chosen one's, itself too; empty if none is chosen."""
        points = self.released_points
        number = next((n for n, one in enumerate(points) if one.name == self.chosen), None)
        if number is None:
            return []
        return [points[n] for n in drawings.spots_covering(self.spots(), number)]

    def _choose_at(self, number: int) -> None:
        """Choose the spot of this number; if it covers the chosen one, the next at that place."""
        covering = [
            self.released_points[n].name for n in drawings.spots_covering(self.spots(), number)
        ]
        at = covering.index(self.chosen) + 1 if self.chosen in covering else -1
        name = self.released_points[number].name if at < 0 else covering[at % len(covering)]
        self.choose(name)

    def choose(self, name: str) -> None:
        """Choose the point of this name and show what it does."""
        self.chosen = name
        self.draw.refresh()


async def show(frame: Frame) -> None:
    """Draw the page."""
    if await frame.draft() is None:
        return
    choices = await frame.project.list_choices()
    shown = SearchView(frame, choices.searches)
    _draw_controls(frame, choices)
    ProgressLine(frame, frame.project.points_run)
    shown.take_points()
    shown.draw()
    frame.watch(shown.refresh)
    frame.draw_next_button(first=bool(frame.project.points_run.parts))


def searches_for(choices: Choices, policy: str) -> list[str]:
    """The searches that count a world, if a model of the policy does; else those that do not."""
    asked = any(edits.counts_world(model["name"]) for model in edits.models(policy))
    return [name for name in choices.searches if (name in choices.of_world) == asked]


def _draw_controls(frame: Frame, choices: Choices) -> None:
    """Draw the card that asks which methods and limits to try."""
    project = frame.project
    with blocks.draw_card("What to try"), blocks.draw_bar():
        possible = searches_for(choices, frame.policy)
        named = {name: f"{choices.searches[name]} ({name})" for name in possible}
        methods = ui.select(named, value=possible, multiple=True, label="Methods")
        methods.props("outlined dense use-chips")
        limits = ui.select(
            {0.0: "none", 0.02: "2 %", 0.05: "5 %", 0.1: "10 %"},
            value=[0.0, 0.05],
            multiple=True,
            label="Records that may be left out",
        ).props("outlined dense use-chips")

        def explore() -> None:
            if not methods.value or not limits.value:
                ui.notify("Choose a method and a limit first.", position="bottom")
                return
            job = jobs.Explore(
                project.table,
                project.session.policy,
                searches=tuple(methods.value),
                suppressions=tuple(limits.value),
                world=project.session.world,
            )
            project.points_run.forget()
            project.points_run.start(job)

        button = blocks.draw_primary_button("Explore", explore).props("icon=scatter_plot")
        if project.points_run.parts:
            button.props(remove="unelevated color").props("outline")


def _say_why_ended(shown: SearchView) -> None:
    """Say why there are no points, or no more; nothing while they are looked for."""
    run = shown.frame.project.points_run
    if run.running:
        return
    if run.failed is not None:
        blocks.draw_note([page_sentence(run.failed.message)], "warn")
    elif not shown.points:
        blocks.draw_note(
            ["Explore tries k from 2 to 50 with each method and limit. It takes seconds."]
        )


def risk_and_loss(point: TriedRelease) -> tuple[float, float]:
    """The highest risk and the loss of a point, whose answer must not be None."""
    answer = point.answer
    assert answer is not None  # noqa: S101  callers pass possible points
    return answer.risk, answer.loss


def unbeaten_flags(points: Sequence[TriedRelease]) -> list[bool]:
    """For each point, whether none with another risk or loss has at most its risk and its loss."""
    places = [risk_and_loss(point) for point in points]
    return [not any(o != p and o[0] <= p[0] and o[1] <= p[1] for o in places) for p in places]


def _draw_legend(methods: Mapping[str, str], points: Sequence[TriedRelease]) -> None:
    """Draw a line that says what the marks of the plane mean."""
    marks = ("●", "■", "▲", "◆")
    names = dict.fromkeys(point.search for point in points)
    words = " · ".join(f"{mark} {methods[name]}" for mark, name in zip(marks, names, strict=False))
    hollow = " · hollow: stopped by the clock, the loss is at most this"
    bounds = hollow if any(one.answer is not None and one.answer.quick for one in points) else ""
    blocks.draw_text(
        "p", f"{words} · dashed: no other point beats these · ★ pinned{bounds}", "quiet small"
    )
