"""Hierarchies that fit a column, each with its number of labels at each level."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from incrowd.errors import IncrowdError
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.published import share_of
from incrowd.hierarchy.regions import is_country
from incrowd.hierarchy.rounding import nice_width
from incrowd.io.hierarchies import builders_of
from incrowd.policy.policy import Policy
from incrowd.table.column import CodedColumn, Kind
from incrowd.web import edits, facts, jobs
from incrowd.web.work.columns import OpenColumn, count_labels_by_level, open_column, records_by_node
from incrowd.web.work.state import Tell, WorkerState
from incrowd.web.work.trees import OTHER, frequent_leaves

_ALTERNATIVES = 3
_MOSTLY = 0.9
"""Share of a sample for which a test must hold."""
_SAMPLE = 2000
_FREQUENT = 10
_ZIP_DIGITS = 5

_Offer = tuple[dict[str, Any], str]
"""A hierarchy as a policy file has it, and words for the page."""


def offer_hierarchies(
    state: WorkerState, job: jobs.OfferHierarchies, tell: Tell
) -> tuple[facts.OfferedHierarchy, ...]:
    """Offer the policy's hierarchy, if it fits, and a few others with other numbers of labels."""
    tell("looking for hierarchies", 0.0)
    column = open_column(state, job.table, job.policy, job.column)
    found: list[facts.OfferedHierarchy] = []
    own = edits.hierarchy_of(job.policy, job.column)
    for spec, words in ((own, ""), *_candidate_hierarchies(column)):
        nodes = _count_labels_of(column, job, spec)
        if nodes is None or nodes in [one.nodes for one in found]:
            continue
        # Level 1 groups some values but not all; or there are only values and a top.
        if words and not (len(nodes) == 2 or 1 < nodes[1] < nodes[0]):
            continue
        found.append(facts.OfferedHierarchy(spec=spec, words=words, nodes=nodes))
    return tuple(found[: _ALTERNATIVES + 1])


def _count_labels_of(
    column: OpenColumn, job: jobs.OfferHierarchies, spec: dict[str, Any]
) -> tuple[int, ...] | None:
    """How many labels each level has; None if the column can have no such hierarchy."""
    text = edits.with_column(job.policy, job.column, {"hierarchy": spec})
    try:
        builder = builders_of(Policy.loads(text), job.table.folder)[job.column]
        tree, records = column.build(builder)
    except IncrowdError:
        return None
    return count_labels_by_level(tree, records)


def _candidate_hierarchies(column: OpenColumn) -> Iterator[_Offer]:
    """Yield hierarchies for the column's kind of values; none if it has no values."""
    domain = column.coded.domain
    if not len(domain):
        return
    if domain.kind is Kind.NUMBER:
        yield from _number_candidates(column.coded)
    elif domain.kind is Kind.DATE:
        yield {"name": "dates", "steps": ["month", "year"]}, "Months and years"
        yield {"name": "dates", "steps": ["year"]}, "Years"
    else:
        yield from _text_candidates(column)
    yield {"name": "flat"}, "All or nothing"


def _number_candidates(coded: CodedColumn) -> Iterator[_Offer]:
    """Yield intervals twice as wide as usual for these numbers, and of equally many records."""
    width = 2 * nice_width(coded.domain.values)
    wide = int(width) if width.is_integer() else width
    yield {"name": "intervals", "width": wide}, f"Intervals of width {wide:g} and wider"
    yield {"name": "intervals", "quantiles": 8}, "8 intervals of about equally many records"


def _text_candidates(column: OpenColumn) -> Iterator[_Offer]:
    """Yield hierarchies for texts, by what most of a sample look like."""
    labels = column.coded.domain.labels.tolist()
    sample = labels[:: max(1, len(labels) // _SAMPLE)]
    if _holds_mostly(is_country, sample):
        yield {"name": "regions"}, "Regions of the world"
    if share_of("us-states", sample) >= _MOSTLY:
        yield {"name": "codes", "system": "us-states"}, "Divisions and regions of the US census"
    if _holds_mostly(lambda text: text.isdigit() and len(text) == _ZIP_DIGITS, sample):
        yield {"name": "zip-codes"}, "ZIP codes of the United States, small areas as 000"
    if _holds_mostly(_is_code, sample):
        yield {"name": "prefix"}, "First characters, one less at each level"
        half = max(1, (max(map(len, sample)) + 1) // 2)
        yield {"name": "prefix", "steps": [half]}, "First half of the characters"
    yield from _frequent_candidates(*column.build())


def _frequent_candidates(tree: Hierarchy, records: Any) -> Iterator[_Offer]:
    """Yield a tree of the most frequent values, others together; none if under 4 are frequent."""
    leaves = frequent_leaves(records_by_node(tree, records, 0))
    most = min(_FREQUENT, len(leaves) // 2)
    if most < 2:
        return
    values = [str(tree.labels[0][leaf - 1]) for leaf in leaves[:most]]
    other = next((name for name in OTHER if name not in values), OTHER[-1])
    rows = [[value, value, "*"] for value in values]
    words = f"The {most} most frequent values, all others together"
    yield {"name": "tree", "rows": rows, "other": other}, words


def _holds_mostly(test: Callable[[str], bool], sample: Iterable[str]) -> bool:
    """Whether a test holds for at least `_MOSTLY` of the sample; False if that is empty."""
    flags = [test(text) for text in sample]
    return bool(flags) and sum(flags) >= _MOSTLY * len(flags)


def _is_code(text: str) -> bool:
    """Whether a text looks like a code: it has a digit and no space."""
    return any(c.isdigit() for c in text) and not any(c.isspace() for c in text)
