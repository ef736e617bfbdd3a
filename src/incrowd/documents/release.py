"""Releases as people read them: made, planned, checked. Nothing is computed here."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table

from incrowd.documents.words import (
    BAD,
    GOOD,
    QUIET,
    counted,
    line,
    lines,
    listed,
    number,
    promise,
    sentence,
    spaced,
    table,
)

if TYPE_CHECKING:
    from incrowd.population.plan import Measured, Plan
    from incrowd.population.quantiles import Bucketed, RankPromise
    from incrowd.release.certificate import KeyFiles
    from incrowd.release.release import Release
    from incrowd.search.literature.accuracy.frontier import Frontier
    from incrowd.verify.verify import Check, Verdict

_RECODINGS = {
    "Levels": "full-domain generalization",
    "Cells": "generalization by class",
    "Spans": "local recoding",
    "Pieces": "local recoding",
    "Boxes": "local recoding",
    "ValueSets": "local recoding",
    "Cuts": "buckets of each column",
    "Anatomy": "anatomy",
    "Anatomized": "anatomy",
}
"""What kinds of recoding are called, by the class of the recoding."""


def release_text(release: "Release", paths: Mapping[str, str]) -> RenderableType:
    """What was released, and what it lost."""
    done = "Wrote and verified" if paths else "Dry run, nothing written: verified"
    classes = counted(release.classes, "class", "classes")
    left_out = f"left out {counted(release.suppressed, 'record') if release.suppressed else 'none'}"
    head = f"{done} {counted(release.records, 'record')} in {classes}; {left_out}."
    parts: list[RenderableType] = [line(head, GOOD), *lines([_used(release), _reached(release)])]
    parts += [verdicts(release.models), _figures("loss", release.loss)]
    if release.levels:
        parts.append(_figures("column", release.levels, "level"))
    if release.labels:
        each = (f"{name} {number(count)}" for name, count in release.labels.items())
        parts.append(line(f"Different labels: {', '.join(each)}."))
    return spaced(*parts, *_written(paths))


def _used(release: "Release") -> str:
    """How the release was made, what it lost, and what else the search says."""
    if release.why.startswith(("Used ", "used ")):
        return sentence(release.why)
    kind = _RECODINGS.get(type(release.recoding).__name__, "the search")
    name = release.policy.loss.name
    loss = release.loss.get(name)
    lost = "" if loss is None else f": information loss {number(loss)} ({name})"
    return f"Used {kind} ({release.search}){lost}. {sentence(release.why)}"


def _reached(release: "Release") -> str:
    """How private the least private class is, and what the worst one loses."""
    l = release.privacy["l"]
    by_column = l if isinstance(l, Mapping) else {} if l is None else {"": l}
    values = (
        f", l = {number(one)}{f' of {name}' if name else ''}" for name, one in by_column.items()
    )
    reached = f"Reached k = {number(release.privacy['k'])}{''.join(values)}"
    lost = f"no class loses more than {number(release.max_class_ncp)}"
    bound = {None: "", True: ", within the bound", False: ", more than the bound allows"}
    return f"{reached}; {lost}{bound[release.bound_met]}."


def verdicts(models: Iterable["Verdict"]) -> Table:
    """What each model asks for, what the rows reach, and what that means."""
    made = table("model", "column", "asked", "reached", "")
    for model in models:
        meaning = _meaning(model) if model.ok else "not met"
        figures = (number(model.asked), number(model.reached))
        met = line(meaning, GOOD if model.ok else BAD)
        made.add_row(model.name, line(model.column or ""), *figures, met)
    return made


def _meaning(model: "Verdict") -> str:
    """What a met model means, and how sure that is."""
    meaning = promise(model.name, model.column, model.reached)
    if model.confidence is None:
        return meaning
    return f"{meaning}, with confidence {number(model.confidence)} for all classes together"


def check_text(check: "Check") -> RenderableType:
    """Whether a release keeps its policy."""
    head = line("The release keeps its policy.", GOOD)
    if not check.ok:
        head = line("The release does NOT keep its policy.", BAD)
    parts: list[RenderableType] = [head, verdicts(check.models)]
    if check.losses:
        parts.append(_recounted(check))
    parts += lines(f"- {note}" for note in check.notes)
    if check.claimed:
        claimed = f"The certificate also claims, not recounted: {', '.join(check.claimed)}."
        parts.append(line(claimed, QUIET))
    return spaced(*parts, line(f"SHA-256 {check.digest}", QUIET))


def _recounted(check: "Check") -> Table:
    made = table("loss", "certificate", "recounted")
    for name, (claimed, found) in check.losses.items():
        made.add_row(name, f"{claimed:.12g}", f"{found:.12g}")
    return made


def keys_text(made: "KeyFiles") -> RenderableType:
    """Where a new pair of keys is."""
    return spaced(
        line(f"private key: {made.private} (keep it secret: with it anybody can sign as you)"),
        line(f"public key: {made.public} (hand it out, for check --trusted-key)"),
        line(f"fingerprint: {made.fingerprint}"),
    )


def frontier_text(curve: "Frontier", path: str | None) -> RenderableType:
    """How much privacy there is for every largest loss of a class."""
    of = f" of {curve.column}" if curve.privacy == "l" else ""
    head = f"The most {curve.privacy}{of} that was found for each largest loss of a class:"
    made = table("a class loses at most", "k", "l", curve.loss, "classes")
    for point in curve.points:
        figures = (point.max_loss, point.k, point.l, point.loss, point.classes)
        made.add_row(*map(number, figures))
    rest = ["To make one of these releases: anonymize --maximize privacy --max-loss."]
    if curve.out_of_reach:
        rest.append(f"Nothing was found within {number(curve.out_of_reach[-1])} or less.")
    if not curve.complete:
        unseen = ", ".join(map(number, curve.unseen))
        rest.append(f"There was no time for {unseen}: raise --time-limit.")
    return spaced(line(head), made, *lines(rest), *_written({"curve": path} if path else {}))


def plan_text(plan: "Plan") -> RenderableType:
    """For each column: distinct values now, allowed, and what to do."""
    return spaced(line(_headline(plan)), _actions(plan), *_supports(plan))


def applied_text(
    plan: "Plan", release: "Release", raised: tuple[str, ...], paths: Mapping[str, str]
) -> RenderableType:
    """The plan that was carried out, and the release."""
    done = "Wrote and verified" if paths else "Verified"
    classes = counted(release.classes, "class", "classes")
    head = f"{done} {counted(release.records, 'record')} in {classes}."
    above = [f"Raised above the plan: {', '.join(raised)}."] if raised else []
    parts = (*lines(above), line(head, GOOD), verdicts(release.models), *_written(paths))
    return spaced(plan_text(plan), line(""), *parts)


def _headline(plan: "Plan") -> str:
    asked = plan.question
    covers = "all classes together" if asked.simultaneous else "each class by itself"
    how = f"{asked.bound} bound, beta for {covers}"
    if plan.found is not None:
        return f"{_found(plan)} ({how})."
    return (
        f"{counted(plan.classes_allowed, 'class', 'classes')} of at least {number(asked.k)} of "
        f"{number(asked.population)} people, except with probability {number(asked.beta)} ({how})."
    )


def _found(plan: "Plan") -> str:
    """The answer to what the question left open."""
    asked, classes = plan.question, counted(plan.classes_allowed, "class", "classes")
    people, k, beta = number(asked.population), number(asked.k), number(asked.beta)
    match plan.found:
        case "k":
            return f"{classes} of {people} people support k = {k} with beta = {beta}"
        case "beta":
            return f"{classes} of {people} people miss k = {k} with probability {beta}"
        case _:
            return f"{classes} need a population of {people} for k = {k} with beta = {beta}"


def _actions(plan: "Plan") -> Table:
    made = table("column", "distinct now", "allowed", "then", "what to do")
    for action in plan.actions:
        what = line(action.rung.says, BAD if action.left_out else "")
        if action.note:
            what.append(f" ({action.note})")
        figures = (action.distinct, action.allowed, action.rung.values)
        made.add_row(line(action.column), *map(number, figures), what)
    return made


def _supports(plan: "Plan") -> Iterator[RenderableType]:
    """What the number of classes and the table itself support."""
    if plan.found is None:
        classes = counted(plan.classes, "class", "classes")
        yield line(f"At most {classes}, all equally likely: k = {number(plan.k_expected)}.")
    if facts := plan.measured:
        what = plan.found or "k"
        text = (
            f"The table has {counted(facts.classes, 'class', 'classes')}, the smallest with "
            f"{number(facts.smallest)} of {counted(facts.people, 'record')}. "
            f"{_least_share(plan, facts)}: {what} = {number(getattr(facts.supports, what))}."
        )
        good = (facts.supports.k or 0) >= (plan.question.k or 0)
        yield line(text, "" if plan.found else GOOD if good else BAD)


def _least_share(plan: "Plan", facts: "Measured") -> str:
    """What the table says about the share of its classes in the population."""
    if not facts.share:
        return "That is too few to say what share of the population it is"
    sure = number(plan.question.confidence)
    return (
        f"With confidence {sure} for all classes together, each is at least "
        f"{number(facts.share)} of the population"
    )


def quantiles_text(found: "Bucketed", path: str | None) -> RenderableType:
    """What became of each column."""
    done = "Wrote and recounted the rows" if path else "Dry run, nothing written"
    head = (
        f"{done}: at least {number(found.smallest)} of {counted(found.records, 'record')} show "
        "each value."
    )
    made = table("column", "buckets", "smallest", "merged", "empty", "squared error")
    for one in made.columns[1:]:
        one.justify = "right"
    for column in found.columns:
        empty = column.missing + column.emptied
        figures = (column.buckets, column.smallest, column.merged, empty, column.error)
        made.add_row(line(column.name), *map(number, figures))
    rest = [_ranks(found.promise)]
    rest += [f"Unchanged: {listed(found.kept)}."] if found.kept else []
    rest += [f"Withheld: {listed(found.withheld)}."] if found.withheld else []
    parts = (line(head, GOOD), made, *lines(rest))
    return spaced(*parts, *_written({"written": path} if path else {}))


def _ranks(promise: "RankPromise") -> str:
    if promise.exact:
        return f"Exact: the cuts come from all {counted(promise.sample, 'record')}."
    return (
        f"From a sample of {counted(promise.sample, 'record')}: with probability "
        f"{number(1 - (promise.delta or 0.0))} the rank of a cut is off by at most "
        f"{number(promise.epsilon)} of the records, and the ranks of all cuts of all columns by at "
        f"most {number(promise.simultaneous)}."
    )


def _figures(head: str, figures: Mapping[str, float], value: str = "") -> Table:
    made = table(head, value)
    for name, figure in figures.items():
        made.add_row(line(name), number(figure))
    return made


def _written(paths: Mapping[str, str]) -> list[RenderableType]:
    return lines(f"{what}: {path}" for what, path in paths.items())
