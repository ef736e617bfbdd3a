"""Homogeneity: all rows that fit a person show one value (Machanavajjhala, *l-Diversity*)."""

from incrowd.attacks.attack import Attack, columns_phrase, people_phrase, share_phrase
from incrowd.attacks.disclosure import AttributeDisclosure


def homogeneity(disclosure: AttributeDisclosure) -> Attack:
    """Play homogeneity: the share of people for whom all rows that fit show their own value.

    The baseline is 1 if all people hold one value of the sensitive column, else 0.
    """
    rate = disclosure.certain_rate()
    certain = round(rate.success * rate.trials)
    return Attack(
        kind="homogeneity",
        knows=disclosure.fit.names,
        column=disclosure.name,
        rate=rate,
        baseline=disclosure.target.certain_before_release(),
        says=(
            f"Somebody knows {columns_phrase(disclosure.fit.names)} of a person and looks up the "
            f"released rows that fit. {_certainty_sentence(certain, rate.success, disclosure.name)}"
        ),
        figures={"certain": certain, "fewest_values": disclosure.fewest},
    )


def _certainty_sentence(found: int, success: float, name: str) -> str:
    """For how many people the value is certain, as a sentence."""
    if not found:
        return f"For nobody do all of these rows show the person's own {name}."
    return (
        f"For {people_phrase(found)} ({share_phrase(success)} of all), every one of these rows "
        f"shows the person's own {name}: it is known for certain, without finding the row."
    )
