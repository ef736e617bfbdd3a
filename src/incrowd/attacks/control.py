"""Control: inference about people in the table, compared with people who are not in it.

What a release says about a kind of people also holds for people who are not in it. Whatever it says
about its own people beyond that comes from their records.
"""

from incrowd.attacks.attack import Attack, columns_phrase, part_phrase, people_phrase, share_phrase
from incrowd.attacks.disclosure import AttributeDisclosure


def control(inside: AttributeDisclosure, outside: AttributeDisclosure) -> Attack:
    """Play inference about people in the table; the baseline is the same about others.

    Limits apply only if the first interval lies above the other: small groups differ by chance.
    """
    own, other = inside.guess_rate, outside.guess_rate
    low, high = other.interval
    return Attack(
        kind="control",
        knows=inside.fit.names,
        column=inside.name,
        rate=own,
        baseline=other.success,
        says=(
            f"Somebody knows {columns_phrase(inside.fit.names)} of a person and guesses "
            f"{inside.name} from the released rows that fit. The guess is right for "
            f"{part_phrase(own.success, 'the people')} in the table, and for "
            f"{part_phrase(other.success, people_phrase(other.trials))} who are not in it (95 % "
            f"interval {share_phrase(low)} to {share_phrase(high)}). If the two groups are alike, "
            "the difference is what people's own records give away."
        ),
        figures={
            "control": other.success,
            "control_low": low,
            "control_high": high,
            "control_people": other.trials,
            "difference": own.success - other.success,
        },
        gated=own.interval[0] > high,
    )
