"""Search: releases as points in the plane of risk and loss; choose one, pin some, compare."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nicegui import ui

from incrowd.web import edits, jobs
from incrowd.web.facts import Choices, Point
from incrowd.web.pages import blocks, drawings
from incrowd.web.pages.drawings import Spot
from incrowd.web.pages.effect import crowds
from incrowd.web.pages.frame import Frame, sentence
from incrowd.web.pages.progress import Progress
from incrowd.web.pages.project import Work

MOST_PINNED = 4
_KS = (2, 3, 5, 10, 20, 50)


@dataclass(eq=False)
class Shown:
    """What one tab shows of the points."""

    frame: Frame
    methods: Mapping[str, str]
    """What each search is called."""
    chosen: str | None = None
    seen: tuple[object, ...] = ()
    points: list[Point] = field(default_factory=list)

    def refresh(self) -> None:
        """Draw the plane anew if there are more points."""
        now = state_of(self.frame.project.explored)
        if now != self.seen:
            self.seen = now
            self.points = list(self.frame.project.explored.parts)
            self.draw.refresh()

    @ui.refreshable_method
    def draw(self) -> None:
        """The plane, the point that is chosen, and the pinned ones."""
        _ended(self)
        possible = [point for point in self.points if point.answer is not None]
        if not possible:
            return
        with blocks.box("side"):
            with blocks.card("Risk and loss"):
                blocks.text(
                    "p", "Lower left is better. Choose a point to see what it does.", "quiet"
                )
                drawings.plane(self.spots(possible), lambda n: self.choose(possible[n].name))
                _legend(self.methods, possible)
            with blocks.box("stack"):
                _chosen(self)
        _pinned(self)
        _impossible(self.points)

    def spots(self, points: Sequence[Point]) -> list[Spot]:
        """The points as places on the plane."""
        pins = {one.name for one in self.frame.project.session.pinned}
        methods = list(dict.fromkeys(point.search for point in points))
        return [
            Spot(
                name=f"{point.name}: risk {risk:.3g}, loss {loss:.3g}",
                risk=risk,
                loss=loss,
                series=methods.index(point.search),
                chosen=point.name == self.chosen,
                pinned=point.name in pins,
                best=best,
            )
            for point, (risk, loss), best in zip(
                points, map(place_of, points), undominated(points), strict=True
            )
        ]

    def choose(self, name: str) -> None:
        """Show what this point does."""
        self.chosen = name
        self.draw.refresh()


async def show(frame: Frame) -> None:
    """Draw the page."""
    if not frame.has_table():
        return
    await frame.answer(frame.project.draft(), "Drafting a policy")
    frame.settled()
    choices = await frame.project.choices()
    shown = Shown(frame, choices.searches)
    _controls(frame, choices)
    Progress(frame, frame.project.explored)
    shown.seen = state_of(frame.project.explored)
    shown.points = list(frame.project.explored.parts)
    shown.draw()
    frame.watch(shown.refresh)
    frame.next_button(first=bool(frame.project.explored.parts))


def fitting(choices: Choices, policy: str) -> list[str]:
    """The searches that can serve the models of a policy."""
    of_world = {model.name for model in choices.models if model.of_world}
    asked = any(model["name"] in of_world for model in edits.models(policy))
    return [name for name in choices.searches if (name in choices.of_world) == asked]


def _controls(frame: Frame, choices: Choices) -> None:
    project = frame.project
    with blocks.card("What to try"), blocks.bar():
        possible = fitting(choices, frame.policy)
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
            job = jobs.Explore(
                project.table,
                project.session.policy,
                ks=_KS,
                searches=tuple(methods.value),
                suppressions=tuple(limits.value),
                world=project.session.world,
            )
            project.explored.forget()
            project.explored.start(job, job)

        button = blocks.primary("Explore", explore).props("icon=scatter_plot")
        if project.explored.parts:
            button.props(remove="unelevated color").props("outline")


def _ended(shown: Shown) -> None:
    """Why there are no points, or no more."""
    work = shown.frame.project.explored
    if work.running:
        return
    if work.failed is not None:
        blocks.note([sentence(work.failed.message)], "warn")
    elif not shown.points:
        blocks.note(["Explore tries k from 2 to 50 with each method and limit. It takes seconds."])


def state_of(work: Work) -> tuple[object, ...]:
    """What is drawn of a search: its points, and how it ended."""
    return (id(work.parts), len(work.parts), work.running, work.failed)


def place_of(point: Point) -> tuple[float, float]:
    """Highest risk and loss of a point that is possible."""
    answer = point.answer
    assert answer is not None  # noqa: S101  callers pass possible points
    return answer.risk, answer.loss


def undominated(points: Sequence[Point]) -> list[bool]:
    """Which points no other one beats in both risk and loss."""
    places = [place_of(point) for point in points]
    return [not any(o != p and o[0] <= p[0] and o[1] <= p[1] for o in places) for p in places]


def _legend(methods: Mapping[str, str], points: Sequence[Point]) -> None:
    marks = ("●", "■", "▲", "◆")
    names = dict.fromkeys(point.search for point in points)
    words = " · ".join(f"{mark} {methods[name]}" for mark, name in zip(marks, names, strict=False))
    blocks.text("p", f"{words} · dashed: no other point beats these · ★ pinned", "quiet small")


def _chosen(shown: Shown) -> None:
    """What the chosen point does to each column."""
    point = next((one for one in shown.points if one.name == shown.chosen), None)
    with blocks.card("The point you chose"):
        if point is None or point.answer is None:
            blocks.text("p", "None yet.", "quiet")
            return
        answer = point.answer
        blocks.text("h3", point.name)
        blocks.figures(
            [
                *crowds(answer),
                (blocks.percent(answer.risk), "highest risk", ""),
                (blocks.percent(answer.loss), "information loss", ""),
            ]
        )
        add = blocks.table(("Column", "Lost"), "What each column loses", numeric=(1,))
        for name, lost in sorted(answer.by_column.items(), key=lambda pair: -pair[1]):
            add(name, lambda lost=lost: blocks.share(lost))
        _actions(shown, point)


def _actions(shown: Shown, point: Point) -> None:
    session = shown.frame.project.session
    names = [one.name for one in session.pinned]
    pinned = point.name in names

    def pin() -> None:
        if pinned:
            session.unpin(names.index(point.name))
        else:
            session.pin(point)
        shown.draw.refresh()

    with blocks.bar():
        use = blocks.other("Use this point", lambda: _use(shown, point), "check")
        use.props(remove="outline").props("unelevated color=primary text-color=white")
        button = blocks.other("Unpin" if pinned else "Pin to compare", pin, "push_pin")
        button.set_enabled(pinned or len(session.pinned) < MOST_PINNED)


async def _use(shown: Shown, point: Point) -> None:
    if await shown.frame.change(lambda _: point.policy):
        ui.notify(f"The policy is now that of {point.name}.", position="bottom")


def _pinned(shown: Shown) -> None:
    """Pinned points side by side."""
    pins: Sequence[Point] = shown.frame.project.session.pinned
    answers = [(one.name, one.answer) for one in pins if one.answer is not None]
    if not answers:
        return
    blocks.text("h2", "Pinned points")
    head = ("", *(name for name, _ in answers))
    add = blocks.table(head, "Pinned points", numeric=range(1, 5))
    add("people share each line", *(str(a.after.k) for _, a in answers))
    if any(a.world for _, a in answers):
        fit = ("" if a.world is None else str(a.world.people) for _, a in answers)
        add("people of the world fit each line", *fit)
    add("highest risk", *(blocks.percent(a.risk) for _, a in answers))
    # Where k counts a world, the average over the classes of the table would be about another risk.
    means = (
        None if a.world is not None and a.world.instead else a.after.average for _, a in answers
    )
    add("average risk", *("" if mean is None else blocks.percent(mean) for mean in means))
    add("information loss", *(blocks.percent(a.loss) for _, a in answers))
    add(
        "records left out",
        *(
            "fewer than 5" if a.suppressed is None else blocks.whole(a.suppressed)
            for _, a in answers
        ),
    )
    for column in answers[0][1].by_column:
        add(
            f"lost of {column}", *(blocks.percent(a.by_column.get(column, 0.0)) for _, a in answers)
        )


def _impossible(points: Sequence[Point]) -> None:
    none = [point for point in points if point.answer is None]
    if none:
        with ui.expansion(f"{len(none)} points have no release").classes("card"):
            for point in none:
                blocks.text("p", f"{point.name}: {point.why}", "small")
