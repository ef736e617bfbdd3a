"""Shapes and constants that kernels and their callers share; loads nothing of numba.

`Boxes` is (costs, start, width, nodes, limits): see `incrowd.kernels.boxes`.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts, Floats

Boxes: TypeAlias = tuple[Floats, Counts, Counts, Codes, Floats]

FORBIDDEN = 1e6
"""The cost of a cell that may not be shown: more than all others together."""

Keys: TypeAlias = NDArray[np.uint64]
"""What rows show, one word a row: equal words look alike."""

Work: TypeAlias = tuple[Keys, Counts, Counts, Floats]
"""A hash table in use: keys of slots, their rows, where each row is, what it costs."""
