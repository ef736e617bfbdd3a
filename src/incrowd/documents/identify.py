"""What identifies people in a table, as people read it. Nothing is computed here."""

from collections import Counter
from collections.abc import Iterator
from math import ceil, floor, isinf
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from incrowd.documents.words import (
    BAD,
    GOOD,
    QUIET,
    SHOWN,
    align_right,
    hint,
    line,
    lines,
    number,
    percent,
    quantity,
    share,
    stack,
    table,
)
from incrowd.errors import sentence

if TYPE_CHECKING:
    from incrowd.identify.distinct_values import DistinctValueTest
    from incrowd.identify.outcome import (
        Discovery,
        Explanation,
        Groups,
        Guarantee,
        JudgedSet,
        JudgedSets,
        Masked,
    )
    from incrowd.pii import Checklist, IdentifierCheck
    from incrowd.policy.draft import Draft

_SETS = 5
"""Sets of columns that a terminal shows without `details`."""
_FEW = 5
"""Partners of a column that a terminal shows."""
_MANY = 10
"""More quasi-identifiers than this cost a release most of its detail."""
_ADVICE = (
    "The more quasi-identifiers there are, the more each of them loses. Before you release, give "
    'columns that nobody outside can know role = "keep", and columns that nobody needs role = '
    '"drop".'
)
_STATUS = {"pass": ("pass", GOOD), "fail": ("FAIL", BAD), "unseen": ("look", "yellow")}
_PASSED = "the identifiers that were not found"
_KNOWLEDGE = (
    "Safe Harbor also asks that you know of no other way to identify a person in the table. No "
    "program can check that, nor what is marked 'look'."
)


def draft_text(draft: "Draft") -> RenderableType:
    """Say what each column seems to be, and why."""
    made = table("column", "role", "hierarchy", "distinct", "why")
    shares = dict(draft.risky)
    for name, column in draft.policy.columns.items():
        why = line(draft.reasons[name])
        if name in draft.review:
            why = Text.assemble(("review: ", BAD), why)
        hierarchy = column.hierarchy.name if column.hierarchy else ""
        distinct = share(shares[name]) if name in shares else "none"
        made.add_row(line(name), column.role.value, hierarchy, distinct, why)
    models = (
        f"{' of '.join((model.name, *model.columns))} "
        f"({' '.join(filter(None, (model.measure, number(model.threshold))))})"
        for model in draft.policy.models
    )
    rest = [f"models: {', '.join(models)}", *_remarks(draft)]
    rest += [_ADVICE] if len(draft.policy.quasi) > _MANY else []
    return stack(line(_draft_headline(draft)), made, *lines(rest))


def _remarks(draft: "Draft") -> Iterator[str]:
    """Yield what a person must decide besides roles: missing marks, offers, models, and advice."""
    for name, why in draft.missing_reasons.items():
        yield f"{name}: {why}; review its missing_values"
    for name, why in draft.offers.items():
        yield f"{name}: {why}"
    reasons: dict[str, list[str]] = {}
    for name, why in draft.unasked.items():
        reasons.setdefault(why, []).append(name)
    yield from (f"{', '.join(names)}: {why}" for why, names in reasons.items())
    yield from draft.advice


def explanation(draft: "Draft", name: str) -> str:
    """Everything that is known about one column of a draft, as a text with a line for each fact."""
    column = draft.policy.columns[name]
    about = [f"{name}: {column.role.value}{' (review)' if name in draft.review else ''}"]
    about.append(f"why: {draft.reasons[name]}")
    if name in draft.hierarchies:
        about.append(f"hierarchy: {draft.hierarchies[name]}")
    if name in draft.missing:
        about.append(f"missing values: {draft.missing_reasons[name]}")
    about += [told[name] for told in (draft.offers, draft.unasked) if name in told]
    about += [
        f"cost: without it the others lose {number(cost.without)}, with it {number(cost.others)} "
        "(by a sample)"
        for cost in draft.costs
        if cost.column == name
    ]
    models = [model.name for model in draft.policy.models if name in model.columns]
    if models:
        about.append(f"models: {', '.join(models)}")
    share_of = dict(draft.risky).get(name)
    if share_of is not None:
        about.append(f"distinct values: {share(share_of)} of the records")
    return "\n".join(about)


def explanation_text(draft: "Draft", name: str) -> RenderableType:
    """What `explanation` says, for a terminal."""
    return stack(*lines(explanation(draft, name).splitlines()))


def _draft_headline(draft: "Draft") -> str:
    """How many columns have each role, and how many are to review."""
    roles = Counter(column.role.value for column in draft.policy.columns.values())
    each = ", ".join(f"{number(count)} {role}" for role, count in roles.items())
    total = quantity(sum(roles.values()), "column")
    return f"{total}: {each}; {number(len(draft.review))} to review."


def discovery_text(found: "Discovery", *, details: bool = False) -> RenderableType:
    """Say which sets tell records apart, and how sure that is; more sets with `details`."""
    most = SHOWN if details else _SETS
    parts: list[RenderableType] = []
    if found.partial:
        parts.append(line("PARTIAL: the search was cut short; there may be more sets.", BAD))
    parts.append(line(discovery_headline(found), BAD if found.found else ""))
    if found.minimum is not None and not _headline_names_set(found):
        parts.append(line(f"{_smallest_words(found)}: {' + '.join(found.minimum.columns)}"))
    if found.sets:
        parts += [_sets_table(found, most), *lines(map(_values_needed, found.tests[:1]))]
        parts += _unshown_lines(found.found - min(most, len(found.sets)), details=details)
    for one in found.explanations:
        parts += _explanation_parts(one)
    if found.sampled:
        parts.append(line("The figures are those of the sample; the table's may be lower."))
    if not details:
        searched = found.guarantee.not_searched
        parts += lines([f"Not searched: {searched}."] if searched else [])
        return stack(*parts, hint("what is promised and what was searched"))
    return stack(
        *parts, *lines([*_promises(found.promise, found.guarantee), *_smallest_source(found)])
    )


def _smallest_source(found: "Discovery") -> Iterator[str]:
    """Yield where the smallest set was found, if in another sample than the listed sets."""
    if found.minimum is not None and found.minimum.guarantee.sample != found.guarantee.sample:
        yield f"{_smallest_words(found)}: {found.minimum.guarantee.searched}."


def _unshown_lines(count: int, *, details: bool) -> list[RenderableType]:
    """A line on how many sets are not shown, and where they are; none if all are."""
    where = "--json lists them" if details else "--details shows more of them, --json all"
    return [line(f"and {count:,} more; {where}", QUIET)] if count > 0 else []


def discovery_headline(found: "Discovery") -> str:
    """Say how many sets were found, and how sure that is."""
    records, sample = _records_words(found), number(found.guarantee.sample)
    sure = f"with probability {percent(1 - (found.guarantee.delta or 0.0))}"
    match found.basis.value:
        case "counted":
            return _exact_headline(found)
        case "at least" if not found.found:
            return f"No column combination found in a sample of {sample} of {records}."
        case "at least":
            sets = quantity(found.found, "column combination")
            who = "each" if found.found > 1 else "it"
            reach = f"{sure}, {who} has a {found.measure} ratio of at least {_ratio_words(found)}"
            return f"{sets} found in a sample of {sample} of {records}; {reach} in the table."
        case "relative":
            sets = quantity(found.found, "column combination")
            pairs = f"{sets} found in {sample} pairs of {records}"
            return f"{pairs}. {sentence(found.promise)} No set is a key."
    drawn = f"in a sample of {sample} of {records}"
    if not found.found:
        return f"Nothing found {drawn}: {found.promise}."
    these = "the candidate below" if found.found == 1 else "one of the candidates below"
    return (
        f"{quantity(found.found, 'candidate')} found {drawn}. None is shown to reach a "
        f"{found.measure} ratio of {number(found.ratio)}, but {sure} every set that does contains "
        f"{these}."
    )


def _exact_headline(found: "Discovery") -> str:
    """Say how many minimal sets were counted on all records, and name the only one."""
    several = found.found > 1
    records, least = _records_words(found), percent(found.ratio)
    match found.measure.value:
        case "unique":
            told = f"{'make' if several else 'makes'} at least {least} of {records} unique"
        case "separation":
            pairs = f"at least {least} of all pairs of {records}"
            told = f"{'tell' if several else 'tells'} {pairs} apart"
        case _:
            told = f"{'tell' if several else 'tells'} at least {least} of {records} apart"
    sets = quantity(found.found, "minimal column combination")
    head = f"{sets if found.found else 'No column combination'} {told}"
    only = f": {' + '.join(found.sets[0].columns)}" if _headline_names_set(found) else ""
    return f"{head}{only}."


def _headline_names_set(found: "Discovery") -> bool:
    """Whether the headline names the one set that was found, which is the smallest, too."""
    alone = found.found == 1 and len(found.sets) == 1 and found.basis.value == "counted"
    if not alone or found.minimum is None or found.minimum.cost is not None:
        return False
    return found.minimum.columns == found.sets[0].columns


def _records_words(found: "Discovery") -> str:
    """The number of records; `at most` a number of different ones if only this bound is known."""
    if found.bounded:
        return f"at most {quantity(found.records, 'different record')}"
    return f"{'the ' if found.records != 1 else ''}{quantity(found.records, 'record')}"


def _smallest_words(found: "Discovery") -> str:
    """What to call the smallest or cheapest set; with `found` unless it is proved to be that."""
    if found.basis.value == "candidates":
        return "Smallest candidate"
    promised = found.minimum.guarantee if found.minimum is not None else found.guarantee
    cost = None if found.minimum is None else found.minimum.cost
    which = "Smallest" if cost is None else f"Cheapest (cost {number(cost)})"
    return which if promised.exact and not promised.not_searched else f"{which} found"


def _ratio_words(found: "Discovery") -> str:
    """The ratio that is reached at least, never rounded up."""
    return number(floor((found.reaches or 0.0) * 10_000) / 10_000)


def _sets_table(found: "Discovery", most: int) -> Table:
    """Make a table of the first `most` sets; with tests also of possible values and verdicts."""
    heads = ("columns", "distinct", "pairs told apart", "unique")
    judged = [_possible_values(test) for test in found.tests]
    asked = [f"tells {percent(test.alpha)} apart" for test in found.tests[:1]]
    made = table(*heads, *("possible values" for _ in asked), *asked)
    for i, one in enumerate(found.sets[:most]):
        figures = map(share, (one.distinct, one.separation, one.unique))
        made.add_row(line(" + ".join(one.columns)), *figures, *(judged[i] if judged else ()))
    return align_right(made, 1, 2, 3)


def _possible_values(test: "DistinctValueTest") -> tuple[str, str]:
    """Two texts: how many values a set can have and by what source, and the verdict."""
    values = "without limit" if isinf(test.distinct) else number(round(test.distinct))
    return f"{values} ({test.source.value})", test.answer


def _values_needed(test: "DistinctValueTest") -> str:
    """Say how many possible values a set needs to tell the asked share of people apart."""
    least = "without limit" if isinf(test.threshold) else number(ceil(test.threshold))
    return (
        f"To tell {percent(test.alpha)} of {number(test.population)} people apart, a set needs at "
        f"least {least} possible values."
    )


def _explanation_parts(one: "Explanation") -> Iterator[RenderableType]:
    """Yield what one column adds to uniqueness, with which others, and what coarsening does."""
    alone, without, together = (
        share(ratios.unique_ratio) for ratios in (one.alone, one.without, one.together)
    )
    yield line(
        f"{one.column}: unique records {alone} alone; all other columns {without}, with it "
        f"{together}."
    )
    yield line(_partner_words(one))
    yield line(f"{one.column} made coarser, within {' + '.join(one.among)}:")
    made = table("level", "values left", "unique records", "distinct")
    for level in one.coarser:
        shares = map(share, (level.ratios.unique_ratio, level.ratios.distinct_ratio))
        made.add_row(number(level.level), number(level.values), *shares)
    yield made


def _partner_words(one: "Explanation") -> str:
    """Say with which other columns a column reaches the ratio, of many only the first."""
    shown = one.partners[:_FEW]
    if not shown:
        return "It reaches the ratio with none of the sets that were searched."
    ways = ("alone" if not names else f"with {' + '.join(names)}" for names in shown)
    more = len(one.partners) - len(shown)
    return f"It reaches the ratio {' or '.join(ways)}.{f' ({more:,} more)' if more else ''}"


def _promises(promise: str, guarantee: "Guarantee") -> Iterator[str]:
    """Yield what is promised, what was searched, and what was not."""
    yield f"Promise: {promise}."
    yield f"Searched: {guarantee.searched}."
    if guarantee.not_searched:
        yield f"Not searched: {guarantee.not_searched}."


def groups_text(found: "Groups", *, details: bool = False) -> RenderableType:
    """Say which sets of columns single out groups of few people; more sets with `details`."""
    most = SHOWN if details else _SETS
    size, people = quantity(found.k, "person", "people"), quantity(found.people, "person", "people")
    one = len(found.sets) == 1
    sets = (
        quantity(len(found.sets), "column combination") if found.sets else "No column combination"
    )
    single = "singles" if one or not found.sets else "single"
    head = f"{sets} {single} out groups of at most {size} among {people}."
    parts = [line(head, BAD if found.sets else "" if found.partial else GOOD)]
    if found.partial:
        parts.append(line("PARTIAL: not all sets were searched; there may be more."))
    if not found.sets:
        return stack(*parts)
    rows = ((line(" + ".join(one.columns)), number(one.smallest)) for one in found.sets[:most])
    made = table("columns", "people of the smallest group", rows=rows)
    return stack(*parts, made, *_unshown_lines(len(found.sets) - most, details=details))


def judged_headline(found: "JudgedSets") -> str:
    """Say how many of the named sets may tell people apart."""
    able, asked = len(found.possible), len(found.sets)
    if asked == 1:
        judged = found.sets[0]
        people = f"{number(found.population)} people"
        return f"{' + '.join(judged.columns)}: {judged.test.verdict} of {people}."
    told = f"tell {percent(found.alpha)} of {number(found.population)} people apart"
    return f"{number(able) if able else 'None'} of {quantity(asked, 'set')} may {told}."


def judged_text(found: "JudgedSets", *, details: bool = False) -> RenderableType:
    """Say what named sets can do to a population; tiny shares as numbers in `details`."""
    seen = ("values", "unique") if found.records is not None else ()
    heads = ("columns", *seen, "possible values", "alone at most", "people per value", "verdict")
    made = table(*heads, rows=(_judged_row(one, details=details) for one in found.sets))
    figures = align_right(made, *range(1, len(seen) + 1), len(seen) + 2, len(seen) + 3)
    head = line(judged_headline(found), BAD if found.possible else GOOD)
    needed = line(_values_needed(found.sets[0].test))
    return stack(head, figures, needed, *([] if details else [hint("tiny shares as numbers")]))


def _judged_row(one: "JudgedSet", *, details: bool) -> Iterator[RenderableType]:
    """Yield the cells of a named set; values and unique records only if there is a table."""
    yield line(" + ".join(one.columns))
    if one.ratios is not None:
        yield number(one.ratios.classes)
        yield share(one.ratios.unique_ratio)
    values, answer = _possible_values(one.test)
    crowd = number(round(one.test.crowd, 1 if one.test.crowd < 10 else 0))
    alone = f"{one.test.share:.3g}" if details else share(one.test.share)
    yield from (values, alone, crowd, answer)


def mask_text(found: "Masked", path: str | None, *, details: bool = False) -> RenderableType:
    """Say what was published, or would be if `path` is None; `details` adds ratios and promise."""
    total = quantity(len(found.published) + len(found.withheld), "column")
    done = f"Wrote and recounted {path}" if path else "Dry run, nothing written"
    head = (
        f"{done}: {len(found.published)} of {total}, with a {found.measure} ratio of "
        f"{share(found.ratio)}, not above {percent(found.limit)}."
    )
    made = table("", "")
    made.add_row("published", line(", ".join(found.published) or "none"))
    made.add_row("withheld", line(", ".join(found.withheld) or "none"))
    for name in ("distinct", "separation", "unique") if details else ("unique",):
        made.add_row(f"{name} ratio", share(getattr(found.found, name)))
    made.add_row("records of the smallest class", number(found.ratios.smallest))
    warning = line("This is not anonymization: the values are exact.", BAD)
    if not details:
        return stack(line(head, GOOD), made, warning, hint("all ratios and what was searched"))
    promises = _promises("no set of the published columns is above the ratio", found.guarantee)
    return stack(line(head, GOOD), made, warning, *lines(promises))


def safe_harbor_text(found: "Checklist", *, details: bool = False) -> RenderableType:
    """Say which identifiers of Safe Harbor a table holds; with `details` also those not found."""
    bad_news = safe_harbor_failure(found)
    head = line(bad_news or "Found nothing that Safe Harbor forbids.", BAD if bad_news else GOOD)
    made = table("", "identifier", "", "why")
    for check in found.checks:
        if check.status == "pass" and not details:
            continue
        made.add_row(
            check.letter, check.identifier.title, Text(*_STATUS[check.status]), _why_text(check)
        )
    year = line(f"Ages are those of {found.today}.", QUIET)
    return stack(head, made, line(_KNOWLEDGE), year, *([] if details else [hint(_PASSED)]))


def safe_harbor_failure(found: "Checklist") -> str:
    """Say how many identifiers of Safe Harbor a table holds; empty if none was found."""
    failing = sum(check.status == "fail" for check in found.checks)
    many = quantity(failing, "identifier")
    return f"The table is NOT de-identified by Safe Harbor: it holds {many}." if failing else ""


def _why_text(check: "IdentifierCheck") -> Text:
    """Say why each column was found (`look: ` if a person must judge it), or the check's note."""
    each = (
        f"{one.column}: {'' if one.status == check.status else 'look: '}{one.why}"
        for one in check.columns
    )
    return line("\n".join(each) or check.note)
