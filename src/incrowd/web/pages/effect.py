"""What the policy would do, answered at once: the card that follows every change."""

from typing import TypeAlias

from nicegui import background_tasks, ui

from incrowd.web.events import Failed
from incrowd.web.facts import WhatIf
from incrowd.web.pages import blocks
from incrowd.web.pages.frame import Frame, sentence
from incrowd.web.pages.progress import Progress


class Effect:
    """The card "What this does", kept up to date with the policy."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._shown: WhatIf | None = None
        self._policy = ""
        with blocks.card("What this does"):
            self._body = blocks.box("stack").props("aria-live=polite")
            Progress(frame, frame.project.searched)
        with self._body:
            ui.spinner(size="lg").props("aria-label=working")
        frame.watch(self._look_behind)

    def ask(self) -> None:
        """Ask anew; the answer replaces the one that is shown."""
        self._body.classes("working")
        background_tasks.create(self.answer(), context=self._body)

    async def answer(self) -> None:
        """Show the answer to the policy as it is now."""
        policy = self._frame.policy
        answer = await self._frame.project.what_if()
        if self._body.is_deleted or policy != self._frame.policy:
            return  # a newer question is under way
        self._body.classes(remove="working")
        if answer is None:
            return
        if isinstance(answer, Failed):
            self._body.clear()
            with self._body:
                blocks.note((sentence(answer.message), sentence(answer.remedy)), "warn")
            return
        self._policy = policy
        self._show(answer)

    def _show(self, answer: WhatIf) -> None:
        self._shown = answer
        self._body.clear()
        with self._body:
            _figures(answer)
            _columns(answer)

    def _look_behind(self) -> None:
        """Search behind a quick answer, and show what was found in its place."""
        if self._shown is None or not self._shown.quick or self._policy != self._frame.policy:
            return
        found = self._frame.project.search_behind()
        if found is not None and not self._body.is_deleted:
            self._show(found)


_Figure: TypeAlias = tuple[str, str, blocks.Tone]


def crowds(answer: WhatIf, before: str = "") -> list[_Figure]:
    """Among how many people everybody hides: of the world first, if the policy counts that."""
    world, after = answer.world, answer.after
    tone: blocks.Tone = "" if world is not None and world.instead else "good"
    here: _Figure = (str(after.k), f"people share each line at least{before}", tone)
    if world is None:
        return [here]
    return [
        (blocks.whole(world.people), "people of the world fit each line at least", "good"),
        (blocks.percent(world.presence), "of those who fit a line are in the table at most", ""),
        here,
    ]


def _figures(answer: WhatIf) -> None:
    before = answer.before
    withheld = "fewer than 5"
    left = withheld if answer.suppressed is None else blocks.whole(answer.suppressed)
    alone = withheld if before.uniques is None else blocks.whole(before.uniques)
    blocks.figures(
        [
            *crowds(answer, f"; {before.k} before"),
            (
                blocks.percent(answer.risk),
                f"highest risk; {blocks.percent(before.highest)} before",
                "",
            ),
            (blocks.percent(answer.loss), f"information loss ({answer.loss_name})", ""),
            (left, "records left out", "" if answer.allowed else "bad"),
            (alone, "records were alone before", ""),
        ]
    )
    if not answer.allowed:
        blocks.note(["More records are left out than the policy allows."], "warn")


def _columns(answer: WhatIf) -> None:
    """What each column loses, most first."""
    add = blocks.table(("Column", "Lost"), "What each column loses", numeric=(1,))
    for name, lost in sorted(answer.by_column.items(), key=lambda pair: -pair[1]):
        add(name, lambda lost=lost: blocks.share(lost))
    how = sentence(f"{answer.how}. Answered in {answer.seconds:.2f} s")
    blocks.text("p", how, "quiet small")
