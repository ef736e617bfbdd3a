"""How sets of columns, drafts and checklists look in a notebook."""

from typing import TYPE_CHECKING

from incrowd.documents import json
from incrowd.documents.identify import discovery_headline, judged_headline, safe_harbor_failure
from incrowd.documents.page import Columns, FigureTable
from incrowd.documents.pictures import Bars, Series
from incrowd.documents.view import MOST_DRAWN, ResultView, good_or_bad_news
from incrowd.documents.words import number, quantity
from incrowd.errors import sentence
from incrowd.policy.draft import to_toml

if TYPE_CHECKING:
    from incrowd.identify.outcome import Discovery, Groups, JudgedSets, Masked
    from incrowd.pii import Checklist
    from incrowd.policy.draft import Draft


_SETS: Columns = {
    "columns": lambda found: " + ".join(found.columns),
    "size": lambda found: len(found.columns),
}
"""What every table of sets of columns begins with."""


def discovery_view(found: "Discovery") -> ResultView:
    """Show which sets of columns tell records apart."""
    sets = found.sets[:MOST_DRAWN] or (found.best,)
    measure = found.measure.value
    picture = Bars(
        "Sets of columns that tell records apart",
        f"The {measure} ratio of each set{_drawn_words(len(found.sets))}."
        + (" Figures are those of a sample." if found.sampled else ""),
        tuple(" + ".join(one.columns) for one in sets),
        (Series(f"{measure} ratio", tuple(getattr(one, measure) for one in sets)),),
        y=f"{measure} ratio",
        mark=found.ratio,
        mark_name=f"asked: {number(found.ratio)}",
    )
    ratios = {name: name for name in ("distinct", "separation", "unique")}
    partial = ("The search was cut short; there may be more sets.",) if found.partial else ()
    return ResultView(
        good_or_bad_news(discovery_headline(found), when=not found.found),
        picture,
        FigureTable.of(found.sets, {**_SETS, **ratios}, "Minimal sets"),
        lambda: json.discovery_document(found),
        (*partial, sentence(found.promise), *found.notes),
    )


def _drawn_words(sets: int) -> str:
    """Say how many of the sets are drawn; empty if all are."""
    return f", the first {MOST_DRAWN} of {sets:,}" if sets > MOST_DRAWN else ""


def groups_view(found: "Groups") -> ResultView:
    """Show which sets of columns single out groups of few people."""
    sets = found.sets[:MOST_DRAWN]
    size = quantity(found.k, "person", "people")
    many = quantity(len(found.sets), "column combination")
    people = quantity(found.people, "person", "people")
    head = f"{many} that single out groups of at most {size} among {people}."
    picture = Bars(
        "The smallest group that a set of columns singles out",
        f"People of the smallest group{_drawn_words(len(found.sets))}.",
        tuple(" + ".join(one.columns) for one in sets),
        (Series("people", tuple(one.smallest for one in sets)),),
        y="people",
        mark=found.k,
        mark_name=f"k = {found.k:,}",
    )
    partial = ("Not all sets were searched; there may be more.",) if found.partial else ()
    return ResultView(
        good_or_bad_news(head, when=not found.sets),
        picture,
        FigureTable.of(found.sets, {**_SETS, "smallest": "smallest"}, "Minimal sets"),
        lambda: json.groups_document(found),
        (*partial, *found.notes),
    )


def judged_view(found: "JudgedSets") -> ResultView:
    """Show what named sets of columns can do to a population."""
    sets = found.sets[:MOST_DRAWN]
    picture = Bars(
        "The largest share of people that a set can leave alone with their values",
        f"By the number of possible values of each set{_drawn_words(len(found.sets))}.",
        tuple(" + ".join(one.columns) for one in sets),
        (Series("alone at most", tuple(one.test.share for one in sets)),),
        y="share of people",
        mark=found.alpha,
        mark_name=f"alpha = {number(found.alpha)}",
    )
    columns: Columns = {
        "columns": _SETS["columns"],
        "possible values": "test.distinct",
        "source": "test.source.value",
        "alone at most": "test.share",
        "people per value": "test.crowd",
        "verdict": "test.answer",
    }
    return ResultView(
        good_or_bad_news(judged_headline(found), when=not found.possible),
        picture,
        FigureTable.of(found.sets, columns, "Named sets"),
        lambda: json.judged_document(found),
        found.notes,
    )


def masked_view(found: "Masked") -> ResultView:
    """Show which columns were published, and how well they tell records apart."""
    total = quantity(len(found.published) + len(found.withheld), "column")
    head = (
        f"{len(found.published)} of {total} published: {found.measure} ratio "
        f"{number(found.ratio)}, not above {number(found.limit)}."
    )
    names = ("distinct", "separation", "unique")
    picture = Bars(
        "How well the published columns tell records apart",
        "Ratios of the rows that leave, counted anew.",
        names,
        (Series("ratio", tuple(getattr(found.found, name) for name in names)),),
        y="ratio",
        mark=found.limit,
        mark_name=f"limit of the {found.measure} ratio: {number(found.limit)}",
    )
    rows = tuple((name, "yes") for name in found.published)
    rows += tuple((name, "no") for name in found.withheld)
    return ResultView(
        good_or_bad_news(head),
        picture,
        FigureTable(("column", "published"), rows, "Columns"),
        lambda: json.mask_document(found, None),
        ("This is not anonymization: the values are exact.", *found.notes),
    )


def draft_view(draft: "Draft") -> ResultView:
    """Show what each column seems to be, and how much it tells people apart."""
    shares = dict(draft.risky)
    shown = draft.risky[:MOST_DRAWN]
    picture = Bars(
        "How much each column tells people apart",
        f"Distinct values as a share of the records{_drawn_words(len(draft.risky))}.",
        tuple(name for name, _ in shown),
        (Series("share", tuple(share for _, share in shown)),),
        y="share of distinct values",
    )
    rows = tuple(
        (
            name,
            column.role.value,
            column.hierarchy.name if column.hierarchy else "",
            shares.get(name),
            "yes" if name in draft.review else "",
            draft.reasons[name],
        )
        for name, column in draft.policy.columns.items()
    )
    many = quantity(len(draft.review), "column")
    head = f"A first policy for {quantity(len(rows), 'column')}: review {many} before you use it."
    return ResultView(
        good_or_bad_news(head, when=not draft.review),
        picture,
        FigureTable(("column", "role", "hierarchy", "distinct", "review", "why"), rows, "Columns"),
        lambda: json.draft_document(draft, to_toml(draft), None),
    )


def checklist_view(found: "Checklist") -> ResultView:
    """Show which of the eighteen identifiers a table holds."""
    bad_news = safe_harbor_failure(found)
    nothing = "Found nothing that Safe Harbor forbids; a person must still look at what is unseen."
    holds = tuple(
        sum(column.status == "fail" for column in check.columns) for check in found.checks
    )
    picture = Bars(
        "Columns that hold each identifier",
        "The eighteen identifiers of Safe Harbor, A to R, and how many columns hold each.",
        tuple(check.letter for check in found.checks),
        (Series("columns", holds),),
        x="identifier",
        y="columns",
    )
    columns: Columns = {
        "letter": "letter",
        "identifier": "identifier.title",
        "status": "status.value",
        "why": lambda check: (
            "; ".join(f"{column.column}: {column.why}" for column in check.columns) or check.note
        ),
    }
    return ResultView(
        good_or_bad_news(bad_news or nothing, when=not bad_news),
        picture,
        FigureTable.of(found.checks, columns, "Identifiers"),
        found.as_dict,
        found.notes,
    )
