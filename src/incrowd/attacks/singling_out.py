"""Singling out: a description taken from the release that fits one person and no other.

The first of the three risks that the Article 29 Working Party names (Opinion 05/2014 on
anonymisation techniques). Descriptions are what the released rows show in the known columns.
"""

import numpy as np

from incrowd.attacks.attack import Attack
from incrowd.attacks.fit import Fit
from incrowd.attacks.intervals import Rate
from incrowd.attacks.persons import Persons
from incrowd.attacks.words import columns, people, share


def singling_out(fit: Fit) -> Attack:
    """The share of the people who are the only one to fit what some released row shows.

    Without the release nobody is described, and so nobody is singled out but a person who is the
    only one: that is the baseline.
    """
    total = fit.scene.people.records
    found = fit.singled_out
    rate = Rate.counted(found, total)
    return Attack(
        kind="singling-out",
        knows=fit.names,
        rate=rate,
        baseline=float(total == 1),
        says=(
            f"Somebody reads {columns(fit.names)} of a released row as a description, and looks up "
            f"who fits it. {_singled_out(found, rate.success)}"
        ),
        figures={"singled_out": found},
        persons=Persons.of(np.array([1.0]), float(total == 1), np.array([found]), fit.scene.limit),
    )


def _singled_out(found: int, success: float) -> str:
    if not found:
        return "No description fits one person only."
    who = "1 person is" if found == 1 else f"{people(found)} are each"
    return (
        f"{who} the only one to fit a description ({share(success)} of all): they are singled out, "
        "with everything else that the row shows of them."
    )
