"""The first sections of a report: the verdict, and what the data is."""

from collections.abc import Iterator, Sequence

from incrowd.documents.page import Block, Columns, FigureTable, Folded, Paragraphs, Section
from incrowd.documents.report.facts import ColumnFact, DataFacts, ReportFacts
from incrowd.documents.report.wording import paragraphs, quiet_paragraphs, share_or_few
from incrowd.documents.verdict import UNCHECKED, Findings, alone_sentences, release_verdict
from incrowd.documents.words import number, promise_words, quantity
from incrowd.errors import join_words, sentence
from incrowd.verify.verdict import Check, Verdict

_FOLDED = 12
"""Longer lists of columns are folded."""
_ROLES = {
    "quasi": "others may know it: generalized",
    "sensitive": "nobody should learn it: leaves as it is",
    "identifier": "names the person",
    "keep": "leaves as it is",
    "drop": "does not leave",
    "unit": "tells people apart: does not leave",
    "weight": "sampling weight: leaves as it is",
}
_COUNTED = {
    "run": "The run that made the release counted this from the rows that it wrote.",
    "certificate": "The certificate says this; the rows of the release alone do not show it.",
    "file": "This was counted again from the rows of the release for this report.",
}
_MISSING = {
    "own-value": "A missing value counts as a value of its own.",
    "matches-anything": "A missing value may be any value.",
    "suppress": "Records with a missing quasi-identifier are left out.",
}


def verdict_paragraphs(facts: ReportFacts) -> Paragraphs:
    """The verdict on the release and what it rests on; bad also if it could not be checked."""
    verdict = facts.verdict
    if not verdict.models:
        return Paragraphs((UNCHECKED,), "bad")
    promises = (*map(_promise_sentence, verdict.models), _COUNTED[facts.counted])
    findings = Findings(
        first=alone_sentences(verdict.alone),
        promises=promises if verdict.ok else tuple(_failure_sentences(verdict)),
        kept=verdict.ok,
        models_met=all(model.ok for model in verdict.models),
        attacks=facts.attack_outcome,
        warnings=tuple(map(sentence, facts.warnings)),
    )
    found = release_verdict(findings)
    return Paragraphs(found.sentences, "plain" if found.tone == "warn" else found.tone)


def _failure_sentences(verdict: Check) -> Iterator[str]:
    """Yield a sentence for each model that is not met; if all are met, one that refers below."""
    failed = [model for model in verdict.models if not model.ok]
    for model in failed:
        reached, asked = number(model.reached), number(model.asked)
        yield f"{model.title} reaches {reached}; the policy asks for {asked}."
    if not failed:
        yield "Read below what stands in the way."


def _promise_sentence(model: Verdict) -> str:
    """Say what a model that is met means, with the confidence if it is an estimate."""
    meaning = promise_words(model.name, model.column, model.reached)
    sure = "" if model.confidence is None else f", with confidence {number(model.confidence)}"
    named = model.column is not None and meaning.startswith(model.column)
    return f"{meaning if named else sentence(meaning).removesuffix('.')}{sure}."


def verdict_section(facts: ReportFacts) -> Section:
    """Tell what each model asks and reaches, and the command that checks it again."""
    verdict = facts.verdict
    blocks: list[Block] = []
    if verdict.models:
        blocks.append(FigureTable.of(verdict.models, _VERDICT))
    blocks += paragraphs("To check the release again:")
    blocks.append(Paragraphs((facts.command,), "command"))
    blocks += paragraphs(*verdict.notes)
    if verdict.claimed:
        blocks += quiet_paragraphs(
            "The certificate also says the following, which was not counted again: "
            f"{', '.join(verdict.claimed)}."
        )
    if verdict.digest:
        blocks += quiet_paragraphs(f"SHA-256 of the release: {verdict.digest}")
    return Section("verdict", "Verdict", tuple(blocks))


_VERDICT: Columns = {
    "model": "name",
    "column": lambda model: model.column or "",
    "asked": lambda model: number(model.asked),
    "reached": lambda model: number(model.reached),
    "met": lambda model: "yes" if model.ok else "NO",
    "what it means": lambda model: (
        promise_words(model.name, model.column, model.reached) if model.ok else ""
    ),
}


def data_section(facts: ReportFacts) -> Section:
    """Tell what the data is, and what each column is for."""
    data, columns = facts.data, facts.columns
    leaving = sum(column.leaves for column in columns)
    blocks: list[Block] = [
        *paragraphs(*_size_sentences(data, leaving)),
        *paragraphs(*_role_sentences(data, columns)),
    ]
    listing = FigureTable.of(columns, _COLUMNS)
    if len(columns) > _FOLDED:
        blocks.append(Folded(f"All {len(columns)} columns and their roles", (listing,)))
    else:
        blocks.append(listing)
    return Section("data", "What the data is", tuple(blocks))


_COLUMNS: Columns = {
    "column": "name",
    "role": "role",
    "what that means": lambda column: _ROLES.get(column.role, ""),
    "released": lambda column: "yes" if column.leaves else "no",
    "values before": "values_before",
    "values after": "values_after",
}


def _size_sentences(data: DataFacts, columns: int) -> Iterator[str]:
    """Yield how large release, original and world are; `columns` is how many columns leave."""
    called = "" if data.release == "the release" else f" ({data.release})"
    yield (
        f"The release{called} has {quantity(data.records, 'record')} and "
        f"{quantity(columns, 'column')}."
    )
    if data.records_before is not None:
        of = f" ({data.original})" if data.original else ""
        yield f"The original{of} has {quantity(data.records_before, 'record')}."
    if (gone := data.left_out) is not None and gone.records < 0:
        yield "The release has more records than the original: it is not a release of this table."
    elif gone is not None and gone.records:
        missing = f", {gone.for_missing:,} of them for a missing value" if gone.for_missing else ""
        were = quantity(gone.records, "record was", "records were")
        yield f"{were} left out ({share_or_few(gone.share)}){missing}."
    elif gone is not None:
        yield "No record was left out."
    if data.world is not None:
        rows, people = data.world
        yield (
            f"Models count people in a world of {quantity(people, 'person', 'people')} "
            f"({quantity(rows, 'row')})."
        )


def _role_sentences(data: DataFacts, columns: Sequence[ColumnFact]) -> Iterator[str]:
    """Yield by which columns people could be found, and how units and missing values are read."""
    if quasi := [column.name for column in columns if column.role == "quasi"]:
        names = join_words(quasi) if len(quasi) <= _FOLDED else f"{len(quasi)} columns"
        yield f"People could be found by {names}. Everything below is about these columns."
    if data.unit is not None:
        yield f"One person may have several records: {data.unit} tells people apart."
    yield _MISSING[data.missing]
