"""Promise: the models, what each means for this table, and how many records may be left out."""

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from incrowd.models import MODELS
from incrowd.web import edits, jobs
from incrowd.web.pages import blocks, fields, worlds
from incrowd.web.pages.effect import Effect
from incrowd.web.pages.frame import Frame
from incrowd.web.wording import page_sentence

_MOST_K, _MOST_LEFT_OUT = 50, 0.2
_TITLE = "How many people share each line (k)"
_NO_K = "The policy asks for no k yet. Move the slider to ask for it."


async def show(frame: Frame) -> None:
    """Draw the page."""
    if await frame.draft() is None:
        return
    with blocks.draw_box("side"):
        left = blocks.draw_box("stack")
        with blocks.draw_box("stack"):
            effect = Effect(frame)
    with left:
        _draw_k_slider(frame, effect)
        _draw_models(frame)
        _draw_suppression(frame, effect)
        await _draw_presets(frame)
        await worlds.draw_card(frame)
    frame.draw_next_button()
    await effect.show_answer()


def _draw_k_slider(frame: Frame, effect: Effect) -> None:
    """Draw the card with the slider of k, and what k means."""
    asked = edits.k_of(frame.policy)
    k = asked or 2
    instead = edits.k_model(frame.policy) == edits.OF_WORLD
    whose = " of the world" if instead else ""
    title = "How many people of the world fit each line (k)" if instead else _TITLE

    async def put(value: float) -> bool:
        accepted = await frame.change(lambda text: edits.with_k(text, int(value)))
        if accepted:
            effect.ask()
        return accepted

    with blocks.draw_card(title):
        words = blocks.draw_text("p", _NO_K if asked is None else meaning_of_k(k, whose))
        follow = blocks.draw_slider("k: people who share each line", scale_of_k(k), k, put)
        follow(lambda value: words.set_text(meaning_of_k(int(value), whose)))


def scale_of_k(k: int) -> blocks.SliderScale:
    """The scale of the slider of k: from 2 to 50, or to k where a policy asks for more.

    >>> scale_of_k(5).high, scale_of_k(80).high
    (50, 80)
    """
    return blocks.SliderScale(2, max(_MOST_K, k), 1, lambda value: f"{value:.0f}")


def meaning_of_k(k: int, whose: str = "") -> str:
    """A sentence on what k means; `whose` says whose people are counted if not the table's.

    >>> meaning_of_k(5).removeprefix("Whoever knows all quasi-identifiers of a person ")
    'finds 5 people or more: a chance of 20 % at most.'
    """
    found = f"finds {k} people{whose} or more: a chance of {blocks.percent(1 / k)} at most."
    return f"Whoever knows all quasi-identifiers of a person {found}"


def _draw_models(frame: Frame) -> None:
    """Draw the card of all models but that of the slider, with a row to add another."""
    slider = edits.k_model(frame.policy)
    with blocks.draw_card("What a class must not tell"):
        for number, model in enumerate(edits.models(frame.policy)):
            if model["name"] != slider:
                _draw_model(frame, number, model)
        _draw_new_model(frame, [name for name, model in MODELS.items() if model.usual])


def _draw_model(frame: Frame, number: int, model: Mapping[str, Any]) -> None:
    """Draw what a model promises, fields for its numbers, and a button to take it away."""
    name, column = str(model["name"]), model.get("column", "the table")
    words = [
        str(v) for key, v in model.items() if key not in ("name", "column") and isinstance(v, str)
    ]
    of = f" of {model['column']}" if "column" in model else ""
    with blocks.draw_box("between"):
        with blocks.draw_box(""):
            blocks.draw_text("h3", ", ".join([f"{name}{of}", *words]))
            blocks.draw_text("p", edits.meaning_of(model), "quiet")
        with blocks.draw_bar():
            for key, value in model.items():
                if isinstance(value, int | float) and not isinstance(value, bool):
                    _draw_setting(frame, number, (f"{key} of {name}{of}", key), value)
            remove = ui.button(
                icon="delete",
                color=None,
                on_click=lambda: frame.change(
                    lambda t: edits.without_model(t, number), redraw=True
                ),
            ).props("flat dense")
            blocks.name_for_readers(remove, f"Take {name} of {column} away")


def _draw_setting(frame: Frame, number: int, names: tuple[str, str], value: float) -> None:
    """Draw a field for a number of a model; `names` are its label and its key."""
    label, key = names

    async def put(new: float) -> bool:
        return await frame.change(
            lambda t: edits.with_model_setting(t, number, key, float(new)), redraw=True
        )

    blocks.name_for_readers(fields.draw_number(key, value, put).classes("setting"), label)


def _draw_new_model(frame: Frame, offered: Sequence[str]) -> None:
    """Draw a row that adds an offered model; those that lack a column or a world are not in it."""
    columns = list(edits.columns_of_role(frame.policy, "sensitive"))
    without = (edits.OF_TABLE, edits.k_model(frame.policy))
    world = bool(frame.project.session.world.files)
    names = [
        name
        for name in offered
        if name not in without
        and (columns or not edits.is_about_column(name))
        and (world or not edits.counts_world(name))
    ]
    if not columns:
        blocks.draw_text("p", "No column is sensitive. Roles says which are.", "quiet")
    if not names:
        return

    async def add() -> None:
        name = str(kind.value)
        of = {"column": column.value} if edits.is_about_column(name) else {}
        model = {"name": name, **of, **MODELS[name].usual}
        await frame.change(lambda text: edits.with_model(text, model), redraw=True)

    with blocks.draw_bar():
        kind = ui.select(names, value=names[0], label="Model").props("dense outlined")
        column = ui.select(columns, value=columns[0] if columns else None, label="Sensitive column")
        column.props("dense outlined")
        column.bind_visibility_from(kind, "value", edits.is_about_column)
        blocks.draw_plain_button("Add or reset", add, "add")


def _draw_suppression(frame: Frame, effect: Effect) -> None:
    """Draw the card with the slider of the share of records that may be left out."""
    share = float(edits.parse(frame.policy).get("suppression", 0.0))

    async def put(value: float) -> bool:
        chosen = round(value, 3)
        accepted = await frame.change(lambda text: edits.with_setting(text, "suppression", chosen))
        if accepted:
            effect.ask()
        return accepted

    with blocks.draw_card("How many records may be left out"):
        blocks.draw_text(
            "p", "A few unusual records make all others coarser. Leaving them out helps."
        )
        scale = blocks.SliderScale(0, max(_MOST_LEFT_OUT, share), 0.01, blocks.percent)
        blocks.draw_slider("Share of the records that may be left out", scale, share, put)


async def _draw_presets(frame: Frame) -> None:
    choices = await frame.project.list_choices()
    with blocks.draw_card("Or start from a preset"):
        for name, words in choices.presets.items():
            with blocks.draw_box("between"):
                blocks.draw_text("p", page_sentence(words))
                blocks.draw_plain_button(f"Use {name}", lambda name=name: _use_preset(frame, name))


async def _use_preset(frame: Frame, name: str) -> None:
    project = frame.project
    with frame.saying_refusals():
        text = await project.ask(jobs.ApplyPreset(project.table, frame.policy, name))
        await frame.change(lambda _: text, redraw=True)
