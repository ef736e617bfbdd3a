"""What a release guarantees and what it does not, in sentences."""

from collections.abc import Iterator

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


def assumptions(policy: Policy) -> tuple[str, ...]:
    """The sentences that a certificate carries: they hold for a release of this policy."""
    return tuple(_sentences(policy))


def _sentences(policy: Policy) -> Iterator[str]:
    yield (
        "Nobody is assumed to know other columns about a person than the declared "
        f"quasi-identifiers: {', '.join(policy.quasi)}."
    )
    if policy.show == "permutation":
        yield from _permutation(policy)
    if policy.show != "permutation" or policy.missing is Missing.SUPPRESS:
        yield _MISSING[policy.missing]
    yield _counted(policy)
    if policy.show == "representatives":
        yield (
            "Cells show one value for their whole class, its median or most frequent value: "
            "they are not what each record held."
        )
    named = " and ".join(model.name for model in policy.models if of_world(model))
    if policy.ends == "exact" and policy.show in {"spans", "sets"}:
        yield from _exact_ends(named)
    if named:
        yield (
            f"What {named} reach was counted in the world that this certificate "
            "names; whoever holds another world may find fewer people in it."
        )
    for name in dict.fromkeys(m.columns[0] for m in policy.models if m.name == "t-closeness"):
        yield f"t-closeness of {name} is measured against the table as it was read."
    yield _order(policy)
    yield from _unprotected(policy)
    yield "Other releases of the same people were not considered: together they may reveal more."


def _exact_ends(named: str) -> Iterator[str]:
    yield (
        "The ends of spans and the values of sets are those of people in the class: whoever holds "
        "a list and knows this finds people who alone have such a value."
    )
    if named:
        yield (
            f"What {named} reach takes no account of that: it counts everybody whom a label may "
            "stand for, also where only one of them can be at its end."
        )


def _permutation(policy: Policy) -> Iterator[str]:
    yield (
        "Quasi-identifying values leave as they are: whoever knows them finds a person's record "
        "and learns that the person is in the table. No k-anonymity is claimed."
    )
    yield (
        f"The values of {', '.join(policy.sensitive)} changed places, together, among the records "
        "of a class, all orders being equally likely; models are judged by class. What stands in "
        "a record need not be what its person held."
    )
    if policy.class_column is None:
        yield "Classes cannot be told from the release: what models reach cannot be counted again."


def _counted(policy: Policy) -> str:
    if policy.unit is None:
        return "Classes count records: every record is taken to be another person."
    return (
        f"Classes count different people by the column {policy.unit}, which does not leave; "
        "people cannot be counted again from the release alone."
    )


def _order(policy: Policy) -> str:
    if policy.order == "keep":
        return (
            "The order of records is that of the table: "
            "it links this release to others of the same table."
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
