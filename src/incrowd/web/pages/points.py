"""Points of the page Search: the one that is chosen, pinned ones, and those without a release."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nicegui import ui

from incrowd.errors import count_of
from incrowd.web.facts import TriedRelease, WhatIf
from incrowd.web.pages import blocks
from incrowd.web.pages.effect import crowd_figures, draw_loss_table
from incrowd.web.session import PINNED
from incrowd.web.wording import page_sentence

if TYPE_CHECKING:
    from incrowd.web.pages.search import SearchView

_STOPPED = (
    "The clock stopped this search, so that the loss is at most what is shown. A full search goes "
    "on behind; what it finds takes its place."
)


def loss_words(point: TriedRelease) -> str:
    """The words before the loss of a point: "loss", or "loss at most" for a bound."""
    return "loss at most" if point.answer is not None and point.answer.quick else "loss"


def draw_chosen_card(shown: "SearchView") -> None:
    """Draw the card of the chosen point: its figures, what each column loses, its buttons."""
    point = shown.chosen_point
    with blocks.draw_card("The point you chose"):
        if point is None or point.answer is None:
            blocks.draw_text("p", "None yet.", "quiet")
            return
        _draw_others_here(shown, point)
        blocks.draw_text("h3", point.name)
        _draw_remarks(point)
        answer = point.answer
        most = " at most" if answer.quick else ""
        blocks.draw_figures(
            [
                *crowd_figures(answer),
                (blocks.percent(answer.risk), "highest risk", ""),
                (blocks.percent(answer.loss), f"information loss{most}", ""),
            ]
        )
        draw_loss_table(answer)
        _draw_actions(shown, point)


def _draw_others_here(shown: "SearchView", point: TriedRelease) -> None:
    """Draw a button for each other point that the chosen one covers; nothing if it covers none."""
    others = [one for one in shown.points_at_chosen() if one.name != point.name]
    if not others:
        return
    count = "1 more point lies" if len(others) == 1 else f"{len(others)} more points lie"
    blocks.draw_text("p", f"{count} at this place:", "quiet small")
    with blocks.draw_bar():
        for one in others:
            button = blocks.draw_plain_button(one.name, lambda name=one.name: shown.choose(name))
            button.props("dense no-caps")


def _draw_remarks(point: TriedRelease) -> None:
    """Say if the release is that of a stricter point, and if the search was stopped."""
    if point.like:
        words = f"The release of “{point.like}” loses less and satisfies this, too"
        blocks.draw_note([f"{words}: it is shown here, and used if you use this point."])
    if point.answer is not None and point.answer.quick:
        blocks.draw_note([_STOPPED], "warn")


def _draw_actions(shown: "SearchView", point: TriedRelease) -> None:
    """Draw the buttons that use the point, and pin or unpin it."""
    session = shown.frame.project.session
    names = [one.name for one in session.pinned]
    pinned = point.name in names

    def pin() -> None:
        if pinned:
            session.unpin(names.index(point.name))
        else:
            session.pin(point)
        shown.draw.refresh()

    with blocks.draw_bar():
        use = blocks.draw_plain_button("Use this point", lambda: _use_point(shown, point), "check")
        use.props(remove="outline").props("unelevated color=primary text-color=white")
        use.set_enabled(not shown.is_old)
        button = blocks.draw_plain_button("Unpin" if pinned else "Pin to compare", pin, "push_pin")
        button.set_enabled(pinned or len(session.pinned) < PINNED)


async def _use_point(shown: "SearchView", point: TriedRelease) -> None:
    if await shown.frame.change(lambda _: point.policy):
        ui.notify(f"The policy is now that of {point.like or point.name}.", position="bottom")


def draw_pinned_table(pins: Sequence[TriedRelease]) -> None:
    """Draw the pinned points side by side; nothing if none has figures."""
    answers = [(one.name, one.answer) for one in pins if one.answer is not None]
    if not answers:
        return
    blocks.draw_text("h2", "Pinned points")
    head = ("", *(name for name, _ in answers))
    add = blocks.draw_table(head, "Pinned points", numeric=range(1, 5))
    add("people share each line", *(blocks.count_text(a.after.k) for _, a in answers))
    if any(a.world for _, a in answers):
        fit = ("" if a.world is None else blocks.count_text(a.world.people) for _, a in answers)
        add("people of the world fit each line", *fit)
    add("highest risk", *(blocks.percent(a.risk) for _, a in answers))
    # Where k counts a world, the average over the classes of the table would be about another risk.
    means = (
        None if a.world is not None and a.world.instead else a.after.average for _, a in answers
    )
    add("average risk", *("" if mean is None else blocks.percent(mean) for mean in means))
    add("information loss", *(_loss_text(a) for _, a in answers))
    add("records left out", *(blocks.count_text(a.suppressed) for _, a in answers))
    for column in answers[0][1].by_column:
        add(
            f"lost of {column}", *(blocks.percent(a.by_column.get(column, 0.0)) for _, a in answers)
        )


def _loss_text(answer: WhatIf) -> str:
    return f"{'at most ' if answer.quick else ''}{blocks.percent(answer.loss)}"


def draw_impossible_card(points: Sequence[TriedRelease]) -> None:
    """List the points without a release: those proved to have none, and the others."""
    none = [point for point in points if point.answer is None]
    proved = [point for point in none if point.impossible]
    _draw_list(f"{count_of(len(proved), 'point has', 'points have')} no release", proved)
    rest = [point for point in none if not point.impossible]
    _draw_list(f"{count_of(len(rest), 'point')}: none was found, and there may be one", rest)


def _draw_list(words: str, points: Sequence[TriedRelease]) -> None:
    """Draw a fold with why each point has no release; nothing without points."""
    if points:
        with ui.expansion(words).classes("card"):
            for point in points:
                blocks.draw_text("p", f"{point.name}: {page_sentence(point.why)}", "small")
