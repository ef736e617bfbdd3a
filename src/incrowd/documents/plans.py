"""Plans for people and for other programs. Nothing is computed here, and no cell is shown."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from incrowd.documents.json import release_document
from incrowd.documents.text import BAD, GOOD, verdicts
from incrowd.documents.words import counted, number, printable

if TYPE_CHECKING:
    from incrowd.population.plan import Measured, Plan
    from incrowd.release.release import Release


def plan_document(plan: "Plan") -> dict[str, Any]:
    """`incrowd.plan/1`: how many values each column may keep, and what to do."""
    asked, facts = plan.question, plan.measured
    return {
        "schema": "incrowd.plan/1",
        "bound": asked.bound,
        "beta_covers": "all classes" if asked.simultaneous else "each class",
        "population": asked.population,
        "k": asked.k,
        "beta": asked.beta,
        "found": plan.found,
        "classes_allowed": plan.classes_allowed,
        "budget": {action.column: action.allowed for action in plan.actions},
        "actions": {
            action.column: {
                "distinct": action.distinct,
                "values": action.rung.values,
                "hierarchy": None if action.rung.hierarchy is None else action.rung.hierarchy.name,
                "level": None if action.left_out else action.rung.level,
                "says": action.rung.says,
                "note": action.note,
                "left_out": action.left_out,
            }
            for action in plan.actions
        },
        "classes": plan.classes,
        "k_expected": plan.k_expected,
        "k_supported": None if facts is None else facts.supports.k,
        "confidence": None if facts is None else asked.confidence,
        "table": None if facts is None else _table(facts),
        "notes": plan.notes,
    }


def _table(facts: "Measured") -> dict[str, Any]:
    return {
        "records": facts.people,
        "classes": facts.classes,
        "smallest": facts.smallest,
        "share": facts.share,
        "population": facts.supports.population,
        "k": facts.supports.k,
        "beta": facts.supports.beta,
    }


def applied_document(
    plan: "Plan", release: "Release", raised: tuple[str, ...], paths: Mapping[str, str]
) -> dict[str, Any]:
    """`incrowd.plan/1` of a plan that was carried out, with what was released."""
    done = release_document(release, paths)
    del done["schema"]
    return {**plan_document(plan), "raised": raised, "released": done}


def plan_picture(plan: "Plan") -> RenderableType:
    """A table of columns, distinct values now, allowed, and what to do."""
    parts: list[RenderableType] = [Text(_head(plan)), Text()]
    parts += [_actions(plan), Text(), *_supports(plan)]
    return Group(*parts)


def applied_picture(
    plan: "Plan", release: "Release", raised: tuple[str, ...], paths: Mapping[str, str]
) -> RenderableType:
    """The plan as it was carried out, and where the release is."""
    head = (
        f"{counted(release.records, 'record')} in {counted(release.classes, 'class', 'classes')}, "
        f"{'written and ' if paths else ''}verified."
    )
    parts: list[RenderableType] = [plan_picture(plan), Text()]
    if raised:
        parts.append(_line(f"Raised above the plan: {', '.join(raised)}."))
    parts += [Text(head, style=GOOD), Text(), verdicts(release.models)]
    parts += [_line(f"{what}: {path}") for what, path in paths.items()]
    return Group(*parts)


def _head(plan: "Plan") -> str:
    asked = plan.question
    covers = "all classes together" if asked.simultaneous else "each class by itself"
    how = f"{asked.bound} bound, beta for {covers}"
    if plan.found is None:
        return (
            f"{counted(plan.classes_allowed, 'class', 'classes')} of at least "
            f"{number(asked.k)} of {number(asked.population)} people, but for a probability of "
            f"{number(asked.beta)} ({how})."
        )
    return f"{_found(plan)} ({how})."


def _found(plan: "Plan") -> str:
    """What was left out of the question."""
    asked, classes = plan.question, counted(plan.classes_allowed, "class", "classes")
    match plan.found:
        case "k":
            return (
                f"{classes} of {number(asked.population)} people support k = {number(asked.k)} "
                f"with beta = {number(asked.beta)}"
            )
        case "beta":
            return (
                f"{classes} of {number(asked.population)} people miss k = {number(asked.k)} "
                f"with a probability of {number(asked.beta)}"
            )
        case _:
            return (
                f"{classes} need a population of {number(asked.population)} for "
                f"k = {number(asked.k)} with beta = {number(asked.beta)}"
            )


def _actions(plan: "Plan") -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    heads = ("column", "distinct now", "allowed", "then", "what to do")
    for head in heads:
        table.add_column(head, header_style="bold", overflow="fold")
    for action in plan.actions:
        said = Text(action.rung.says, style=BAD if action.left_out else "")
        if action.note:
            said.append(f" ({action.note})")
        figures = (action.distinct, action.allowed, action.rung.values)
        table.add_row(_line(action.column), *map(number, figures), said)
    return table


def _supports(plan: "Plan") -> list[RenderableType]:
    """What the number of classes and the table itself support."""
    lines: list[RenderableType] = []
    if plan.found is None:
        classes = counted(plan.classes, "class", "classes")
        lines.append(Text(f"{classes} at most, equally likely: k = {number(plan.k_expected)}."))
    if facts := plan.measured:
        what = plan.found or "k"
        said = (
            f"In the table {counted(facts.classes, 'class', 'classes')}, the smallest of "
            f"{counted(facts.smallest, 'record')} in {number(facts.people)}. "
            f"{_share(plan, facts)}: {what} = {number(getattr(facts.supports, what))}."
        )
        good = (facts.supports.k or 0) >= (plan.question.k or 0)
        lines.append(Text(said, style="" if plan.found else GOOD if good else BAD))
    return lines


def _share(plan: "Plan", facts: "Measured") -> str:
    """What the table tells of its classes' shares of the population."""
    if not facts.share:
        return "So few tell nothing about its share of the population"
    sure = number(plan.question.confidence)
    return (
        f"With confidence {sure} for all of them together, each is at least "
        f"{number(facts.share)} of the population"
    )


def _line(text: str) -> Text:
    """Text that steers no terminal: column names may hold anything."""
    return Text(printable(text))
