"""The arrays that everything is made of.

A *code* is a whole number standing for a cell value: `MISSING` (0) for a missing one, 1, 2, … for
the values in their order. Matrices of codes have one row per column of the table (`codes[j]` is
column j, contiguous), so that a kernel reads one column after the other.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Codes: TypeAlias = NDArray[np.int32]
Counts: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Values: TypeAlias = NDArray[np.generic]
Texts: TypeAlias = NDArray[np.object_]

MISSING = 0
"""The code of a missing value, in every column."""

SUPPRESSED = -1
"""The class of a record that is left out of the release."""
