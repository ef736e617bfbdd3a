"""Homogeneity: all rows that may be a person's show the same sensitive value.

Machanavajjhala et al., *l-Diversity*, Section 2.1: k-anonymity does not help whose class agrees.
"""

from incrowd.attacks.attack import Attack
from incrowd.attacks.background import certain
from incrowd.attacks.held import Held
from incrowd.attacks.intervals import clopper_pearson
from incrowd.attacks.words import columns, people, share


def homogeneity(held: Held) -> Attack:
    """The share of the people whose value is certain, as all rows that fit them show that value.

    The baseline is to guess the commonest value for everybody.
    """
    total = int(held.people.sum())
    found = certain(held, 0)
    success = found / total if total else 0.0
    return Attack(
        kind="homogeneity",
        knows=held.fit.names,
        column=held.name,
        success=success,
        interval=clopper_pearson(found, total),
        baseline=float(held.shares.max(initial=0.0)),
        trials=total,
        says=(
            f"Somebody knows {columns(held.fit.names)} of a person and looks up the released rows "
            f"that fit. For {people(found)} ({share(success)}) all of them show one {held.name}: "
            "it is learned for certain, without finding the row."
        ),
        figures={"certain": found, "fewest_values": fewest(held)},
    )


def fewest(held: Held) -> int:
    """The fewest values that are possible for anybody who fits a released row; 0 if nobody does."""
    return int(held.values[held.values > 0].min(initial=held.values.max(initial=0)))
