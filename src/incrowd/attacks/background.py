"""Background knowledge: an attacker who can rule out some sensitive values of a person.

Machanavajjhala et al., *l-Diversity*, Section 2.2. In a class with l different values it takes
l - 1 values ruled out to know the one that is left.
"""

from incrowd.attacks.attack import Attack
from incrowd.attacks.held import Held
from incrowd.attacks.intervals import clopper_pearson
from incrowd.attacks.words import columns, people, share


def background(held: Held, ruled_out: int) -> Attack:
    """The share of the people whose value is certain once so many others are ruled out.

    The attacker is taken to rule out whichever values help most. The baseline rules out as well:
    without the release, the value is right if it is among the so many and one commonest.
    """
    total = int(held.people.sum())
    found = certain(held, ruled_out)
    success = found / total if total else 0.0
    return Attack(
        kind="background",
        knows=held.fit.names,
        column=held.name,
        success=success,
        interval=clopper_pearson(found, total),
        baseline=min(float(held.shares[: ruled_out + 1].sum()), 1.0),
        trials=total,
        says=(
            f"Somebody knows {columns(held.fit.names)} of a person, and can rule out {ruled_out} "
            f"of the other values of {held.name}. Among the released rows that fit, this leaves a "
            f"single value for {people(found)} ({share(success)})."
        ),
        figures={"ruled_out": ruled_out, "certain": found},
    )


def certain(held: Held, ruled_out: int) -> int:
    """How many people have their own value and at most so many others possible."""
    few = held.values[held.fit.people.class_of] <= ruled_out + 1
    return int(held.people[few & held.possible].sum())
