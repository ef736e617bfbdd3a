"""Singling out: what a row shows in the known columns fits one person and no other."""

import numpy as np

from incrowd.attacks.attack import Attack, columns_phrase, people_phrase, share_phrase
from incrowd.attacks.rates import PersonRisk, Rate
from incrowd.linkage.fit import Fit


def singling_out(fit: Fit) -> Attack:
    """Play singling out: who alone fits a row; the baseline is 1 for a single person, else 0."""
    total = fit.data.people.records
    alone = fit.singled_out
    rate = Rate.of_counts(alone, total)
    return Attack(
        kind="singling-out",
        knows=fit.names,
        rate=rate,
        baseline=float(total == 1),
        says=(
            f"Somebody reads {columns_phrase(fit.names)} of a released row as a description and "
            f"looks up who fits it. {_singled_out_sentence(alone, rate.success)}"
        ),
        figures={"singled_out": alone},
        persons=PersonRisk.of(
            np.array([1.0]), float(total == 1), np.array([alone]), fit.data.limit
        ),
    )


def _singled_out_sentence(found: int, success: float) -> str:
    """How many people are singled out, as a sentence."""
    if not found:
        return "No description fits only one person."
    who = "1 person is" if found == 1 else f"{people_phrase(found)} are each"
    return (
        f"{who} the only one to fit a description ({share_phrase(success)} of all): the row "
        "singles them out, with everything else that it shows."
    )
