"""A draft with the answers of a person: the same policy as if the file were edited by hand."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from incrowd.hierarchy import Intervals, Suggested
from incrowd.models import AnyModel, LDiversity
from incrowd.policy.draft import Draft
from incrowd.policy.policy import Column
from incrowd.table.column import Role

_L = 2
CHOICES: Mapping[str, Role] = {role.value: role for role in Role}
"""What a person may answer: a role, or as many of its letters as tell it apart."""


@dataclass(frozen=True)
class ColumnAnswer:
    """What a person says of one column."""

    role: Role
    reads_missing: bool = True
    """Whether the marks that were found mean missing."""
    bands: bool = False
    """Whether an exact number leaves as bands, as a quasi-identifier."""


def role_of(answer: str) -> Role | None:
    """The role that an answer names or begins; None if that is none, or several.

    >>> role_of("qu"), role_of("sens"), role_of("d"), role_of("x")
    (<Role.QUASI: 'quasi'>, <Role.SENSITIVE: 'sensitive'>, <Role.DROP: 'drop'>, None)
    """
    said = answer.strip().casefold()
    found = [role for name, role in CHOICES.items() if said and name.startswith(said)]
    return found[0] if len(found) == 1 else None


def apply_answers(drafted: Draft, answers: Mapping[str, ColumnAnswer]) -> Draft:
    """Change the draft by these answers; columns that nobody was asked about stay."""
    columns = {
        name: _apply_answer(column, answers[name]) if name in answers else column
        for name, column in drafted.policy.columns.items()
    }
    models = _models_after_answers(drafted, columns)
    missing = {n: found for n, found in drafted.missing.items() if columns[n].missing_values}
    changed = {n for n, one in answers.items() if one.role is not drafted.policy.columns[n].role}
    banded = {name for name, one in answers.items() if one.bands}
    return replace(
        drafted,
        policy=drafted.policy.with_settings(columns=columns, models=models),
        missing=missing,
        review=tuple(name for name in drafted.review if name not in answers),
        reasons=dict(drafted.reasons) | dict.fromkeys(sorted(changed), "you said so"),
        offers={n: told for n, told in drafted.offers.items() if n not in changed | banded},
        unasked={n: told for n, told in drafted.unasked.items() if n not in changed},
    )


def _apply_answer(column: Column, answer: ColumnAnswer) -> Column:
    """The settings of a drafted column after the answer about it."""
    marks = column.missing_values if answer.reads_missing else ()
    if answer.bands:
        bands = Intervals(quantiles=16)
        return Column(role=Role.QUASI, hierarchy=bands, lowest=1, missing_values=marks)
    if answer.role is column.role:
        return column.model_copy(update={"missing_values": marks})
    if answer.role is Role.QUASI:
        kind = column.kind
        return Column(role=Role.QUASI, hierarchy=Suggested(), kind=kind, missing_values=marks)
    kept = marks if answer.role in {Role.SENSITIVE, Role.KEEP, Role.UNIT} else ()
    return Column(role=answer.role, missing_values=kept)


def _models_after_answers(drafted: Draft, columns: Mapping[str, Column]) -> tuple[AnyModel, ...]:
    """Models, less those on no longer sensitive columns, plus 2-diversity of newly sensitive."""
    still = [
        model
        for model in drafted.policy.models
        if all(columns[name].role is Role.SENSITIVE for name in model.columns)
    ]
    new = [
        LDiversity(name, _L, kind="distinct")
        for name, column in columns.items()
        if column.role is Role.SENSITIVE and drafted.policy.columns[name].role is not Role.SENSITIVE
    ]
    return (*still, *new)
