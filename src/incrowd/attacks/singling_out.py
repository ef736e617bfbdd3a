"""Singling out: a description taken from the release that fits one person and no other.

The first of the three risks of the Article 29 Working Party (Opinion 05/2014 on anonymisation
techniques, Section 2.2). Descriptions are what the released rows show in the known columns.
"""

import numpy as np

from incrowd.attacks.attack import Attack
from incrowd.attacks.fit import Fit
from incrowd.attacks.intervals import clopper_pearson
from incrowd.attacks.words import columns, people, share


def singling_out(fit: Fit) -> Attack:
    """The share of the people who are the only one to fit what some released row shows.

    The baseline is to point at one of the people blindly.
    """
    total = fit.scene.people.records
    alone = fit.people_fitting[fit.row] == 1
    found = len(np.unique(fit.person[alone]))
    success = found / total if total else 0.0
    return Attack(
        kind="singling-out",
        knows=fit.names,
        success=success,
        interval=clopper_pearson(found, total),
        baseline=1 / total if total else 0.0,
        trials=total,
        says=(
            f"Somebody reads {columns(fit.names)} of a released row as a description, and looks "
            f"who fits it. {people(found)} ({share(success)}) alone fit a description: they are "
            "singled out, with everything else that the row shows of them."
        ),
        figures={"singled_out": found},
    )
