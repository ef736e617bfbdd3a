"""Inference: what a person's sensitive value is, guessed from the rows that may be theirs.

The third of the three risks of the Article 29 Working Party (Opinion 05/2014, Section 2.2).
"""

from incrowd.attacks.attack import Attack
from incrowd.attacks.held import Held
from incrowd.attacks.intervals import wilson
from incrowd.attacks.scene import mean_of
from incrowd.attacks.words import columns, share


def inference(held: Held) -> Attack:
    """How often the value most frequent among the rows that fit a person is that person's.

    Equally frequent values are drawn from; who fits no row is thought to hold what is most
    frequent in the whole release. The baseline is to guess the commonest value for everybody.
    """
    people = int(held.people.sum())
    success = mean_of(held.right, held.people)
    baseline = float(held.shares.max(initial=0.0))
    return Attack(
        kind="inference",
        knows=held.fit.names,
        column=held.name,
        success=success,
        interval=wilson(success * people, people),
        baseline=baseline,
        trials=people,
        says=(
            f"Somebody knows {columns(held.fit.names)} of a person, looks up the released rows "
            f"that fit, and takes the most frequent {held.name} among them for the person's. That "
            f"is right for {share(success)} of the people; to name the commonest value for "
            f"everybody is right for {share(baseline)}."
        ),
    )
