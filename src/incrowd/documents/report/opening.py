"""The first sections of a report: the verdict, and what the data is."""

from collections.abc import Iterator

from incrowd.documents.page import Block, Folded, Section, Text
from incrowd.documents.report.facts import ReportFacts, TableFacts, VerdictFacts
from incrowd.documents.report.wording import percent, plain, quiet, table
from incrowd.documents.words import counted, listed, number, promise, sentence
from incrowd.verify.verify import Verdict

_BUT = (
    "The release keeps its policy, but an attack on it succeeds: read Attacks before you publish."
)
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
        return Text(("The release could not be checked: do not publish it on this report.",), "bad")
    failed = [model for model in verdict.models if not model.ok]
    if verdict.ok:
        kept = (*map(_kept, verdict.models), _counted(verdict))
        if facts.attacks is not None and facts.attacks.broken:
            return Text((_BUT, *kept))
        return Text(("The release keeps its policy.", *kept), "good")
    said = ["The release does NOT keep its policy."]
    said += [_broken(model) for model in failed]
    if not failed:
        said.append("Its models are met, but something else stands in the way: see below.")
    return Text((*said, "Do not publish it as it is."), "bad")


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
    data = facts.table
    blocks: list[Block] = [*plain(*_sizes(data)), *plain(*_leaving(data))]
    rows = [
        (
            role.name,
            role.role,
            _ROLES.get(role.role, ""),
            "yes" if role.leaves else "no",
            role.values_before,
            role.values_after,
        )
        for role in data.roles
    ]
    head = ("column", "role", "what that means", "released", "values before", "values after")
    listing = table(head, rows)
    if len(rows) > _FOLDED:
        blocks.append(Folded(f"All {len(rows)} columns and their roles", (listing,)))
    else:
        blocks.append(listing)
    return Section("data", "What the data is", tuple(blocks))


def _sizes(data: TableFacts) -> Iterator[str]:
    columns = sum(role.leaves for role in data.roles)
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


def _leaving(data: TableFacts) -> Iterator[str]:
    roles = {name: [r.name for r in data.roles if r.role == name] for name in _ROLES}
    if quasi := roles["quasi"]:
        names = listed(quasi) if len(quasi) <= _FOLDED else f"{len(quasi)} columns"
        yield f"People could be found by {names}. Everything below is about these columns."
    if data.unit is not None:
        yield f"One person may have several records: {data.unit} tells people apart."
    yield _MISSING[data.missing]
