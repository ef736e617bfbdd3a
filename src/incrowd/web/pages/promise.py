"""Promise: the models, what each means for this table, and how many records may be left out."""

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from incrowd.web import edits, jobs
from incrowd.web.facts import OfferedModel
from incrowd.web.pages import blocks, fields, worlds
from incrowd.web.pages.effect import Effect
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.project import FailedJobError

_MOST_K, _MOST_LEFT_OUT = 50, 0.2
_TITLE = "How many people share each line (k)"
_NO_K = "The policy asks for no k yet. Move the slider to ask for it."
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
        await _models(frame)
        _left_out(frame, effect)
        _presets(frame)
        await worlds.card(frame)
    frame.next_button()
    await effect.answer()


def _crowd(frame: Frame, effect: Effect) -> None:
    asked = edits.k_of(frame.policy)
    k = asked or 2
    instead = edits.k_model(frame.policy) == edits.OF_WORLD
    whose = " of the world" if instead else ""
    title = "How many people of the world fit each line (k)" if instead else _TITLE

    async def moved(value: float) -> bool:
        accepted = await frame.change(lambda text: edits.with_k(text, int(value)))
        if accepted:
            effect.ask()
        return accepted

    with blocks.card(title):
        words = blocks.text("p", _NO_K if asked is None else meaning_of_k(k, whose))
        follow = blocks.slider("k: people who share each line", scale_of_k(k), k, moved)
        follow(lambda value: words.set_text(meaning_of_k(int(value), whose)))


def scale_of_k(k: int) -> blocks.SliderScale:
    """A slider that reaches 50, and k where a policy asks for more.

    >>> scale_of_k(5).high, scale_of_k(80).high
    (50, 80)
    """
    return blocks.SliderScale(2, max(_MOST_K, k), 1, lambda value: f"{value:.0f}")


def meaning_of_k(k: int, whose: str = "") -> str:
    """What k means for somebody in the table.

    >>> meaning_of_k(5).removeprefix("Whoever knows all quasi-identifiers of a person ")
    'finds 5 people or more: a chance of 20 % at most.'
    """
    found = f"finds {k} people{whose} or more: a chance of {blocks.percent(1 / k)} at most."
    return f"Whoever knows all quasi-identifiers of a person {found}"


async def _models(frame: Frame) -> None:
    project = frame.project
    known, slider = edits.models(frame.policy), edits.k_model(frame.policy)
    meanings: tuple[str, ...] = await project.ask(jobs.ExplainModels(frame.policy))
    choices = await project.choices()
    with blocks.card("What a class must not tell"):
        for number, (model, meaning) in enumerate(zip(known, meanings, strict=True)):
            if model["name"] != slider:
                _model(frame, number, model, meaning)
        _add(frame, [one for one in choices.models if one.name not in (slider, edits.OF_TABLE)])


def _model(frame: Frame, number: int, model: Mapping[str, Any], meaning: str) -> None:
    name, column = str(model["name"]), model.get("column", "the table")
    words = [str(v) for key, v in model.items() if key not in ("name", "column") and _said(v)]
    of = f" of {model['column']}" if "column" in model else ""
    with blocks.box("between"):
        with blocks.box(""):
            blocks.text("h3", ", ".join([f"{name}{of}", *words]))
            blocks.text("p", meaning, "quiet")
        with blocks.bar():
            for key, value in model.items():
                if isinstance(value, int | float) and not isinstance(value, bool):
                    _setting(frame, number, (f"{key} of {name}{of}", key), value)
            remove = ui.button(
                icon="delete",
                color=None,
                on_click=lambda: frame.change(
                    lambda t: edits.without_model(t, number), redraw=True
                ),
            ).props("flat dense")
            blocks.named(remove, f"Take {name} of {column} away")


def _said(value: object) -> bool:
    """Whether a setting is a word, such as a kind or a distance."""
    return isinstance(value, str)


def _setting(frame: Frame, number: int, names: tuple[str, str], value: float) -> None:
    """A number of a model, to be changed in place."""
    label, key = names

    async def put(new: float) -> bool:
        return await frame.change(
            lambda t: edits.with_model_setting(t, number, key, float(new)), redraw=True
        )

    blocks.named(fields.number(key, value, put).classes("setting"), label)


def _add(frame: Frame, offered: Sequence[OfferedModel]) -> None:
    """Add a model with its usual settings; they can be changed once it is there."""
    columns = list(edits.of_role(frame.policy, "sensitive"))
    world = bool(frame.project.session.world.files)
    possible = [one for one in offered if columns or not one.of_column]
    there = {one.name: one for one in possible if world or not one.of_world}
    if not columns:
        blocks.text("p", "No column is sensitive. Roles says which are.", "quiet")

    async def added() -> None:
        chosen = there[str(kind.value)]
        of = {"column": column.value} if chosen.of_column else {}
        model = {"name": chosen.name, **of, **chosen.settings}
        await frame.change(lambda text: edits.with_model(text, model), redraw=True)

    with blocks.bar():
        first = next(iter(there))
        kind = ui.select(list(there), value=first, label="Model").props("dense outlined")
        column = ui.select(columns, value=columns[0] if columns else None, label="Sensitive column")
        column.props("dense outlined")
        column.bind_visibility_from(kind, "value", lambda name: there[name].of_column)
        blocks.other("Add or reset", added, "add")


def _left_out(frame: Frame, effect: Effect) -> None:
    share = float(edits.view(frame.policy).get("suppression", 0.0))

    async def moved(value: float) -> bool:
        chosen = round(value, 3)
        accepted = await frame.change(lambda text: edits.with_setting(text, "suppression", chosen))
        if accepted:
            effect.ask()
        return accepted

    with blocks.card("How many records may be left out"):
        blocks.text("p", "A few unusual records make all others coarser. Leaving them out helps.")
        scale = blocks.SliderScale(0, max(_MOST_LEFT_OUT, share), 0.01, blocks.percent)
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
