"""Promise: the models, what each means for this table, and how many records may be left out."""

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from incrowd.web import jobs
from incrowd.web.pages import blocks, edits
from incrowd.web.pages.effect import Effect
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.project import FailedJobError

_MOST_K, _MOST_LEFT_OUT = 50, 0.2
_OFFERED = ("l-diversity", "t-closeness", "alpha-k")
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "l-diversity": {"l": 2},
    "t-closeness": {"t": 0.3},
    "alpha-k": {"alpha": 0.5, "k": 5},
}

_OTHERS = {
    "k-map": "Each line fits at least k people of the world's tables.",
    "delta-presence": "Nobody learns for sure who of the world is in the table.",
    "probabilistic": "At least k people of the population share each line, with a confidence.",
}
_PRESETS = {
    "internal": "For people who are bound by contract.",
    "public-file": "For everybody to download.",
    "hipaa-safe-harbor": "HIPAA's Safe Harbor: identifiers dropped, ZIP codes and dates coarse.",
}


async def show(frame: Frame) -> None:
    """Draw the page."""
    if not frame.has_table():
        return
    await frame.answer(frame.project.draft(), "Drafting a policy")
    frame.settled()
    with blocks.box("side"):
        left = blocks.box("stack")
        with blocks.box("stack"):
            effect = Effect(frame)
    with left:
        _crowd(frame, effect)
        _models(frame)
        _left_out(frame, effect)
        _presets(frame)
        _worlds()
    frame.next_button()
    await effect.answer()


def _crowd(frame: Frame, effect: Effect) -> None:
    k = min(edits.k_of(frame.policy) or _MOST_K, _MOST_K)

    async def moved(value: float) -> None:
        if await frame.change(lambda text: edits.with_k(text, int(value))):
            effect.ask()

    with blocks.card("How many people share each line (k)"):
        words = blocks.text("p", meaning_of_k(k))
        scale = blocks.Scale(2, _MOST_K, 1, lambda value: f"{value:.0f}")
        follow = blocks.slider("k: people who share each line", scale, k, moved)
        follow(lambda value: words.set_text(meaning_of_k(int(value))))


def meaning_of_k(k: int) -> str:
    """What k means for somebody in the table.

    >>> meaning_of_k(5).removeprefix("Whoever knows all quasi-identifiers of a person ")
    'finds 5 people or more: a chance of 20 % at most.'
    """
    found = f"finds {k} people or more: a chance of {blocks.percent(1 / k)} at most."
    return f"Whoever knows all quasi-identifiers of a person {found}"


def meaning(model: Mapping[str, Any]) -> str:
    """What a model promises, in plain words."""
    column, name = model.get("column", ""), model["name"]
    if name == "k-anonymity":
        return f"Each line is shared by at least {model['k']} people."
    if name == "l-diversity":
        share = blocks.percent(1 / float(model["l"]))
        if model.get("kind", "frequency") == "frequency":
            return f"At most {share} of the people who share a line have the same {column}."
        return f"Each class has at least {model['l']} well represented values of {column}."
    if name == "t-closeness":
        return f"Each class shows nearly the same mix of {column} as the whole table."
    if name == "alpha-k":
        share = blocks.percent(float(model["alpha"]))
        return f"No value of {column} covers more than {share} of a class of {model['k']} or more."
    return _OTHERS.get(name, "")


def _models(frame: Frame) -> None:
    with blocks.card("What a class must not tell"):
        for number, model in enumerate(edits.models(frame.policy)):
            if model["name"] != "k-anonymity":
                _model(frame, number, model)
        _add(frame)


def _model(frame: Frame, number: int, model: Mapping[str, Any]) -> None:
    usual = {"name", "column", "kind"} if model.get("kind") == "frequency" else {"name", "column"}
    settings = ", ".join(f"{key} = {value}" for key, value in model.items() if key not in usual)
    of = f" of {model['column']}" if "column" in model else ""
    with blocks.box("between"):
        with blocks.box(""):
            blocks.text("h3", f"{model['name']}{of}: {settings}")
            blocks.text("p", meaning(model), "quiet")
        remove = ui.button(
            icon="delete",
            color=None,
            on_click=lambda: frame.change(lambda t: edits.without_model(t, number), redraw=True),
        ).props("flat dense")
        blocks.named(remove, f"Take {model['name']} of {model.get('column', 'the table')} away")


def _add(frame: Frame) -> None:
    names = list(edits.of_role(frame.policy, "sensitive"))
    if not names:
        blocks.text("p", "No column is sensitive, so only k counts. Roles says which are.", "quiet")
        return

    async def added() -> None:
        model = {"name": kind.value, "column": column.value, **_DEFAULTS[str(kind.value)]}
        await frame.change(lambda text: edits.with_model(text, model), redraw=True)

    with blocks.bar():
        kind = ui.select(list(_OFFERED), value=_OFFERED[0], label="Model").props("dense outlined")
        column = ui.select(names, value=names[0], label="Sensitive column").props("dense outlined")
        blocks.other("Add or reset", added, "add")


def _left_out(frame: Frame, effect: Effect) -> None:
    share = float(edits.view(frame.policy).get("suppression", 0.0))

    async def moved(value: float) -> None:
        chosen = round(value, 3)
        if await frame.change(lambda text: edits.with_setting(text, "suppression", chosen)):
            effect.ask()

    with blocks.card("How many records may be left out"):
        blocks.text("p", "A few unusual records make all others coarser. Leaving them out helps.")
        scale = blocks.Scale(0, _MOST_LEFT_OUT, 0.01, blocks.percent)
        blocks.slider("Share of the records that may be left out", scale, share, moved)


def _presets(frame: Frame) -> None:
    with blocks.card("Or start from a preset"):
        for name, words in _PRESETS.items():
            with blocks.box("between"):
                blocks.text("p", words)
                blocks.other(f"Use {name}", lambda name=name: _use(frame, name))


async def _use(frame: Frame, name: str) -> None:
    project = frame.project
    try:
        text = await project.ask(jobs.ApplyPreset(project.table, frame.policy, name))
    except FailedJobError as error:
        frame.refused(error)
        return
    await frame.change(lambda _: text, redraw=True)


def _worlds() -> None:
    with ui.expansion("Does the attacker hold another table (a world)?").classes("card"):
        blocks.text(
            "p",
            "With a register of the population, k can count its people instead of those in the "
            "table: the models k-map and delta-presence. They need the world's file when the "
            "release is made, so they run from the command: incrowd anonymize --world FILE.",
        )
