"""Releases as people read them: made, refused, checked. Nothing is computed here."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from incrowd.documents.verdict import NOT_PASSED
from incrowd.documents.words import (
    BAD,
    GOOD,
    QUIET,
    align_right,
    figure_title,
    higher_is_better,
    hint,
    line,
    lines,
    loss_name,
    number,
    percent,
    promise_words,
    quantity,
    share,
    stack,
    table,
)
from incrowd.errors import join_words, sentence

if TYPE_CHECKING:
    from incrowd.release.certificate import KeyFiles
    from incrowd.release.refused import RefusedResult
    from incrowd.release.release import Release
    from incrowd.search.bound import LossBound
    from incrowd.search.literature.accuracy.frontier import Frontier, FrontierPoint
    from incrowd.verify.alone import Alone
    from incrowd.verify.verdict import Check, Verdict, WorldCandidates

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
FREQUENCY_L = "frequency l"
"""The people of a class divided by those who share its commonest sensitive value."""
_POINTS = 6
"""Points of a curve that a terminal shows."""


def release_text(
    release: "Release", paths: Mapping[str, str], *, details: bool = False
) -> RenderableType:
    """Say what was released, what it reaches and lost; all figures with `details`.

    `paths` has the files that were written, by what they hold; it is empty after a dry run.
    """
    measures = [model.measure for model in release.policy.models]
    made = verdicts_table(release.models, measures)
    name = release.policy.loss.name
    if name in release.loss:
        loss = release.loss[name]
        lost = release.policy.loss.meaning.format(share=share(loss))
        aim = "most" if higher_is_better(name) else "least"
        made.add_row(figure_title(name), aim, number(loss), lost)
    parts: list[RenderableType] = [
        *_alone_lines(release.alone),
        line(_headline(release, paths), GOOD),
        made,
    ]
    if details or release.bound_met is not None:
        parts.append(line(_weakest_class_words(release), BAD if release.bound_met is False else ""))
    if release.bound is not None:
        parts.append(line(_gap_sentence(release.bound)))
    parts += _detail_parts(release) if details else []
    kept = [f"{what}: {path}" for what, path in paths.items() if what != "release"]
    parts += lines(kept, QUIET)
    return stack(*parts, *([] if details else [hint("the search, all losses and all labels")]))


def _alone_lines(alone: "Alone | None") -> list[Text]:
    """A line on people whom unchanged columns single out; none without such columns or counts."""
    if alone is None:
        return []
    return [line(alone.sentence, BAD if alone.together > alone.limit else "")]


def _headline(release: "Release", paths: Mapping[str, str]) -> str:
    """Say whether it was written, and how many records are in how many classes or left out."""
    where = paths.get("release")
    done = f"Wrote and verified {where}" if where else "Dry run, nothing written"
    if not release.records:
        gone = quantity(release.suppressed, "record was", "records were")
        return f"{done}: it holds no records; {gone} left out."
    classes = quantity(release.classes, "class", "classes")
    gone = f"left out {quantity(release.suppressed, 'record') if release.suppressed else 'none'}"
    return f"{done}: {quantity(release.records, 'record')} in {classes}; {gone}."


def _detail_parts(release: "Release") -> list[RenderableType]:
    """What `details` adds: the search, all losses, levels and labels."""
    parts: list[RenderableType] = [line(_search_words(release)), _losses_table(release.loss)]
    if release.levels:
        parts.append(_figures_table("column", release.levels, "level"))
    if release.labels:
        each = (f"{name} {number(count)}" for name, count in release.labels.items())
        parts.append(line(f"Different labels: {', '.join(each)}."))
    return parts


def _search_words(release: "Release") -> str:
    """Say how the release was found: recoding, search, loss and `why`, or `why` if it says all."""
    if release.why.startswith(("Used ", "used ")):
        return sentence(release.why)
    kind = _RECODINGS.get(type(release.recoding).__name__, "the search")
    name = release.policy.loss.name
    loss = release.loss.get(name)
    lost = "" if loss is None else f": {figure_title(name)} {number(loss)}"
    return f"Used {kind} ({release.search}){lost}. {sentence(release.why)}"


def _weakest_class_words(release: "Release") -> str:
    """Say which k and l the release reaches, what a class loses at most, and if that is allowed."""
    l = release.privacy["l"]
    by_column = l if isinstance(l, Mapping) else {} if l is None else {"": l}
    values = (
        f", {FREQUENCY_L} = {number(one)}{f' of {name}' if name else ''}"
        for name, one in by_column.items()
    )
    reached = f"Reached k = {number(release.privacy['k'])}{''.join(values)}"
    lost = f"no class loses more than {share(release.max_class_ncp)} (NCP)"
    bound = {None: "", True: ", within the bound", False: ", more than the bound allows"}
    return f"{reached}; {lost}{bound[release.bound_met]}."


def refused_text(result: "RefusedResult") -> RenderableType:
    """Say how many records and classes of a refused result fail a model, and what it loses."""
    classes = f"{number(result.failing_classes)} of {quantity(result.classes, 'class', 'classes')}"
    records = f"{number(result.failing_records)} of {quantity(result.records, 'record')}"
    head = f"Refused, nothing written: {records}, in {classes}, fail a model."
    made = table("model", "asked", "reached", "records that fail", "classes that fail")
    for one in result.models:
        figures = (*_asked_and_reached(one.verdict), number(one.records), number(one.classes))
        made.add_row(line(_model_title(one.verdict, one.measure)), *figures)
    said = f"Used {result.search}: {result.why}."
    return stack(line(head, BAD), line(said), made, _losses_table(result.loss))


def _gap_sentence(bound: "LossBound") -> str:
    """Say below which loss no generalized release goes, proved or estimated, and what was lost."""
    classes = f"with at least {quantity(bound.size, 'record')} in every class"
    if bound.sampled is not None:
        about = f"about {number(bound.loss)} ± {number(bound.margin)}"
        sure = f"estimated from a sample of {quantity(bound.sampled, 'record')}, confidence 95 %"
        return (
            f"A lower bound of the loss {classes} is {about} ({sure}); found {number(bound.found)}."
        )
    share = f"; this release loses {number(bound.found)}, at most {number(bound.gap)} more"
    return f"No generalized release {classes} loses less than {number(bound.loss)} (proved){share}."


def verdicts_table(models: Iterable["Verdict"], measures: Iterable[str] = ()) -> Table:
    """Make a table of what each model asks for and reaches, and what that means in its measure.

    `measures` go with the models in their order; a model behind the last of them has none.
    """
    made = table("", "asked", "reached", "")
    for model, measure in zip(models, chain(measures, repeat("")), strict=False):
        meaning = _meaning_of_model(model, measure) if model.ok else "not met"
        met = line(meaning, GOOD if model.ok else BAD)
        made.add_row(line(_model_title(model, measure)), *_asked_and_reached(model), met)
    return align_right(made, 1, 2)


def _model_title(model: "Verdict", measure: str) -> str:
    """The model with measure and column, such as `l-diversity (frequency) of diagnosis`."""
    kind = f" ({measure})" if measure else ""
    return f"{model.name}{kind}{f' of {model.column}' if model.column else ''}"


def _asked_and_reached(model: "Verdict") -> tuple[str, str]:
    """Both figures as texts, in more digits if fewer would hide that they differ."""
    shown = number(model.asked), number(model.reached)
    if shown[0] == shown[1] and not model.ok:
        return f"{model.asked:.9g}", f"{model.reached:.9g}"
    return shown


def _meaning_of_model(model: "Verdict", measure: str) -> str:
    """What it means that a model is met, with the confidence if it is an estimate."""
    meaning = promise_words(model.name, model.column, model.reached, measure)
    if model.confidence is None:
        return meaning
    return f"{meaning}, with confidence {percent(model.confidence)} for all classes together"


def check_text(check: "Check", *, details: bool = False) -> RenderableType:
    """Say whether a release keeps its policy; `details` adds losses, claims and the digest."""
    parts: list[RenderableType] = [*_alone_lines(check.alone), _check_headline(check)]
    if check.models:
        parts.append(verdicts_table(check.models, check.measures))
    if check.world is not None:
        parts.append(line(_world_sentence(check.world)))
    if details and check.losses:
        parts.append(_loss_comparison(check))
    parts += lines(f"- {note}" for note in check.notes)
    if not details:
        return stack(*parts, *_line_on_details(check))
    if check.claimed:
        claimed = f"The certificate also claims, not recounted: {', '.join(check.claimed)}."
        parts.append(line(claimed, QUIET))
    return stack(*parts, line(f"SHA-256 {check.digest}", QUIET))


def _world_sentence(found: "WorldCandidates") -> str:
    """Say how many people of the world a row may be (Bettini Definitions 4 and 7)."""
    least = f"In the world, a row may be as few as {quantity(found.k, 'person', 'people')}"
    if found.k_matched is None:
        why = f"candidates after matching were not counted: {found.uncounted}"
        return f"{least} by containment; {why}."
    left = f"and {found.k_matched:,} after matching, as every row is a different person"
    return f"{least} by containment, {left} (Bettini Definition 7)."


def _check_headline(check: "Check") -> Text:
    """Say whether the release keeps its policy, and if not, which models fail and by how much."""
    if check.ok:
        models = quantity(len(check.models), "model is met", "models are met")
        by = "" if check.counted else ", by the word of the certificate"
        return line(f"The release keeps its policy: {models}{by}.", GOOD)
    failing = [
        "{2} reaches {1}, not {0}".format(*_asked_and_reached(model), _model_title(model, measure))
        for model, measure in zip(check.models, chain(check.measures, repeat("")), strict=False)
        if not model.ok
    ]
    if check.models and not failing:
        return line(NOT_PASSED, BAD)
    why = f": {join_words(failing)}" if failing else ""
    return line(f"The release does NOT keep its policy{why}.", BAD)


def _line_on_details(check: "Check") -> list[RenderableType]:
    """A line on what `details` would add: entries not recounted, or else the digest."""
    if not check.claimed:
        return [hint("the SHA-256 of what was checked")]
    claims = quantity(len(check.claimed), "entry", "entries")
    text = f"{claims} of the certificate cannot be recounted here; --details names them."
    return [line(text, QUIET)]


def _loss_comparison(check: "Check") -> Table:
    """Make a table of each loss as the certificate says it, and as it was recounted."""
    rows = (
        (loss_name(name), f"{claimed:.12g}", f"{counted:.12g}")
        for name, (claimed, counted) in check.losses.items()
    )
    return table("loss", "certificate", "recounted", rows=rows)


def keys_text(made: "KeyFiles") -> RenderableType:
    """Say where a new pair of keys is."""
    return stack(
        line(f"private key: {made.private} (keep it secret: with it anybody can sign as you)"),
        line(f"public key: {made.public} (hand it out, for check --trusted-key)"),
        line(f"fingerprint: {made.fingerprint}"),
    )


def frontier_text(curve: "Frontier", path: str | None, *, details: bool = False) -> RenderableType:
    """Say how much privacy each largest loss buys and where the curve is; `details`: all points."""
    every = curve.points
    points = every if details else spread_points(every)
    made = table("a class loses at most", "k", FREQUENCY_L, curve.loss, "classes")
    for point in points:
        figures = (point.k, point.l, point.loss, point.classes)
        made.add_row(share(point.max_loss), *map(number, figures))
    rest = []
    if curve.out_of_reach:
        rest.append(f"Nothing was found within {share(curve.out_of_reach[-1])} or less.")
    if not curve.complete:
        unseen = ", ".join(map(share, curve.unseen))
        rest.append(f"There was no time for {unseen}: raise --time-limit.")
    rest += [f"curve: {path}"] if path else []
    left = len(every) - len(points)
    parts = (line(_curve_headline(curve)), align_right(made, *range(5)), *lines(rest))
    return stack(*parts, *([hint(quantity(left, "more point"))] if left else []))


def spread_points(points: "Sequence[FrontierPoint]") -> "Sequence[FrontierPoint]":
    """Choose up to `_POINTS` points, spread evenly over a curve, with its first and its last."""
    if len(points) <= _POINTS:
        return points
    step = (len(points) - 1) / (_POINTS - 1)
    return [points[round(place * step)] for place in range(_POINTS)]


def _curve_headline(curve: "Frontier") -> str:
    """Say from where to where privacy rises along the curve; it must have a point."""
    what = "k" if curve.privacy == "k" else f"{FREQUENCY_L} of {curve.column}"
    ends = [
        f"{number(getattr(point, curve.privacy))} where a class loses at most "
        f"{share(point.max_loss)}"
        for point in (curve.points[:1] + curve.points[-1:])
    ]
    if len(curve.points) == 1:
        return f"The most {what} that was found is {ends[0]}."
    return f"The most {what} that was found rises from {ends[0]} to {ends[1]}."


def _losses_table(losses: Mapping[str, float]) -> Table:
    """Make a table of losses, which are given by name."""
    return _figures_table("loss", {loss_name(name): figure for name, figure in losses.items()})


def _figures_table(head: str, figures: Mapping[str, float], value: str = "") -> Table:
    """Make a table of figures by name; `head` and `value` are the heads of its columns."""
    rows = ((line(name), number(figure)) for name, figure in figures.items())
    return table(head, value, rows=rows)
