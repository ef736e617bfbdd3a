"""Results for people at a terminal. Nothing is computed here, and no cell is shown."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from math import ceil, floor, isinf
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from incrowd.documents.risks import more
from incrowd.documents.words import counted, number, printable, promise

if TYPE_CHECKING:
    from incrowd.exposure.risk import Reached, Risk
    from incrowd.identify.distinct_values import DistinctValueTest
    from incrowd.identify.outcome import ColumnSet, Discovery, Explanation, Guarantee, Masked
    from incrowd.policy.draft import Draft
    from incrowd.release.release import Release
    from incrowd.release.signing import KeyFiles
    from incrowd.search.literature.accuracy.frontier import Frontier
    from incrowd.verify.verdict import Check, Verdict

GOOD, BAD, QUIET = "green", "bold red", "dim"
_SHOWN = 20
"""Sets that a terminal shows."""
_FEW = 5
MANY = 10
"""More quasi-identifying columns than this cost a release most of its detail."""
_ADVICE = (
    "The more columns are quasi, the more each of them loses: before you release, give those that "
    'nobody outside can know role = "keep", and those that nobody needs role = "drop".'
)


def risk_picture(risk: "Risk", quasi: Iterable[str]) -> RenderableType:
    """What somebody who knows the quasi-identifying columns could find."""
    names = ", ".join(quasi)
    head = (
        f"{counted(risk.records, 'record')} of {counted(risk.people, 'person', 'people')}, "
        f"{counted(risk.classes, 'class', 'classes')} by {names}."
    )
    parts: list[RenderableType] = [_text(head), _exposure(risk)]
    if risk.sensitive:
        parts.append(_sensitive(risk.sensitive))
    parts.append(_readings(risk))
    return _spaced(*parts, *more(risk))


def _exposure(risk: "Risk") -> Table:
    table = _table("", "")
    table.add_row("smallest class (k)", _text(number(risk.k), style=BAD if risk.k < 2 else GOOD))
    table.add_row("records of people who are unique", number(risk.unique_records))
    table.add_row("average class", number(risk.average_class))
    table.add_row("highest risk of being found", number(risk.prosecutor.max))
    table.add_row("average risk", number(risk.prosecutor.average))
    above = number(risk.prosecutor.above_threshold)
    table.add_row(f"share of records above a risk of {number(risk.threshold)}", above)
    if risk.population is not None:
        table.add_row("people of the population in the lightest class", number(risk.population))
    return table


def _sensitive(sensitive: "Mapping[str, Reached]") -> Table:
    table = _table("sensitive column", "measure", "reached by the weakest class")
    for name, reached in sensitive.items():
        for kind, l in reached.l.items():
            table.add_row(_text(name), f"l ({kind})", number(l))
        for distance, t in reached.t.items():
            table.add_row(_text(name), f"t ({distance})", number(t))
    return table


def _readings(risk: "Risk") -> Table:
    table = _table("missing values read as", "records", "classes", "k", "unique records")
    for reading, found in risk.missing.items():
        figures = (found.records, found.classes, found.k, found.unique_records)
        mark = " (asked)" if reading is risk.reading else ""
        table.add_row(reading.value + mark, *map(number, figures))
    return table


def verdicts(models: Iterable["Verdict"]) -> Table:
    """What each model asked for and what the rows reach."""
    table = _table("model", "column", "asked", "reached", "")
    for model in models:
        said = _said(model) if model.ok else "not met"
        style = GOOD if model.ok else BAD
        figures = (number(model.asked), number(model.reached), _text(said, style=style))
        table.add_row(model.name, _text(model.column or ""), *figures)
    return table


def _said(model: "Verdict") -> str:
    """What a model that is met means, and how sure that is."""
    said = promise(model.name, model.column, model.reached)
    if model.confidence is None:
        return said
    return f"{said}, with confidence {number(model.confidence)} for all classes together"


def check_picture(check: "Check") -> RenderableType:
    """Whether a release keeps its policy."""
    head = Text("The release keeps its policy.", style=GOOD)
    if not check.ok:
        head = Text("The release does NOT keep its policy.", style=BAD)
    parts: list[RenderableType] = [head, verdicts(check.models)]
    if check.losses:
        parts.append(_recounted(check))
    parts += [_text(f"- {note}") for note in check.notes]
    if check.claimed:
        claimed = f"Claimed by the certificate, not recounted: {', '.join(check.claimed)}."
        parts.append(_text(claimed, style=QUIET))
    return _spaced(*parts, _text(f"SHA-256 {check.digest}", style=QUIET))


def _recounted(check: "Check") -> Table:
    table = _table("loss", "certificate", "recounted")
    for name, (said, found) in check.losses.items():
        table.add_row(name, f"{said:.12g}", f"{found:.12g}")
    return table


def keys_picture(made: "KeyFiles") -> RenderableType:
    """Where a new pair of keys is."""
    return _spaced(
        _text(f"private key: {made.private} (keep it secret; whoever has it can sign as you)"),
        _text(f"public key: {made.public} (hand it out; check --trusted-key takes it)"),
        _text(f"fingerprint: {made.fingerprint}"),
    )


def release_picture(release: "Release", paths: Mapping[str, str]) -> RenderableType:
    """What was released, and at what loss."""
    left_out = counted(release.suppressed, "record was", "records were")
    head = (
        f"{counted(release.records, 'record')} in {counted(release.classes, 'class', 'classes')}, "
        f"written and verified; {left_out} left out."
    )
    if not paths:
        head = head.replace("written and verified", "verified, not written")
    parts: list[RenderableType] = [_text(head, style=GOOD)]
    parts.append(_text(f"Search {release.search}: {release.why}."))
    parts.append(_text(_reach(release)))
    parts += [verdicts(release.models), _losses(release.loss)]
    if release.levels:
        parts.append(_levels(release.levels))
    if release.labels:
        parts.append(_text(_labels(release.labels)))
    parts += [_text(f"{what}: {path}") for what, path in paths.items()]
    return _spaced(*parts)


def _reach(release: "Release") -> str:
    """How private the least private class is, and what the worst one loses."""
    l = release.privacy["l"]
    by_column = l if isinstance(l, Mapping) else {} if l is None else {"": l}
    values = (
        f", l = {number(one)}{f' of {name}' if name else ''}" for name, one in by_column.items()
    )
    reached = f"Reached: k = {number(release.privacy['k'])}{''.join(values)}"
    lost = f"no class loses more than {number(release.max_class_ncp)}"
    bound = {None: "", True: ", within the bound", False: ", which is beyond the bound"}
    return f"{reached}; {lost}{bound[release.bound_met]}."


def _labels(labels: Mapping[str, int]) -> str:
    """How many different labels a reader meets, column by column."""
    each = ", ".join(f"{name} {number(count)}" for name, count in labels.items())
    return f"Different labels: {each}."


def _losses(loss: Mapping[str, float]) -> Table:
    table = _table("loss", "")
    for name, figure in loss.items():
        table.add_row(name, number(figure))
    return table


def _levels(levels: Mapping[str, int]) -> Table:
    table = _table("column", "level")
    for name, level in levels.items():
        table.add_row(_text(name), number(level))
    return table


def frontier_picture(curve: "Frontier", path: str | None) -> RenderableType:
    """How much privacy there is for every largest loss of a class."""
    of = f" of {curve.column}" if curve.privacy == "l" else ""
    head = f"The most {curve.privacy}{of} that was found for the most that a class may lose:"
    table = _table("a class loses at most", "k", "l", curve.loss, "classes")
    for point in curve.points:
        figures = (point.max_loss, point.k, point.l, point.loss, point.classes)
        table.add_row(*map(number, figures))
    said = ["--maximize privacy --max-loss with one of these makes a release of it."]
    if curve.out_of_reach:
        said.append(f"Nothing was found within {number(curve.out_of_reach[-1])} or less.")
    if not curve.complete:
        unseen = ", ".join(map(number, curve.unseen))
        said.append(f"There was no time for {unseen}; --time-limit gives more.")
    said += [f"written: {path}"] if path else []
    return _spaced(_text(head), table, *map(_text, said))


def draft_picture(draft: "Draft") -> RenderableType:
    """What each column seems to be, and why."""
    table = _table("column", "role", "hierarchy", "distinct", "why")
    shares = dict(draft.risky)
    for name, column in draft.policy.columns.items():
        why = _text(draft.reasons[name])
        if name in draft.review:
            why = Text.assemble(("review: ", BAD), why)
        hierarchy = column.hierarchy.name if column.hierarchy else ""
        share = number(shares.get(name))
        table.add_row(_text(name), column.role.value, hierarchy, share, why)
    models = (
        f"{' of '.join((model.name, *model.columns))} ({number(model.threshold)})"
        for model in draft.policy.models
    )
    parts = [_text(f"models: {', '.join(models)}"), _text(_roles(draft))]
    if len(draft.policy.quasi) > MANY:
        parts.append(_text(_ADVICE))
    return _spaced(table, *parts)


def _roles(draft: "Draft") -> str:
    """How many columns have which role, and how many should be looked at."""
    roles = Counter(column.role.value for column in draft.policy.columns.values())
    listed = ", ".join(f"{counted(count, role, role)}" for role, count in roles.items())
    return f"columns: {listed}; {number(len(draft.review))} to review"


def discovery_picture(found: "Discovery") -> RenderableType:
    """Which sets of columns tell records apart, and how far that is certain."""
    parts: list[RenderableType] = []
    if found.partial:
        parts.append(_text("PARTIAL: the search was cut short; there may be more.", style=BAD))
    parts.append(_text(_headline(found), style=BAD if found.found else ""))
    if found.minimum is not None:
        parts.append(_text(f"{_smallest(found)}: {_names(found.minimum)}"))
    if found.sets:
        parts.append(_sets(found))
        parts += [_text(_needed(test)) for test in found.tests[:1]]
        hidden = found.found - min(_SHOWN, len(found.sets))
        parts += [_text(f"and {hidden:,} more; --json lists them", style=QUIET)] if hidden else []
    for one in found.explanations:
        parts += _explanation(one)
    parts += _promises(found.promise, found.guarantee)
    if found.sampled:
        parts.append(_text("Figures are those of the sample; the table's may be lower."))
    return _spaced(*parts)


def _headline(found: "Discovery") -> str:
    """What was shown of how many sets, and how sure that is."""
    sets, records = counted(found.found, "set"), counted(found.records, "record")
    if found.bounded:
        records = f"At most {counted(found.records, 'different record')}"
    sure = f"with probability {number(1 - (found.guarantee.delta or 0.0))}"
    drawn = f"{records}, {number(found.guarantee.sample)} drawn"
    ratio = f"a {found.measure} ratio of"
    match found.basis.value:
        case "counted":
            minimal = counted(found.found, "minimal set")
            return (
                f"{records}: {minimal} of columns found with {ratio} {number(found.ratio)} or more."
            )
        case "at least":
            who = "each" if found.found > 1 else "it"
            each = f"{sets} of columns found; {sure}, {who} has {ratio} at least"
            return f"{drawn}: {each} {_down(found.reaches or 0.0)} in the table."
        case "relative":
            pairs = f"{records}, {number(found.guarantee.sample)} pairs drawn"
            return f"{pairs}: {sets} of columns found; {found.promise}. No set is a key."
    if not found.found:
        return f"{drawn}: {found.promise}."
    these = "this candidate" if found.found == 1 else f"one of {number(found.found)} candidates"
    return (
        f"{drawn}: no set is shown to reach {ratio} {number(found.ratio)}; {sure}, every set that "
        f"does contains {these}."
    )


def _smallest(found: "Discovery") -> str:
    """What the smallest set is called: the smallest of all only where that was shown."""
    if found.basis.value == "candidates":
        return "Smallest candidate"
    promised = found.minimum.guarantee if found.minimum is not None else found.guarantee
    return "Smallest" if promised.exact and not promised.not_searched else "Smallest found"


def _down(share: float) -> str:
    """A ratio that is reached at least, never rounded up."""
    return number(floor(share * 10_000) / 10_000)


def _sets(found: "Discovery") -> Table:
    heads = ("columns", "distinct", "separation", "unique")
    judged = [_judged(test) for test in found.tests]
    asked = [f"{number(test.alpha)}-quasi-identifier" for test in found.tests[:1]]
    table = _table(*heads, *("possible values" for _ in asked), *asked)
    for i, one in enumerate(found.sets[:_SHOWN]):
        figures = map(_share, (one.distinct, one.separation, one.unique))
        more = judged[i] if judged else ()
        table.add_row(_text(_names(one)), *figures, *more)
    return table


def _judged(test: "DistinctValueTest") -> tuple[str, str]:
    """The number of values that a set can have, where it comes from, and what it says."""
    values = "without limit" if isinf(test.distinct) else number(round(test.distinct))
    return f"{values} ({test.source.value})", test.answer


def _needed(test: "DistinctValueTest") -> str:
    """What a set needs to tell so many people apart."""
    least = "without limit" if isinf(test.threshold) else number(ceil(test.threshold))
    return (
        f"To tell {number(test.alpha)} of {number(test.population)} people apart, a set needs at "
        f"least {least} possible values."
    )


def _explanation(one: "Explanation") -> list[RenderableType]:
    """What a column adds, whom it needs, and what coarser values would change."""
    alone, without, together = (
        _share(ratios.unique_ratio) for ratios in (one.alone, one.without, one.together)
    )
    adds = (
        f"{one.column}: unique records {alone} alone; all other columns {without}, with it "
        f"{together}."
    )
    partners = ["alone" if not names else " + ".join(names) for names in one.partners[:_FEW]]
    needs = (
        f"It reaches the ratio with {' or '.join(partners)}."
        if partners
        else ("It reaches the ratio with none of the sets looked at.")
    )
    more = len(one.partners) - len(partners)
    table = _table("level", "values left", "unique records", "distinct")
    for level in one.coarser:
        unique, distinct = level.ratios.unique_ratio, level.ratios.distinct_ratio
        table.add_row(number(level.level), number(level.values), _share(unique), _share(distinct))
    return [
        _text(adds),
        _text(needs.replace("with alone", "alone") + (f" ({more:,} more)" if more else "")),
        _text(f"{one.column} made coarser, within {' + '.join(one.among)}:"),
        table,
    ]


def _promises(promise: str, guarantee: "Guarantee") -> list[RenderableType]:
    """What is promised, what was looked at, and what was not."""
    said = [f"Promise: {promise}.", f"Searched: {guarantee.searched}."]
    if guarantee.not_searched:
        said.append(f"Not searched: {guarantee.not_searched}.")
    return [_text(line) for line in said]


def mask_picture(found: "Masked", path: str | None) -> RenderableType:
    """Which columns were published, and what they do."""
    total = len(found.published) + len(found.withheld)
    written = "written and counted anew" if path else "counted, not written"
    head = (
        f"{len(found.published)} of {counted(total, 'column')} of "
        f"{counted(found.ratios.records, 'record')} {written}: "
        f"{found.measure} ratio {number(found.ratio)}, not above {number(found.limit)}."
    )
    table = _table("", "")
    table.add_row("published", _text(", ".join(found.published)))
    table.add_row("withheld", _text(", ".join(found.withheld) or "none"))
    for name in ("distinct", "separation", "unique"):
        table.add_row(f"{name} ratio", _share(getattr(found.found, name)))
    table.add_row("records of the smallest class", number(found.ratios.smallest))
    warning = _text("This is not anonymization: the values are exact.", style=BAD)
    promises = _promises("no set of the published columns is above the ratio", found.guarantee)
    paths = [_text(f"written: {path}")] if path else []
    return _spaced(_text(head, style=GOOD), table, warning, *promises, *paths)


def _share(value: float) -> str:
    """A share for people: what is not quite all is not called all, nor what is not nothing."""
    if 0 < value < 0.0001:
        return "<0.0001"
    return ">0.9999" if 0.9999 < value < 1 else number(value)


def _names(found: "ColumnSet") -> str:
    return " + ".join(found.columns)


def _text(text: str, style: str = "") -> Text:
    """Text that steers no terminal: column names may hold anything."""
    return Text(printable(text), style=style)


def _spaced(first: RenderableType, *others: RenderableType) -> Group:
    """The parts below each other, tables with room around them."""
    shown = [first]
    for before, part in pairwise((first, *others)):
        room = isinstance(before, Table) or isinstance(part, Table)
        shown += [Text(), part] if room else [part]
    return Group(*shown)


def _table(*heads: str) -> Table:
    table = Table(box=None, pad_edge=False, show_header=any(heads), padding=(0, 2, 0, 0))
    for head in heads:
        table.add_column(head, header_style="bold", overflow="fold")
    return table
