"""Plans for a population and quantiles as people read them. Nothing is computed here."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table

from incrowd.documents import words
from incrowd.documents.release import verdicts_table
from incrowd.errors import join_words

if TYPE_CHECKING:
    from incrowd.population.plan import Measured, Plan
    from incrowd.population.quantiles import Bucketed, RankPromise
    from incrowd.release.release import Release


def plan_text(plan: "Plan", *, details: bool = False) -> RenderableType:
    """Say for each column its values now and by the plan, and what to do; limits with `details`."""
    head, made = words.line(plan_headline(plan)), _actions_table(plan, details=details)
    more = [] if details else [words.hint("how many values each column may keep")]
    return words.stack(head, made, *_support_lines(plan), *more)


def applied_text(
    plan: "Plan",
    release: "Release",
    raised: tuple[str, ...],
    paths: Mapping[str, str],
    *,
    details: bool = False,
) -> RenderableType:
    """Say what was released, to which files (`paths`, by what they hold); `details` adds the plan.

    `raised` are columns that show less than planned.
    """
    done = "Wrote and verified" if paths else "Verified"
    classes = words.quantity(release.classes, "class", "classes")
    head = f"{done} {words.quantity(release.records, 'record')} in {classes}."
    above = [f"Raised above the plan: {', '.join(raised)}."] if raised else []
    measures = [model.measure for model in release.policy.models]
    made = verdicts_table(release.models, measures)
    parts = (words.line(head, words.GOOD), *words.lines(above), made, *_support_lines(plan))
    kept = words.lines((f"{what}: {path}" for what, path in paths.items()), words.QUIET)
    if not details:
        return words.stack(*parts, *kept, words.hint("the plan that was carried out"))
    return words.stack(*parts, *kept, words.line(""), plan_text(plan, details=True))


def plan_headline(plan: "Plan") -> str:
    """Say what the question asks, and what was found."""
    asked = plan.question
    covers = "all classes together" if asked.simultaneous else "each class by itself"
    how = f"{asked.bound} bound, beta for {covers}"
    if plan.found is not None:
        return f"{_answer_words(plan)} ({how})."
    classes = words.quantity(plan.classes_allowed, "class", "classes")
    k, people, beta = map(words.number, (asked.k, asked.population, asked.beta))
    return (
        f"The columns may keep {classes}: each then holds at least {k} of {people} people, except "
        f"with probability {beta} ({how})."
    )


def _answer_words(plan: "Plan") -> str:
    """What was found for the classes allowed: k, beta, or the population that they need."""
    asked, classes = plan.question, words.quantity(plan.classes_allowed, "class", "classes")
    people, k, beta = map(words.number, (asked.population, asked.k, asked.beta))
    match plan.found:
        case "k":
            return f"{classes} of {people} people support k = {k} with beta = {beta}"
        case "beta":
            return f"{classes} of {people} people miss k = {k} with probability {beta}"
        case _:
            return f"{classes} need a population of {people} for k = {k} with beta = {beta}"


def _actions_table(plan: "Plan", *, details: bool) -> Table:
    """Make a table with a row for each column: its values, and what the plan does to it."""
    allowed = ("allowed",) if details else ()
    made = words.table("column", "values now", *allowed, "then", "what to do")
    for action in plan.actions:
        what = words.line(action.rung.says, words.BAD if action.left_out else "")
        if action.note:
            what.append(f" ({action.note})")
        budget = (action.allowed,) if details else ()
        figures = (action.distinct, *budget, action.rung.values)
        made.add_row(words.line(action.column), *map(words.number, figures), what)
    return words.align_right(made, *range(1, 3 + details))


def _support_lines(plan: "Plan") -> Iterator[RenderableType]:
    """Yield the k to expect if nothing was left to find, and what a measured table supports."""
    if plan.found is None:
        classes = words.quantity(plan.classes, "class", "classes")
        yield words.line(
            f"At most {classes}, all equally likely: expected k = {words.number(plan.k_expected)}."
        )
    if facts := plan.measured:
        what = plan.found or "k"
        value = words.number(getattr(facts.supports, what))
        text = (
            f"The table has {words.quantity(facts.classes, 'class', 'classes')}, the smallest with "
            f"{words.number(facts.smallest)} of {words.quantity(facts.people, 'record')}. "
            f"{_least_share_words(plan, facts)}: the table supports {what} = {value}."
        )
        good = (facts.supports.k or 0) >= (plan.question.k or 0)
        yield words.line(text, "" if plan.found else words.GOOD if good else words.BAD)


def _least_share_words(plan: "Plan", facts: "Measured") -> str:
    """Say which share of the population each class is at least, or that classes are too small."""
    if not facts.share:
        return "That is too few to say what share of the population it is"
    sure = words.percent(plan.question.confidence)
    return (
        f"With confidence {sure} for all classes together, each is at least "
        f"{words.number(facts.share)} of the population"
    )


def quantiles_text(found: "Bucketed", path: str | None, *, details: bool = False) -> RenderableType:
    """Say what became of each column; no `path`: a dry run; `details` adds merges and the error."""
    done = "Wrote and recounted the rows" if path else "Dry run, nothing written"
    rows = words.quantity(found.records, "record")
    head = f"{done}: at least {words.number(found.smallest)} of {rows} show each value."
    others = ("merged", "squared error") if details else ()
    made = words.table("column", "buckets", "smallest", "empty", *others)
    for column in found.columns:
        empty = column.missing + column.emptied
        further = (column.merged, column.error) if details else ()
        figures = (column.buckets, column.smallest, empty, *further)
        made.add_row(words.line(column.name), *map(words.number, figures))
    rest = [_rank_words(found.promise)]
    rest += [f"Unchanged: {join_words(found.kept)}."] if found.kept else []
    rest += [f"Withheld: {join_words(found.withheld)}."] if found.withheld else []
    return words.stack(
        words.line(head, words.GOOD),
        words.align_right(made, *range(1, 4 + len(others))),
        *words.lines(rest),
    )


def _rank_words(promise: "RankPromise") -> str:
    """Say how far the ranks of the cuts may be off, and with which probability."""
    if promise.exact:
        return f"Exact: the cuts come from all {words.quantity(promise.sample, 'record')}."
    return (
        f"From a sample of {words.quantity(promise.sample, 'record')}: with probability "
        f"{words.percent(1 - (promise.delta or 0.0))} the rank of a cut is off by at most "
        f"{_bound_words(promise.epsilon)} of the records, and the ranks of all cuts of all columns "
        f"by at most {_bound_words(promise.simultaneous)}."
    )


def _bound_words(value: float | None) -> str:
    """An upper bound as a share in percent, rounded up; None is `an unknown share`."""
    return "an unknown share" if value is None else words.share_rounded_up(value)
