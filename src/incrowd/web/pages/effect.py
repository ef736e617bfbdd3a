"""What the policy would do, answered at once: the card that follows every change.

A quick answer is an estimate and says so; what a full search finds takes its place. What nobody has
computed, or what was stopped, is said to be unknown.
"""

from typing import TypeAlias

from nicegui import background_tasks, ui

from incrowd.web.events import Failed
from incrowd.web.facts import ClassFacts, Unanswered, WhatIf
from incrowd.web.pages import blocks
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.progress import ProgressLine
from incrowd.web.pages.project import SEARCHED, Project
from incrowd.web.wording import page_sentence


class Effect:
    """The card "What this does", kept up to date with the policy."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._shown: WhatIf | Unanswered | None = None
        self._policy = ""
        self._said = ""
        with blocks.draw_card("What this does"):
            self._body = blocks.draw_box("stack").props("aria-live=polite")
            self._state = blocks.draw_box("stack")
            ProgressLine(frame, frame.project.search_run)
        with self._body:
            ui.spinner(size="lg").props("aria-label=working")
        frame.watch(self._follow_search)

    def ask(self) -> None:
        """Ask what the policy does; once the answer is there, it replaces the one that is shown."""
        self._body.classes("working")
        background_tasks.create(self.show_answer(), context=self._body)

    async def show_answer(self) -> None:
        """Ask and wait; show the answer or why there is none, unless the policy changed by then."""
        policy = self._frame.policy
        answer = await self._frame.project.ask_what_if()
        if self._body.is_deleted or policy != self._frame.policy:
            return  # a newer question is under way
        self._body.classes(remove="working")
        if answer is None:
            self._show_unknown("The question was stopped, so what this does is not known.", "")
        elif isinstance(answer, Failed):
            self._show_unknown(page_sentence(answer.message), page_sentence(answer.remedy))
        else:
            self._policy = policy
            self._show(answer)

    def _show_unknown(self, *words: str) -> None:
        """Say why there are no figures; those of another policy do not stay."""
        self._shown = None
        self._body.clear()
        with self._body:
            blocks.draw_note(words, "warn")
            with blocks.draw_bar():
                blocks.draw_plain_button("Try again", self.ask, "refresh")

    def _show(self, answer: WhatIf | Unanswered) -> None:
        """Show an answer in place of the one before."""
        self._shown = answer
        self._body.clear()
        with self._body:
            if isinstance(answer, Unanswered):
                _draw_unknown_figures(answer)
            else:
                _draw_known_figures(answer)
                _draw_columns(answer)
        self._show_state()

    @property
    def _may_change(self) -> bool:
        """Whether a search may still change the figures that are shown."""
        shown = self._shown
        return isinstance(shown, Unanswered) or (shown is not None and shown.quick)

    def _follow_search(self) -> None:
        """Start the full search while the answer is a quick one; show what it found once it did."""
        if not self._may_change or self._policy != self._frame.policy:
            return
        found = self._frame.project.search_in_background()
        if self._body.is_deleted:
            return
        if found is not None and found is not self._shown:
            self._show(found)
        else:
            self._show_state()

    def _show_state(self) -> None:
        """Say how the full search stands, for as long as the figures are not its own."""
        project = self._frame.project
        open_still = self._may_change and self._shown is not project.search_run.value
        words = search_state_words(project) if open_still else ""
        if words == self._said:
            return
        self._said = words
        self._state.clear()
        if words:
            goes_on = project.search_state() in ("running", "waiting")
            with self._state:
                blocks.draw_note([words], "" if goes_on else "warn")
                if not goes_on:
                    blocks.draw_plain_button("Search now", self._search_now, "search")

    def _search_now(self) -> None:
        self._frame.project.search_in_background(asked=True)
        self._show_state()


def search_state_words(project: Project) -> str:
    """A sentence on how the full search for the policy stands."""
    match project.search_state():
        case "running" | "waiting":
            return "A full search goes on behind. Its figures take the place of these."
        case "ended":
            ended = project.search_run.failed
            why = "" if ended is None else ended.message.partition(";")[0]
            return page_sentence(f"the full search ended without an answer: {why}")
        case "unasked":
            return f"Tables of more than {SEARCHED:,} records are searched only if you ask."


_Figure: TypeAlias = tuple[str, str, blocks.Tone]
"""A number, what it means, and its tone."""


def crowd_figures(answer: WhatIf, before: str = "") -> list[_Figure]:
    """Figures on the fewest people in world and table; `before` is added to the table's words."""
    world, after = answer.world, answer.after
    tone: blocks.Tone = "" if world is not None and world.instead else "good"
    here: _Figure = (blocks.count_text(after.k), f"people share each line at least{before}", tone)
    if world is None:
        return [here]
    return [
        (blocks.count_text(world.people), "people of the world fit each line at least", "good"),
        (blocks.percent(world.presence), "of those who fit a line are in the table at most", ""),
        here,
    ]


def mark_estimates(figures: list[_Figure], *, quick: bool) -> list[_Figure]:
    """The figures, marked as estimates if they are `quick` ones.

    >>> mark_estimates([("29 %", "information loss", "good")], quick=True)
    [('≈ 29 %', 'information loss (estimate)', '')]
    """
    if not quick:
        return figures
    return [(f"≈ {number}", f"{what} (estimate)", "") for number, what, _ in figures]


def _draw_known_figures(answer: WhatIf) -> None:
    """Draw risk, loss and records left out, compared with the table as it is."""
    before = answer.before
    after: list[_Figure] = [
        *crowd_figures(answer, f"; {before.k:,} before"),
        (blocks.percent(answer.risk), f"highest risk; {blocks.percent(before.highest)} before", ""),
        (blocks.percent(answer.loss), f"information loss ({answer.loss_name})", ""),
        (blocks.count_text(answer.suppressed), "records left out", "" if answer.allowed else "bad"),
    ]
    blocks.draw_figures([*mark_estimates(after, quick=answer.quick), _uniques_figure(before)])
    if answer.why_refused is not None:
        blocks.draw_note([page_sentence(answer.why_refused)], "warn")


def _uniques_figure(before: ClassFacts) -> _Figure:
    return (blocks.count_text(before.uniques), "records were alone before", "")


def _draw_unknown_figures(answer: Unanswered) -> None:
    """Draw why there is no answer, and the figures of the table as it is."""
    before = answer.before
    blocks.draw_note([page_sentence(f"not computed yet: {answer.why}")], "warn")
    blocks.draw_figures(
        [
            ("unknown", f"people share each line at least; {before.k:,} before", ""),
            ("unknown", f"highest risk; {blocks.percent(before.highest)} before", ""),
            ("unknown", "information loss", ""),
            _uniques_figure(before),
        ]
    )


def draw_loss_table(answer: WhatIf, head: str = "Lost") -> None:
    """Draw a table of what each column loses, most first."""
    add = blocks.draw_table(("Column", head), "What each column loses", numeric=(1,))
    for name, lost in sorted(answer.by_column.items(), key=lambda pair: -pair[1]):
        add(name, lambda lost=lost: blocks.draw_share(lost))


def _draw_columns(answer: WhatIf) -> None:
    """Draw what each column loses, and how the answer was found."""
    draw_loss_table(answer, "Lost (estimate)" if answer.quick else "Lost")
    how = page_sentence(f"{answer.how}. Answered in {answer.seconds:.2f} s")
    blocks.draw_text("p", how, "quiet small")
