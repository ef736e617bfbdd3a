"""Roles: what each column is, why, and which columns identify together."""

from nicegui import background_tasks, ui

from incrowd.web import edits, jobs
from incrowd.web.facts import DraftFacts, FoundSets
from incrowd.web.pages import blocks
from incrowd.web.pages.effect import Effect
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.project import FailedJobError

ROLES = {
    "quasi": "quasi-identifier",
    "sensitive": "sensitive",
    "identifier": "identifier",
    "keep": "keep as it is",
    "drop": "drop",
    "unit": "person (unit)",
    "weight": "weight",
}
_MEANINGS = (
    ("quasi-identifier", "Others may know it, such as a birth date. It becomes coarser."),
    ("sensitive", "Nobody should learn it about a person. It stays, mixed within each class."),
    ("identifier", "It names the person. It does not leave."),
    ("keep as it is", "None of these, and people need it."),
    ("drop", "Nobody needs it. It does not leave."),
    ("person (unit)", "It says which records belong to one person. It does not leave."),
    ("weight", "A sampling weight. It stays as it is."),
)


async def show(frame: Frame) -> None:
    """Draw the page."""
    if not frame.has_table():
        return
    drafted = await frame.answer(frame.project.draft(), "Drafting a policy")
    frame.settled()
    with blocks.box("side"):
        with blocks.box("stack"):
            _summary(drafted)
            roles = blocks.card("Columns")
            _meanings()
        with blocks.box("stack"):
            effect = Effect(frame)
            found = blocks.card("Columns that identify together")
    with roles, blocks.box("roles"):
        for name, column in edits.columns(frame.policy).items():
            _role(frame, drafted, (name, str(column["role"])), effect)
    frame.next_button()
    await effect.answer()
    with found:
        await _found(frame)


def _summary(drafted: DraftFacts) -> None:
    count = len(drafted.review)
    if count:
        words = "1 column needs" if count == 1 else f"{count} columns need"
        blocks.note([f"{words} your eye: {', '.join(drafted.review)}."], "warn")


def _role(frame: Frame, drafted: DraftFacts, column: tuple[str, str], effect: Effect) -> None:
    name, role = column

    async def changed() -> None:
        if await frame.change(lambda text: edits.with_role(text, name, str(select.value))):
            effect.ask()

    with blocks.box("role"):
        with blocks.box("bar"):
            blocks.text("span", name, "name")
            if name in drafted.review:
                blocks.tag("review", "warn")
        select = ui.select(ROLES, value=role, on_change=changed).props(
            "dense outlined options-dense"
        )
        blocks.named(select, f"Role of {name}")
        blocks.text("span", drafted.reasons.get(name, ""), "reason quiet small")


def _meanings() -> None:
    with ui.expansion("What the roles mean").classes("card"), blocks.box("stack", "dl"):
        for word, meaning in _MEANINGS:
            with blocks.box(""):
                blocks.text("dt", word).style("font-weight: 650")
                blocks.text("dd", meaning).style("margin: 0")


async def _found(frame: Frame) -> None:
    """What discover finds: sets of columns that tell people apart."""
    place = blocks.box("stack")
    with place:
        ui.spinner().props("aria-label=working")
    project = frame.project
    work = project.found.start(jobs.FindSets(project.table), project.table)
    try:
        sets: FoundSets = await work.answer()
    except FailedJobError as error:
        place.clear()
        with place:
            blocks.text("p", error.message, "quiet")
            blocks.other("Look again", lambda: background_tasks.create(_again(frame, place)))
        return
    place.clear()
    with place:
        _sets(sets)


async def _again(frame: Frame, place: ui.element) -> None:
    place.clear()
    with place:
        await _found(frame)


def _sets(found: FoundSets) -> None:
    if not found.sets:
        blocks.text("p", "No few columns tell most records apart.")
        return
    share = blocks.percent(found.ratio)
    blocks.text("p", f"Each of these sets tells at least {share} of the records apart:")
    add = blocks.table(("Columns", "Told apart"), "Sets of columns", numeric=(1,))
    for one in found.sets[:12]:
        add(" + ".join(one.columns), blocks.percent(one.distinct))
    if len(found.sets) > 12:
        blocks.text("p", f"and {len(found.sets) - 12} more", "quiet small")
    if found.sampled:
        blocks.text("p", found.promise, "quiet small")
