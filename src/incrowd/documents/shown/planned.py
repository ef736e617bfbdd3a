"""How plans for a population and quantiles look in a notebook."""

from typing import TYPE_CHECKING

from incrowd.documents import json
from incrowd.documents.page import Columns, FigureTable, Paragraphs
from incrowd.documents.pictures import Bars, Series
from incrowd.documents.population import plan_headline
from incrowd.documents.view import ResultView, good_or_bad_news
from incrowd.documents.words import number, quantity

if TYPE_CHECKING:
    from incrowd.population.plan import Plan
    from incrowd.population.quantiles import Bucketed


def plan_view(plan: "Plan") -> ResultView:
    """Show how many values each column has, may keep, and keeps."""
    actions = plan.actions
    picture = Bars(
        "Values of each column",
        "How many different values a column has now, may keep, and keeps by the plan.",
        tuple(action.column for action in actions),
        (
            Series("now", tuple(action.distinct for action in actions)),
            Series("allowed", tuple(action.allowed for action in actions)),
            Series("then", tuple(action.rung.values for action in actions)),
        ),
        y="different values",
    )
    columns = {
        "column": "column",
        "now": "distinct",
        "allowed": "allowed",
        "then": "rung.values",
        "what to do": "rung.says",
        "note": "note",
    }
    return ResultView(
        Paragraphs((plan_headline(plan),)),
        picture,
        FigureTable.of(actions, columns, "Columns"),
        lambda: json.plan_document(plan),
        plan.notes,
    )


def bucketed_view(found: "Bucketed") -> ResultView:
    """Show how many records show the same in each column."""
    picture = Bars(
        "The fewest records that show the same in a column",
        "Counted on the rows that leave.",
        tuple(column.name for column in found.columns),
        (Series("records", tuple(column.smallest for column in found.columns)),),
        y="records",
        mark=found.k,
        mark_name=f"k = {found.k:,}",
    )
    columns: Columns = {
        "column": "name",
        "buckets": "buckets",
        "smallest": "smallest",
        "merged": "merged",
        "empty": lambda column: column.missing + column.emptied,
        "squared error": "error",
    }
    head = (
        f"At least {number(found.smallest)} of {quantity(found.records, 'record')} show each value "
        "of a column."
    )
    return ResultView(
        good_or_bad_news(head, when=found.smallest >= found.k),
        picture,
        FigureTable.of(found.columns, columns, "Columns"),
        lambda: json.quantiles_document(found, None),
        found.notes,
    )
