"""Homogeneity: all rows that may be a person's show the same sensitive value.

Machanavajjhala et al., *l-Diversity*: k-anonymity does not help whose class agrees.
"""

from incrowd.attacks.attack import Attack
from incrowd.attacks.held import Held
from incrowd.attacks.words import columns, people, share


def homogeneity(held: Held) -> Attack:
    """The share of the people whose value is certain, as all rows that fit them show that value.

    Without the release nobody's value is certain, unless there is only one: that is the baseline.
    """
    rate = held.certain()
    found = round(rate.success * rate.trials)
    return Attack(
        kind="homogeneity",
        knows=held.fit.names,
        column=held.name,
        rate=rate,
        baseline=held.secret.certain(),
        says=(
            f"Somebody knows {columns(held.fit.names)} of a person and looks up the released rows "
            f"that fit. {_learned(found, rate.success, held.name)}"
        ),
        figures={"certain": found, "fewest_values": held.fewest},
    )


def _learned(found: int, success: float, name: str) -> str:
    if not found:
        return f"Nobody's rows all show their {name}."
    return (
        f"For {people(found)} ({share(success)} of all) every one of them shows the same {name}, "
        "their own: it is learned for certain, without finding the row."
    )
