"""How plans for a population and quantiles look in a notebook."""

from typing import TYPE_CHECKING

from incrowd.documents import json
from incrowd.documents.page import Table, Text
from incrowd.documents.pictures import Bars, Series
from incrowd.documents.population import plan_headline
from incrowd.documents.view import View, good
from incrowd.documents.words import counted, number

if TYPE_CHECKING:
    from incrowd.population.plan import Plan
    from incrowd.population.quantiles import Bucketed


def plan_view(plan: "Plan") -> View:
    """How many values each column has, may keep, and keeps."""
    actions = plan.actions
    picture = Bars(
        "Values of each column",
        "How many different values a column has now, may keep, and keeps by the plan.",
        tuple(action.column for action in actions),
        (
            Series("now", tuple(float(action.distinct) for action in actions)),
            Series("allowed", tuple(float(action.allowed) for action in actions)),
            Series("then", tuple(float(action.rung.values) for action in actions)),
        ),
        "",
        "different values",
    )
    rows = tuple(
        (
            action.column,
            action.distinct,
            action.allowed,
            action.rung.values,
            action.rung.says,
            action.note,
        )
        for action in actions
    )
    return View(
        Text((plan_headline(plan),)),
        picture,
        Table(("column", "now", "allowed", "then", "what to do", "note"), rows, "Columns"),
        lambda: json.plan_document(plan),
        plan.notes,
    )


def bucketed_view(found: "Bucketed") -> View:
    """How many records show the same in each column."""
    picture = Bars(
        "The fewest records that show the same in a column",
        "Counted on the rows that leave.",
        tuple(column.name for column in found.columns),
        (Series("records", tuple(float(column.smallest) for column in found.columns)),),
        "",
        "records",
        float(found.k),
        f"k = {found.k:,}",
    )
    rows = tuple(
        (
            column.name,
            column.buckets,
            column.smallest,
            column.merged,
            column.missing + column.emptied,
            column.error,
        )
        for column in found.columns
    )
    head = (
        f"At least {number(found.smallest)} of {counted(found.records, 'record')} show each value "
        "of a column."
    )
    names = ("column", "buckets", "smallest", "merged", "empty", "squared error")
    return View(
        good(head, when=found.smallest >= found.k),
        picture,
        Table(names, rows, "Columns"),
        lambda: json.quantiles_document(found, None),
        found.notes,
    )
