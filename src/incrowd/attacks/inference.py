"""Inference: guess a person's sensitive value from the rows that may be theirs."""

from incrowd.attacks.attack import Attack, columns_phrase, part_phrase
from incrowd.attacks.disclosure import AttributeDisclosure


def inference(disclosure: AttributeDisclosure) -> Attack:
    """Play inference: guess the most frequent value among the rows that fit a person.

    Ties are broken at random; without a row, and as baseline, the commonest value is guessed.
    """
    rate, name = disclosure.guess_rate, disclosure.name
    baseline = disclosure.target.commonest_share
    return Attack(
        kind="inference",
        knows=disclosure.fit.names,
        column=name,
        rate=rate,
        baseline=baseline,
        says=(
            f"Somebody knows {columns_phrase(disclosure.fit.names)} of a person, looks up the "
            f"released rows that fit, and guesses the most frequent {name} among them. The guess "
            f"is right for {part_phrase(rate.success, 'the people')}; guessing the commonest value "
            f"for everybody is right for {part_phrase(baseline, 'them')}."
        ),
        persons=disclosure.persons,
    )
