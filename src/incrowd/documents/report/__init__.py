"""The report on a release: facts become one page, one JSON document, a few lines of text."""

from typing import Any

from rich.console import RenderableType

from incrowd.documents.json import pick
from incrowd.documents.page import Page, page_html
from incrowd.documents.report.changes import alternatives_section, columns_section, utility_section
from incrowd.documents.report.closing import limits_section, papers_section
from incrowd.documents.report.danger import attacks_section, before_section, exposed_section
from incrowd.documents.report.facts import ReportFacts
from incrowd.documents.report.opening import data_section, verdict_paragraphs, verdict_section
from incrowd.documents.words import BAD, GOOD, line, lines, stack


def report_html(facts: ReportFacts, *, show_values: bool = False) -> str:
    """Write the report as one self-contained page."""
    return page_html(report_page(facts, show_values=show_values))


def report_page(facts: ReportFacts, *, show_values: bool = False) -> Page:
    """Make the page of the report; `show_values` names values of columns in pictures."""
    return Page(
        f"Report on {facts.data.release}",
        verdict_paragraphs(facts),
        (
            verdict_section(facts),
            data_section(facts),
            exposed_section(facts),
            before_section(facts),
            attacks_section(facts),
            columns_section(facts, values=show_values),
            utility_section(facts),
            alternatives_section(facts),
            limits_section(facts),
            papers_section(facts),
        ),
        facts.made,
    )


def report_document(facts: ReportFacts, path: str | None) -> dict[str, Any]:
    """`incrowd.report/1`: where the report is (None: not written), and its headline figures."""
    risk, utility, attacks = facts.risk, facts.utility, facts.attacks
    gains = [one.gain for one in attacks.attacks if one.gain is not None] if attacks else []
    return {
        "schema": "incrowd.report/1",
        "ok": facts.verdict.ok,
        "report": path,
        "counted": facts.counted,
        "alone": None if facts.verdict.alone is None else facts.verdict.alone.together,
        "records": facts.data.records,
        "records_before": facts.data.records_before,
        "left_out": None if facts.data.left_out is None else facts.data.left_out.records,
        "k": None if risk is None else risk.k,
        "highest_risk": None if risk is None else risk.highest,
        "average_risk": None if risk is None else risk.average,
        "limits_broken": None if attacks is None else attacks.broken,
        "largest_gain": max(gains, default=None),
        "total_variation": None if utility is None else utility.total_variation,
        "models": [pick(model, "name column asked reached ok") for model in facts.verdict.models],
        "absent": dict(facts.absent),
        "check": facts.command,
    }


def report_text(facts: ReportFacts, path: str | None) -> RenderableType:
    """Say the verdict and, unless `path` is None, the path of the report."""
    head = verdict_paragraphs(facts)
    style = {"good": GOOD, "bad": BAD}.get(head.kind, "")
    written = [f"report: {path}"] if path else []
    return stack(line(head.sentences[0], style), *lines([*head.sentences[1:], *written]))
