"""What incrowd suggests for a column, why, and what else would fit."""

from collections.abc import Sequence

from nicegui import ui

from incrowd.web import edits, jobs
from incrowd.web.facts import DraftFacts, OfferedHierarchy
from incrowd.web.pages import blocks
from incrowd.web.pages.frame import Frame
from incrowd.web.wording import page_sentence


class Suggestions:
    """The card with the drafted hierarchy, the reason for it, and alternatives."""

    def __init__(self, frame: Frame, column: str, drafted: DraftFacts) -> None:
        self._frame, self._column = frame, column
        self._why = drafted.hierarchies.get(column, "chosen from the values of the column")
        drafts = edits.columns(drafted.policy).get(column, {})
        self._drafted = drafts.get("hierarchy", "auto")
        self._offers: Sequence[OfferedHierarchy] = ()
        with blocks.draw_card("Suggestions"):
            self._body = blocks.draw_box("stack")
        with self._body:
            ui.spinner().props("aria-label=working")

    async def show_answer(self) -> None:
        """Ask which hierarchies fit the column, and show them, or why that failed."""
        project = self._frame.project
        suggested = {"hierarchy": self._drafted}
        text = edits.with_column(self._frame.policy, self._column, suggested)
        run = project.start(jobs.OfferHierarchies(project.table, text, self._column))
        await run.wait_for_end()
        self._offers = run.value or ()
        self.draw()
        if run.error is not None:
            with self._body:
                blocks.draw_text("p", page_sentence(run.error.message), "quiet")

    def draw(self) -> None:
        """Show the offers, and which of them the policy has now."""
        now = edits.hierarchy_of(self._frame.policy, self._column)
        self._body.clear()
        with self._body:
            for one in self._offers:
                self._draw_offer(one, now == one.spec)

    def _draw_offer(self, one: OfferedHierarchy, used: bool) -> None:
        """Draw a hierarchy with its numbers of labels by level, and a button that uses it."""
        words = page_sentence(one.words or self._why)

        async def use() -> None:
            spec = dict(one.spec)
            change = {"hierarchy": spec if len(spec) > 1 else spec["name"]}
            await self._frame.change(
                lambda text: edits.with_column(text, self._column, change), redraw=True
            )

        with blocks.draw_box("between"):
            with blocks.draw_box(""):
                blocks.draw_text("p", words)
                blocks.draw_text("p", counts_words(one.nodes), "quiet small")
            if used:
                blocks.draw_tag("in use", "good")
            else:
                action = "Use" if one.words else "Use the suggestion"
                button = blocks.draw_plain_button("Use", use)
                blocks.name_for_readers(button, f"{action}: {words.removesuffix('.')}")


def counts_words(nodes: Sequence[int]) -> str:
    """Words on how many labels there are at each level (`nodes`).

    >>> counts_words((60, 6, 1))
    'Labels at each level: 60 → 6 → 1'
    """
    return f"Labels at each level: {' → '.join(blocks.count_text(count) for count in nodes)}"
