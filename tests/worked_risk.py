"""Ten records of a published example, with its published figures.

The practice guide on statistical disclosure control of microdata (Benschop, Machingauta, Welch),
Tables 4.1 and 4.5: residence, gender, education level, labor status.
"""

import numpy as np

_CELLS = (
    "urban female secondary-incomplete employed",
    "urban female secondary-incomplete employed",
    "urban female primary-incomplete outside",
    "urban male secondary-complete employed",
    "rural female secondary-complete unemployed",
    "urban male secondary-complete employed",
    "urban female primary-complete outside",
    "urban male post-secondary unemployed",
    "urban female secondary-incomplete outside",
    "urban female secondary-incomplete outside",
)
NAMES = ("residence", "gender", "education", "labor")
EXAMPLE = [
    np.unique(column, return_inverse=True)[1].astype(np.int32) + 1
    for column in np.array([line.split() for line in _CELLS]).T
]
WEIGHTS = np.array([180, 180, 215, 76, 186, 76, 180, 215, 186, 76], dtype=np.float64)
RISKS = {
    (2, 360): 0.0054,
    (1, 215): 0.0251,
    (2, 152): 0.0126,
    (1, 186): 0.0282,
    (1, 180): 0.0290,
    (2, 262): 0.0074,
}
"""By records of a class and the sum of their weights."""
SCORES = (0, 0, 6, 0, 12, 0, 6, 10, 0, 0)
"""SUDA scores for sets of up to three columns."""
DIS_SCORES = (0, 0, 0.0051, 0, 0.0107, 0, 0.0051, 0.0088, 0, 0)
"""DIS-SUDA scores for a sampling fraction of 0.01; the guide has them of other SUDA scores."""
