"""Background knowledge: an attacker who can rule out some sensitive values of a person.

Machanavajjhala et al., *l-Diversity*. In a class with l different values, an attacker must rule out
l - 1 of them to know the one that is left.
"""

from incrowd.attacks.attack import Attack, columns_phrase, people_phrase, share_phrase
from incrowd.attacks.disclosure import AttributeDisclosure


def background(disclosure: AttributeDisclosure, ruled_out: int) -> Attack:
    """Play background knowledge: whose value is certain once so many others are ruled out.

    The values that help most are ruled out. The baseline rules out as many without the release.
    """
    rate, knows, name = disclosure.certain_rate(ruled_out), disclosure.fit.names, disclosure.name
    certain = round(rate.success * rate.trials)
    return Attack(
        kind="background",
        knows=knows,
        column=name,
        rate=rate,
        baseline=disclosure.target.certain_before_release(ruled_out),
        says=(
            f"Somebody knows {columns_phrase(knows)} of a person and can rule out {ruled_out} of "
            f"the other values of {name}, whichever help most. Among the released rows that fit, "
            f"only the person's own value is left for {people_phrase(certain)} "
            f"({share_phrase(rate.success)} of all)."
        ),
        figures={"ruled_out": ruled_out, "certain": certain},
    )
