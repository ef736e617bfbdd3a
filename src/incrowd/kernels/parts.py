"""The part that each coded row lies in, by a tree of cuts.

Node n sends a row down to `child[0, n]` if its code in column `column[n]` is at most `limit[n]`,
else to `child[1, n]`; a node with column -1 is a leaf, and `child[0, n]` is its part. Node 0 is the
root. Shapes: codes (d, rows); column, limit (nodes,); child (2, nodes).
"""

import numpy as np

from incrowd.arrays import Codes
from incrowd.kernels.compile import jit


@jit
def parts_of(codes: Codes, column: Codes, limit: Codes, child: Codes) -> Codes:
    """Return the part of each row, found by a tree of cuts."""
    rows = codes.shape[1]
    found = np.empty(rows, np.int32)
    for i in range(rows):
        node = 0
        while column[node] >= 0:
            side = 0 if codes[column[node], i] <= limit[node] else 1
            node = child[side, node]
        found[i] = child[0, node]
    return found
