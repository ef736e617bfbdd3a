"""Control: inference about people who are in the table, beside people who are not.

What a release tells of people of a kind, it tells of those who are not in it as well. What it tells
of its own people beyond that was given away by their records.
"""

from incrowd.attacks.attack import Attack
from incrowd.attacks.held import Held
from incrowd.attacks.words import columns, part, people, share


def control(inside: Held, outside: Held) -> Attack:
    """How often inference is right about the people of the table; the baseline: about others.

    `inside` is about the people of the table, `outside` about people like them who are not in it.
    """
    own, other = inside.guessed, outside.guessed
    low, high = other.interval
    return Attack(
        kind="control",
        knows=inside.fit.names,
        column=inside.name,
        rate=own,
        baseline=other.success,
        says=(
            f"Somebody knows {columns(inside.fit.names)} of a person and guesses {inside.name} by "
            f"the released rows that fit. That is right for {part(own.success, 'the people')} of "
            f"the table, and for {part(other.success, people(other.trials))} who are not in it "
            f"(95 % interval {share(low)} to {share(high)}). If these are people like them, the "
            "difference is what their own records give away."
        ),
        figures={
            "control": other.success,
            "control_low": low,
            "control_high": high,
            "control_people": other.trials,
            "difference": own.success - other.success,
        },
        claims=True,
    )
