"""A first policy for a table: roles, hierarchies and marks of missing values, with reasons.

What the clues about each column say together (`incrowd.pii.evidence`) becomes its role. A doubtful
column gets the safer role and a mark. Reasons give shares and counts, never a value; only marks of
missing values are written, because a policy must name them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from incrowd.errors import InputError, count_of, whole_percent
from incrowd.hierarchy import Suggestion, suggest
from incrowd.hierarchy.rounding import nice_width
from incrowd.pii.evidence import Guess, weigh_clues
from incrowd.pii.patterns import pattern_of
from incrowd.pii.profile import ColumnProfile
from incrowd.pii.sentinels import Sentinel, sentinels
from incrowd.policy import codec
from incrowd.policy.draft_models import FULL, K, choose_models
from incrowd.policy.policy import Column, Policy
from incrowd.showing import Shown
from incrowd.table.column import Domain, Kind, Role
from incrowd.table.parse import kind_of, parse
from incrowd.withholding import FEW, are_few

_NEARLY_ALL = 0.9
_EXACT = 0.8
"""The share of distinct values from which exact numbers identify."""
_ENOUGH = 20
_MARK = "review"
_DEAR = 3
_WORTH = 0.01
_UNSEEN = frozenset((Role.IDENTIFIER, Role.DROP, Role.WEIGHT))
"""Roles of columns whose marks of missing values make no difference."""

HEADER: tuple[str, ...] = (
    "A first policy, drafted from the names and values of the columns. Every line is a guess.",
    "Review the columns marked 'review' first: they have the safer of the possible roles.",
    *codec.HEADER,
)


@dataclass(frozen=True)
class ColumnCost:
    """What one quasi-identifying column costs the others, by a sample."""

    column: str
    others: float
    """Information loss of all other quasi-identifiers if it is one, 0..1."""
    without: float
    """The same if it is left out."""

    @property
    def gain(self) -> float:
        """How much less the other columns lose if this one is left out."""
        return self.others - self.without


@dataclass(frozen=True)
class Draft(Shown):
    """A first policy, why each column has its role, and which columns to review."""

    policy: Policy
    reasons: Mapping[str, str]
    review: tuple[str, ...]
    hierarchies: Mapping[str, str]
    """Why each quasi-identifying column has its hierarchy."""
    risky: tuple[tuple[str, float], ...]
    """Every column that can be looked into, with its share of distinct values, highest first."""
    missing: Mapping[str, tuple[Sentinel, ...]] = field(default_factory=dict)
    """By column: values that seem to mean that there is none."""
    offers: Mapping[str, str] = field(default_factory=dict)
    """By column: what would make it safer than its role does."""
    unasked: Mapping[str, str] = field(default_factory=dict)
    """By sensitive column without a model: why no model would hold."""
    models_reasons: Mapping[int, str] = field(default_factory=dict)
    """By number of a model that asks for less than usual: why."""
    costs: tuple[ColumnCost, ...] = ()
    """What quasi-identifying columns cost, the dearest first; of many only."""
    guesses: Mapping[str, Guess] = field(default_factory=dict)
    """What the draft was made from."""

    @property
    def missing_reasons(self) -> dict[str, str]:
        """By column: how many records hold marks of missing values, and how these were found."""
        return {name: _missing_reason(found) for name, found in self.missing.items()}

    @property
    def advice(self) -> tuple[str, ...]:
        """What leaving out single quasi-identifiers would gain, if there are many of them."""
        dear = [cost for cost in self.costs if cost.gain >= _WORTH][:_DEAR]
        if not dear:
            return ()
        each = "; ".join(f"without {c.column} {c.others:.2f} -> {c.without:.2f}" for c in dear)
        many = f"{len(self.policy.quasi)} quasi-identifiers cost much detail"
        return (f"{many}. Loss of the others, by a sample: {each}",)


def _missing_reason(found: Sequence[Sentinel]) -> str:
    """How many records hold these marks of missing values, and how they were found, in words."""
    records = sum(one.records for one in found)
    held = f"{FEW if are_few(records) else f'{records:,}'} records"
    values = count_of(len(found), "value that seems", "values that seem")
    return f"{held} hold {values} to mean missing ({found[0].why})"


def draft(columns: Sequence[ColumnProfile], *, text: bool = False) -> Draft:
    """Draft a first policy for a table of these columns; `InputError` if none can be drafted.

    If `text`, numbers and dates are looked for among texts once marks of missing are gone.
    """
    plain, marks = _without_marks(columns, text=text)
    guesses = {column.name: guess_role(column) for column in plain}
    return _make_draft(plain, _ensure_some_quasi(plain, guesses), marks)


def redraft(
    first: Draft,
    columns: Sequence[ColumnProfile],
    changes: Mapping[str, Guess],
    *,
    text: bool = False,
) -> Draft:
    """Draft as `first`, but with other guesses for columns in `changes`; `text` as in `draft`."""
    plain, marks = _without_marks(columns, text=text)
    return _make_draft(plain, {**first.guesses, **changes}, marks)


def _without_marks(
    columns: Sequence[ColumnProfile], *, text: bool
) -> tuple[list[ColumnProfile], dict[str, tuple[Sentinel, ...]]]:
    """The columns without values that seem to mean missing, and these values by column."""
    marks = {column.name: sentinels(column) for column in columns}
    return [_without_sentinels(one, marks[one.name], text=text) for one in columns], marks


def _without_sentinels(
    profile: ColumnProfile, found: Sequence[Sentinel], *, text: bool
) -> ColumnProfile:
    """The profile with these marks missing; if `text`, a rest of numbers or dates is read so."""
    if not found or profile.counts is None:
        return profile
    gone = {one.value for one in found}
    kept = np.array([label not in gone for label in profile.domain.labels.tolist()], dtype=np.bool_)
    domain, counts = Domain(profile.kind, profile.domain.values[kept]), profile.counts[kept]
    missing = profile.missing + int(profile.counts[~kept].sum())
    if text and profile.kind is Kind.TEXT and (kind := kind_of(domain.labels)) is not Kind.TEXT:
        parsed = parse(domain.labels, kind)
        values, place = np.unique(parsed.values, return_inverse=True)
        domain = Domain(kind, values)
        counts = np.bincount(place.ravel(), weights=counts, minlength=len(values)).astype(np.int64)
    largest = max(missing, int(counts.max(initial=0)))
    return replace(profile, domain=domain, counts=counts, missing=missing, largest=largest)


def _make_draft(
    columns: Sequence[ColumnProfile],
    guesses: Mapping[str, Guess],
    marks: Mapping[str, tuple[Sentinel, ...]],
) -> Draft:
    """Make the draft of these guesses; `marks` are values that seem to mean missing, by column."""
    marks = {n: found for n, found in marks.items() if found and guesses[n].role not in _UNSEEN}
    quasi = [column for column in columns if guesses[column.name].role is Role.QUASI]
    chosen = {c.name: suggest(c.domain, c.name, guesses[c.name].nature, c.counts) for c in quasi}
    made = {c.name: _draft_column(c, guesses[c.name], chosen.get(c.name)) for c in columns}
    for name, found in marks.items():
        made[name] = made[name].model_copy(
            update={"missing_values": tuple(one.value for one in found)}
        )
    people = _count_people(columns, guesses)
    sensitive = [c for c in columns if guesses[c.name].role is Role.SENSITIVE and c.distinct > 1]
    harms = {column.name: guesses[column.name].harm for column in sensitive}
    units = _count_units(columns, guesses)
    models, unasked = choose_models(sensitive, harms, units, max(2, min(K, people)))
    shares = {c.name: round(c.distinct_share, 4) for c in columns if not c.sealed}
    return Draft(
        policy=Policy(columns=made, models=models),
        reasons={name: found.reason for name, found in guesses.items()},
        review=tuple(name for name, found in guesses.items() if not found.sure),
        hierarchies={name: suggestion.reason for name, suggestion in chosen.items()},
        risky=tuple(sorted(shares.items(), key=lambda pair: -pair[1])),
        missing=marks,
        offers=_offer_rounding(columns, guesses),
        unasked=unasked,
        models_reasons={0: f"the table holds {people} people"} if people < K else {},
        guesses=dict(guesses),
    )


def _draft_column(column: ColumnProfile, found: Guess, chosen: Suggestion | None) -> Column:
    """The settings of a drafted column, with kind for dates (presets need it) and numeric codes."""
    if chosen is not None:
        codes = found.nature == "code" and column.is_whole and chosen.spec.name != "intervals"
        return Column(role=found.role, hierarchy=chosen.spec, kind=Kind.TEXT if codes else None)
    dated = column.kind is Kind.DATE and found.role in {Role.SENSITIVE, Role.KEEP}
    return Column(role=found.role, kind=Kind.DATE if dated else None)


def _count_people(columns: Sequence[ColumnProfile], guesses: Mapping[str, Guess]) -> int:
    """Count the people of the table; `InputError` for fewer than two, whom no release hides."""
    units = _count_units(columns, guesses)
    people = units if units is not None else max(column.records for column in columns)
    if people < 2:
        raise InputError(
            "no policy can be drafted: the table holds one person, who cannot hide among others",
            remedy="give a table of at least two people",
        )
    return people


def _count_units(columns: Sequence[ColumnProfile], guesses: Mapping[str, Guess]) -> int | None:
    """Count people by the unit column, a missing unit as one each; None without such a column."""
    units = [c.distinct + c.missing for c in columns if guesses[c.name].role is Role.UNIT]
    return units[0] if units else None


def _offer_rounding(
    columns: Sequence[ColumnProfile], guesses: Mapping[str, Guess]
) -> dict[str, str]:
    """Offer, by column, to round numbers that leave as they are and hardly repeat."""
    able = [
        column
        for column in columns
        if guesses[column.name].role in {Role.SENSITIVE, Role.KEEP, Role.WEIGHT}
        and column.kind is Kind.NUMBER
        and column.distinct_share >= _EXACT
        and column.records >= _ENOUGH
    ]
    return {c.name: _rounding_offer(c, bands=guesses[c.name].role is not Role.WEIGHT) for c in able}


def _rounding_offer(column: ColumnProfile, *, bands: bool) -> str:
    """Say why a number should be rounded, with `bands` how to show bands of it instead."""
    share = whole_percent(column.distinct_share)
    width = nice_width(column.domain.values)
    quasi = (
        f', or take role = "quasi" with hierarchy = {{ name = "intervals", width = {width:g} }} '
        "and lowest = 1"
    )
    return (
        f"{share} of the values are distinct, and an exact number that somebody knows finds its "
        f"record: round it first{quasi if bands else ''}"
    )


def to_toml(drafted: Draft) -> str:
    """Write the drafted policy as TOML: reasons beside roles, lines above what needs a person."""
    above = {name: _remarks_above(drafted, name) for name in drafted.policy.columns}
    beside = {n: why for n, why in drafted.reasons.items() if n not in drafted.review}
    full = [name for name, why in drafted.unasked.items() if why == FULL]
    for_lack_of_room = [f"{FULL}: {', '.join(full)}"] if full else []
    header = (*HEADER, *drafted.advice, *for_lack_of_room)
    return codec.dumps(
        drafted.policy,
        header=header,
        comments=above,
        beside=beside,
        of_models=drafted.models_reasons,
    )


def _remarks_above(drafted: Draft, name: str) -> list[str]:
    """The lines above a column: what a person must look at before it is used."""
    lines = [f"{_MARK}: {drafted.reasons[name]}"] if name in drafted.review else []
    if name in drafted.missing:
        lines.append(f"{_MARK}: {drafted.missing_reasons[name]}")
    told = [drafted.offers.get(name, ""), drafted.unasked.get(name, "")]
    return lines + [why for why in told if why and why != FULL]


def guess_role(column: ColumnProfile) -> Guess:
    """Guess the role of a column, with the reason."""
    if column.sealed:
        reason = f"holds {column.sealed}, which incrowd cannot look into"
        return Guess(Role.DROP, reason, sure=False)
    if not column.distinct:
        return Guess(Role.DROP, "no values")
    if column.distinct == 1 and not column.missing and column.records > 1:
        return Guess(Role.KEEP, "only one value, so it tells nobody apart")
    return _guess_by_evidence(column)


def _guess_by_evidence(column: ColumnProfile) -> Guess:
    """Guess the role by all clues; sensitive texts that hardly repeat become unsure identifiers.

    Texts for which a pattern has advice stay sensitive and get that advice.
    """
    made = weigh_clues(column)
    made = replace(made, sure=made.sure and made.role not in {Role.DROP, Role.UNIT})
    pattern = pattern_of(column)
    advice = "" if pattern is None else pattern[0].advice
    unique = column.distinct_share >= _NEARLY_ALL and column.records >= _ENOUGH
    if made.role is Role.SENSITIVE and unique and column.kind is Kind.TEXT and not advice:
        share = f"{whole_percent(column.distinct_share)} of the values are distinct"
        reason = f"{made.reason}; but {share}, so they identify people"
        made = replace(made, role=Role.IDENTIFIER, reason=reason, sure=False)
    if pattern is None or not advice or made.role is Role.DROP:
        return made
    looks = "" if pattern[0].name in made.reason else f"; {pattern[0].name}"
    return replace(made, reason=f"{made.reason}{looks}, {advice}", sure=False)


def _ensure_some_quasi(
    columns: Sequence[ColumnProfile], guesses: dict[str, Guess]
) -> dict[str, Guess]:
    """Ensure a quasi-identifier, and at most one unit and weight; `InputError` if none can be."""
    if any(found.role is Role.QUASI for found in guesses.values()):
        return _keep_one_unit_and_weight(guesses)
    leaving = {Role.KEEP, Role.SENSITIVE, Role.DROP}
    able = [c for c in columns if guesses[c.name].role in leaving and c.distinct]
    if not able:
        empty = not any(column.distinct for column in columns)
        why = "no cell has a value" if empty else "every column is empty or identifies people"
        raise InputError(
            f"no policy can be drafted: {why}",
            remedy="give a table with a column that may be published",
        )
    chosen = max(able, key=lambda column: column.distinct)
    reason = "no column looks like something that others know; this one has the most values"
    return _keep_one_unit_and_weight(guesses | {chosen.name: Guess(Role.QUASI, reason, sure=False)})


def _keep_one_unit_and_weight(guesses: dict[str, Guess]) -> dict[str, Guess]:
    """Keep the first unit and weight; other units become identifiers, other weights are dropped."""
    units = [name for name, found in guesses.items() if found.role is Role.UNIT]
    reason = "looks like a person ID; another column is the unit already"
    more = {name: Guess(Role.IDENTIFIER, reason, sure=False) for name in units[1:]}
    weights = [name for name, found in guesses.items() if found.role is Role.WEIGHT]
    second = "a further sampling weight; one leaves already"
    return guesses | more | {name: Guess(Role.DROP, second) for name in weights[1:]}
