"""The first sections of a report: the verdict, and what the data is."""

from collections.abc import Iterator, Sequence

from incrowd.documents.page import Block, Folded, Section, Text
from incrowd.documents.report.danger import attack_target
from incrowd.documents.report.facts import ColumnFact, DataFacts, ReportFacts, VerdictFacts
from incrowd.documents.report.wording import percent, plain, quiet, table
from incrowd.documents.verdict import UNCHECKED, AttackOutcome, Findings, release_verdict
from incrowd.documents.words import counted, listed, number, promise, sentence
from incrowd.verify.verdict import Verdict

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
_MISSING = {
    "own-value": "A missing value counts as a value of its own.",
    "matches-anything": "A missing value may be any value.",
    "suppress": "Records with a missing quasi-identifier are left out.",
}


def headline(facts: ReportFacts) -> Text:
    """The verdict in one box: no more than was shown."""
    verdict = facts.verdict
    if not verdict.models:
        return Text((UNCHECKED,), "bad")
    promises = (*map(_kept, verdict.models), _counted(verdict))
    findings = Findings(
        first=() if verdict.alone is None else (verdict.alone.sentence,),
        promises=promises if verdict.ok else tuple(_failures(verdict)),
        kept=verdict.ok,
        models_met=all(model.ok for model in verdict.models),
        attacks=attack_outcome(facts),
        warnings=tuple(map(sentence, verdict.warnings)),
    )
    found = release_verdict(findings)
    return Text(found.sentences, "plain" if found.tone == "warn" else found.tone)


def attack_outcome(facts: ReportFacts) -> AttackOutcome | None:
    """What the attacks of a report came to; None if none were played."""
    attacks = facts.attacks
    if attacks is None:
        return None
    goals = dict.fromkeys(attack_target(one) for one in attacks.attacks if one.breaks)
    return AttackOutcome(broken=attacks.broken, goals=tuple(goals))


def _failures(verdict: VerdictFacts) -> Iterator[str]:
    """What stands in the way."""
    failed = [model for model in verdict.models if not model.ok]
    yield from map(_broken, failed)
    if not failed:
        yield "Read below what stands in the way."


def _kept(model: Verdict) -> str:
    meaning = promise(model.name, model.column, model.reached)
    sure = "" if model.confidence is None else f", with confidence {number(model.confidence)}"
    named = model.column is not None and meaning.startswith(model.column)
    return f"{meaning if named else sentence(meaning).removesuffix('.')}{sure}."


def _broken(model: Verdict) -> str:
    of = f" of {model.column}" if model.column else ""
    reached, asked = number(model.reached), number(model.asked)
    return f"{model.name}{of} reaches {reached}; the policy asks for {asked}."


def _counted(verdict: VerdictFacts) -> str:
    if verdict.counted == "run":
        return "The run that made the release counted this from the rows that it wrote."
    if verdict.counted == "certificate":
        return "The certificate says this; the rows of the release alone do not show it."
    return "This was counted again from the rows of the release for this report."


def verdict_section(facts: ReportFacts) -> Section:
    """Each model with what it asks and reaches, and the command that checks it again."""
    verdict = facts.verdict
    blocks: list[Block] = []
    if verdict.models:
        head = ("model", "column", "asked", "reached", "met", "what it means")
        blocks.append(table(head, map(_model, verdict.models)))
    blocks += plain("To check the release again:")
    blocks.append(Text((verdict.command,), "command"))
    blocks += plain(*verdict.notes)
    if verdict.claimed:
        blocks += quiet(
            "The certificate also says the following, which was not counted again: "
            f"{', '.join(verdict.claimed)}."
        )
    if verdict.digest:
        blocks += quiet(f"SHA-256 of the release: {verdict.digest}")
    return Section("verdict", "Verdict", tuple(blocks))


def _model(model: Verdict) -> tuple[str, ...]:
    meaning = promise(model.name, model.column, model.reached) if model.ok else ""
    return (
        model.name,
        model.column or "",
        number(model.asked),
        number(model.reached),
        "yes" if model.ok else "NO",
        meaning,
    )


def data_section(facts: ReportFacts) -> Section:
    """What the data is, and what each column is for."""
    data, columns = facts.data, facts.columns
    leaving = sum(column.leaves for column in columns)
    blocks: list[Block] = [*plain(*_sizes(data, leaving)), *plain(*_leaving(data, columns))]
    rows = [
        (
            column.name,
            column.role,
            _ROLES.get(column.role, ""),
            "yes" if column.leaves else "no",
            column.values_before,
            column.values_after,
        )
        for column in columns
    ]
    head = ("column", "role", "what that means", "released", "values before", "values after")
    listing = table(head, rows)
    if len(rows) > _FOLDED:
        blocks.append(Folded(f"All {len(rows)} columns and their roles", (listing,)))
    else:
        blocks.append(listing)
    return Section("data", "What the data is", tuple(blocks))


def _sizes(data: DataFacts, columns: int) -> Iterator[str]:
    called = "" if data.release == "the release" else f" ({data.release})"
    yield (
        f"The release{called} has {counted(data.records, 'record')} and "
        f"{counted(columns, 'column')}."
    )
    if data.records_before is not None:
        of = f" ({data.original})" if data.original else ""
        yield f"The original{of} has {counted(data.records_before, 'record')}."
    if data.left_out is not None and data.left_out < 0:
        yield "The release has more records than the original: it is not a release of this table."
    elif data.left_out:
        share = percent(data.left_out / max(data.records_before or 1, 1))
        missing = f", {data.for_missing:,} of them for a missing value" if data.for_missing else ""
        yield f"{counted(data.left_out, 'record was', 'records were')} left out ({share}){missing}."
    elif data.left_out == 0:
        yield "No record was left out."
    if data.world is not None:
        rows, people = data.world
        yield (
            f"Models count people in a world of {counted(people, 'person', 'people')} "
            f"({counted(rows, 'row')})."
        )


def _leaving(data: DataFacts, columns: Sequence[ColumnFact]) -> Iterator[str]:
    if quasi := [column.name for column in columns if column.role == "quasi"]:
        names = listed(quasi) if len(quasi) <= _FOLDED else f"{len(quasi)} columns"
        yield f"People could be found by {names}. Everything below is about these columns."
    if data.unit is not None:
        yield f"One person may have several records: {data.unit} tells people apart."
    yield _MISSING[data.missing]
