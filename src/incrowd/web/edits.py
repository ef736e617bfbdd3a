"""Changes of a policy that the pages make: text in, text out, comments kept.

Each change is one step of undo. A change that would leave a model without its column takes the
model with it, and a column that becomes sensitive gets the model that a draft would give it. The
worker checks every outcome before it counts: the server does not load what that takes.
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from incrowd.errors import PolicyError
from incrowd.models import MODELS
from incrowd.policy.toml import edit_text
from incrowd.web.trees import TreeRows

View: TypeAlias = Mapping[str, Any]
"""The keys and values of a policy file, without defaults."""
OF_TABLE, OF_WORLD, _OF_SENSITIVE = (
    next(name for name, model in MODELS.items() if model.usual_for == purpose)
    for purpose in ("table", "world", "sensitive")
)
"""The usual models for the table, for a world and for a sensitive column.

The slider sets the k of one of the first two: it counts people of the table, or of a world."""
_USUAL_K = int(MODELS[OF_TABLE].usual["k"])
_OF_POINT = ("search", "suppression")
"""Keys that differ from point to point, beside k."""
_OF_QUASI = ("hierarchy", "weight", "lowest", "highest", "widest", "grid")
"""Keys that mean something for quasi-identifying columns only."""


def parse(text: str) -> View:
    """Return the keys and values of a policy file as they stand there, without defaults."""
    return tomllib.loads(text)


def columns(text: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the settings of each column, by its name."""
    settings: Mapping[str, Mapping[str, Any]] = parse(text)["columns"]
    return settings


def columns_of_role(text: str, role: str) -> tuple[str, ...]:
    """The names of the columns that have this role, in the order of the file."""
    return tuple(name for name, column in columns(text).items() if column["role"] == role)


def models(text: str) -> list[dict[str, Any]]:
    """The settings of the models, in the order of the file."""
    settings: list[dict[str, Any]] = parse(text)["models"]
    return settings


def k_model(text: str) -> str:
    """The name of the model with the slider's k: `OF_TABLE`, unless only `OF_WORLD` is there."""
    names = [model["name"] for model in models(text)]
    return OF_WORLD if OF_WORLD in names and OF_TABLE not in names else OF_TABLE


def k_of(text: str) -> int | None:
    """The k of the model that `k_model` names; None if the policy lacks it."""
    name = k_model(text)
    return next((model["k"] for model in models(text) if model["name"] == name), None)


def with_k(text: str, k: int) -> str:
    """The policy with this k in the model of `k_model`; a missing one is put before the others."""
    known, name = models(text), k_model(text)
    place = next((i for i, one in enumerate(known) if one["name"] == name), None)
    if place is None:
        return edit_text(text, {"models": [{"name": OF_TABLE, "k": k}, *known]})
    return edit_text(text, {("models", place, "k"): k})


def with_k_model(text: str, name: str) -> str:
    """The policy with the model `name`, `OF_TABLE` or `OF_WORLD`, in place of both.

    k stays; where there was none, it is the usual one.
    """
    k = k_of(text) or _USUAL_K
    others = [model for model in models(text) if model["name"] not in (OF_TABLE, OF_WORLD)]
    return edit_text(text, {"models": [{"name": name, "k": k}, *others]})


def counts_world(model: str) -> bool:
    """Whether the model of this name counts the people of a world."""
    return "world" in MODELS[model].requires


def is_about_column(model: str) -> bool:
    """Whether the model of this name is about one sensitive column."""
    return "column" in MODELS[model].__annotations__


def meaning_of(model: Mapping[str, Any]) -> str:
    """What a model with these settings promises: a sentence."""
    return MODELS[model["name"]](**model).meaning


def without_world(text: str) -> str:
    """The policy without models that count a world.

    If `OF_TABLE` is missing, it takes the k of `OF_WORLD`, or the usual k if no model is left.
    """
    known = models(text)
    if k_model(text) == OF_WORLD:
        known = models(with_k_model(text, OF_TABLE))
    kept = [model for model in known if not counts_world(model["name"])]
    kept = kept or [{"name": OF_TABLE, "k": _USUAL_K}]
    return text if kept == models(text) else edit_text(text, {"models": kept})


def with_model(text: str, model: Mapping[str, Any]) -> str:
    """The policy with this model: in place of one with its name and column, else at the end."""
    known = models(text)
    place = next((i for i, one in enumerate(known) if _is_same_kind(one, model)), len(known))
    return edit_text(text, {"models": [*known[:place], dict(model), *known[place + 1 :]]})


def with_model_setting(text: str, number: int, key: str, value: float) -> str:
    """The policy with a setting of its model of this number (from 0) changed; 3.0 becomes 3."""
    whole = int(value) if float(value).is_integer() else value
    return edit_text(text, {("models", number, key): whole})


def without_model(text: str, number: int) -> str:
    """The policy without its model of this number (from 0); `PolicyError` for the only one."""
    known = models(text)
    if len(known) == 1:
        raise PolicyError("a policy needs a model", remedy="add another one first")
    return edit_text(text, {"models": known[:number] + known[number + 1 :]})


def with_role(text: str, column: str, role: str) -> str:
    """The policy with another role of a column, without settings and models that no longer fit.

    A column that becomes sensitive gets a model, if none is about it yet. If no model would be
    left, `OF_TABLE` with the usual k is.
    """
    changes: dict[str | tuple[str | int, ...], Any] = {("columns", column, "role"): role}
    if role != "quasi":
        changes |= {("columns", column, key): None for key in _OF_QUASI}
    if role != "identifier":
        changes["columns", column, "action"] = None
    known = models(text)
    kept = _models_after(known, column, role)
    if kept != known:
        changes["models"] = kept
    return edit_text(text, changes)


def with_setting(text: str, key: str, value: object) -> str:
    """The policy with another setting outside columns and models, such as `suppression`."""
    return edit_text(text, {key: value})


def with_column(text: str, column: str, changes: Mapping[str, Any]) -> str:
    """The policy with other settings of one column; None removes a setting."""
    return edit_text(text, {("columns", column, key): new for key, new in changes.items()})


def marks_of(text: str, column: str | None = None) -> list[str]:
    """Values that mean missing, besides empty cells: of a column, or for None of all columns."""
    settings = parse(text) if column is None else columns(text)[column]
    return [str(mark) for mark in settings.get("missing_values", ()) if mark]


def with_marks(text: str, marks: Sequence[str], column: str | None = None) -> str:
    """The policy with other marks of missing values: of a column, or for None of all columns.

    No marks remove the setting.
    """
    kept = list(dict.fromkeys(marks)) or None
    key = ("missing_values",) if column is None else ("columns", column, "missing_values")
    return edit_text(text, {key: kept})


@lru_cache(maxsize=8)
def shared_settings(text: str) -> View:
    """Keys and values of the policy without search and suppression, with the usual k.

    They are equal for all points of one exploration.
    """
    shared = parse(with_k(text, _USUAL_K))
    return {key: value for key, value in shared.items() if key not in _OF_POINT}


def hierarchy_of(text: str, column: str) -> dict[str, Any]:
    """The hierarchy of a column with its settings; `auto` if the file names none."""
    hierarchy = columns(text)[column].get("hierarchy", "auto")
    return dict(hierarchy) if isinstance(hierarchy, dict) else {"name": hierarchy}


def cuts_of(text: str, column: str) -> list[float]:
    """The cut points of the column's first level; empty if its hierarchy names none."""
    cuts = hierarchy_of(text, column).get("cuts", [])
    return list(cuts[0]) if cuts and isinstance(cuts[0], list) else list(cuts)


def with_cut_toggled(cuts: Sequence[float], at: float) -> list[float]:
    """The cut points, ascending: with this one added, or without it if it was there.

    >>> with_cut_toggled([10, 20], 15), with_cut_toggled([10, 15, 20], 15)
    ([10, 15, 20], [10, 20])
    """
    return sorted(set(cuts) ^ {int(at) if float(at).is_integer() else at})


def with_tree(text: str, column: str, grid: TreeRows) -> str:
    """The policy with this tree as the column's hierarchy."""
    tree = {"name": "tree", "rows": [list(row) for row in grid.rows], "other": grid.other}
    return with_column(text, column, {"hierarchy": tree})


def _models_after(
    known: Sequence[Mapping[str, Any]], column: str, role: str
) -> list[Mapping[str, Any]]:
    """The models once a column has this role: one about it if it is sensitive, else none about it.

    If none would be left at all, `OF_TABLE` with the usual k is.
    """
    if role != "sensitive":
        kept = [model for model in known if model.get("column") != column]
        return kept or [{"name": OF_TABLE, "k": _USUAL_K}]
    if any(model.get("column") == column for model in known):
        return list(known)
    return [*known, {"name": _OF_SENSITIVE, "column": column, **MODELS[_OF_SENSITIVE].usual}]


def _is_same_kind(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two models have the same name and column, so that one replaces the other."""
    return one["name"] == other["name"] and one.get("column") == other.get("column")
