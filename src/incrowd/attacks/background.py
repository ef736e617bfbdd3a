"""Background knowledge: an attacker who can rule out some sensitive values of a person.

Machanavajjhala et al., *l-Diversity*. In a class with l different values it takes l - 1 values
ruled out to know the one that is left.
"""

from incrowd.attacks.attack import Attack
from incrowd.attacks.held import Held
from incrowd.attacks.words import columns, people, share


def background(held: Held, ruled_out: int) -> Attack:
    """The share of the people whose value is certain once so many others are ruled out.

    The attacker is taken to rule out whichever values help most. The baseline rules out as well:
    without the release, a value is certain if there are no more than the so many and one.
    """
    rate = held.certain(ruled_out)
    found = round(rate.success * rate.trials)
    return Attack(
        kind="background",
        knows=held.fit.names,
        column=held.name,
        rate=rate,
        baseline=held.secret.certain(ruled_out),
        says=(
            f"Somebody knows {columns(held.fit.names)} of a person, and can rule out {ruled_out} "
            f"of the other values of {held.name}, whichever help most. Among the released rows "
            f"that fit, this leaves only the person's own for {people(found)} "
            f"({share(rate.success)} of all)."
        ),
        figures={"ruled_out": ruled_out, "certain": found},
    )
