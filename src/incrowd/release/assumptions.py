"""What a release guarantees and what it does not, in sentences."""

from collections.abc import Iterator, Sequence
from typing import Literal

from incrowd.models.model import of_world
from incrowd.policy.policy import Policy
from incrowd.table.roles import Missing

_MISSING = {
    Missing.OWN_VALUE: "A missing quasi-identifying value is a value like any other: "
    "it is equal to missing values only.",
    Missing.MATCHES_ANYTHING: "A missing quasi-identifying value could be any value: "
    "a class is judged together with all classes that it could be.",
    Missing.SUPPRESS: "Records with a missing quasi-identifying value were left out.",
}


Order = Literal["system", "given", "kept"]
"""Where the order of records comes from: the system's randomness, a given seed, the table."""


_DRAWN = (
    "all orders being equally likely",
    "by a seed that was given: whoever knows or guesses it can undo it",
)


def assumptions(policy: Policy, order: Order, *, seeded: bool) -> tuple[str, ...]:
    """The sentences that a certificate carries: they hold for a release of this policy.

    `seeded` says that a seed was given, so that whoever has it can repeat what was drawn.
    """
    return tuple(_sentences(policy, order, seeded))


def _sentences(policy: Policy, order: Order, seeded: bool) -> Iterator[str]:
    yield (
        "Nobody is assumed to know other columns about a person than the declared "
        f"quasi-identifiers: {', '.join(policy.quasi)}."
    )
    shown, told = policy.shown, policy.class_column is not None
    yield from shown.assumptions(policy.sensitive, _DRAWN[seeded], told=told)
    if not shown.exact or policy.missing is Missing.SUPPRESS:
        yield _MISSING[policy.missing]
    yield _counted(policy)
    if shown.cells_assumption:
        yield shown.cells_assumption
    named = [model.name for model in policy.models if of_world(model)]
    yield from _ends(policy, named)
    if named:
        yield (
            f"What {' and '.join(named)} {'reach' if len(named) > 1 else 'reaches'} was counted in "
            "the world that this certificate names; whoever holds another world may find fewer "
            "people in it."
        )
    models = sorted(policy.models, key=lambda model: "reference" not in model.requires)
    yield from dict.fromkeys(said for model in models for said in model.assumptions())
    yield _order(order)
    yield from _unprotected(policy)
    yield "Other releases of the same people were not considered: together they may reveal more."


def _ends(policy: Policy, named: Sequence[str]) -> Iterator[str]:
    """What the ends of spans, the members of sets and representatives tell."""
    if policy.shown.ends_assumption:
        yield policy.shown.ends_assumption
    elif policy.ends == "exact" and not policy.shown.exact:
        yield (
            "Spans end on exact values of people in the class, and sets name exact values: whoever "
            "knows that only one person has such a value learns that this person is in the table. "
            'ends = "aligned" prevents most of that.'
        )
        if named:
            yield (
                f"What was counted for {' and '.join(named)} takes no account of that: everybody "
                "counts whom a label may stand for, also where only one of them can be at its end."
            )


def _counted(policy: Policy) -> str:
    if policy.unit is None:
        return "Classes count records: every record is taken to be another person."
    return (
        f"Classes count different people by the column {policy.unit}, which does not leave; "
        "people cannot be counted again from the release alone."
    )


def _order(order: Order) -> str:
    if order == "kept":
        return (
            "The order of records is that of the table: "
            "it links this release to others of the same table."
        )
    if order == "given":
        return (
            "The order of records comes from a seed that was given: whoever knows or guesses the "
            "seed can undo it."
        )
    return "The order of records was drawn at random; the draw is not written anywhere."


def _unprotected(policy: Policy) -> Iterator[str]:
    pseudonyms = [name for name in policy.identifiers if policy.columns[name].action != "drop"]
    if pseudonyms:
        yield (
            f"Pseudonyms ({', '.join(pseudonyms)}) link all releases made with the same key; "
            "whoever has the key can find a person by name."
        )
    kept = policy.kept + ((policy.weight,) if policy.weight else ())
    if kept:
        yield f"Columns that leave as they are were taken to identify nobody: {', '.join(kept)}."
    asked = {name for model in policy.models for name in model.columns}
    if bare := [name for name in policy.sensitive if name not in asked]:
        yield f"No model limits what a class reveals about {', '.join(bare)}."
