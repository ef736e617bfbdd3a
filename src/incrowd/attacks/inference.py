"""Inference: what a person's sensitive value is, guessed from the rows that may be theirs.

The third of the three risks that the Article 29 Working Party names (Opinion 05/2014 on
anonymisation techniques).
"""

from incrowd.attacks.attack import Attack
from incrowd.attacks.held import Held
from incrowd.attacks.words import columns, part


def inference(held: Held) -> Attack:
    """How often the value most frequent among the rows that fit a person is that person's.

    Equally frequent values are drawn from; who fits no row is thought to hold what is most
    frequent in the whole release. The baseline is to guess the commonest value for everybody.
    """
    rate = held.guessed
    baseline = held.secret.commonest()
    return Attack(
        kind="inference",
        knows=held.fit.names,
        column=held.name,
        rate=rate,
        baseline=baseline,
        says=(
            f"Somebody knows {columns(held.fit.names)} of a person, looks up the released rows "
            f"that fit, and guesses the most frequent {held.name} among them. That is right for "
            f"{part(rate.success, 'the people')}; guessing the commonest value for everybody is "
            f"right for {part(baseline, 'them')}."
        ),
        persons=held.persons,
    )
