"""Which of many centres is nearest to each point."""

import numpy as np

from incrowd.arrays import Codes, Floats
from incrowd.kernels.compile import jit


@jit
def nearest(points: Floats, centres: Floats, near: Codes, apart: Floats) -> None:
    """The nearest centre of each point, the first of several, and the squared distance to it.

    `centres` has one line per column, so that all distances of a point grow side by side.
    """
    total = np.empty(centres.shape[1])
    for i in range(len(points)):
        total[:] = 0.0
        for j in range(len(centres)):
            here = points[i, j]
            for c in range(len(total)):
                gap = here - centres[j, c]
                total[c] += gap * gap
        best = 0
        for c in range(1, len(total)):
            if total[c] < total[best]:
                best = c
        near[i], apart[i] = best, total[best]


@jit
def centred(points: Floats, weights: Floats, near: Codes, centres: Floats) -> None:
    """Move each centre to the mean of the points that are nearest to it; stay where there is none.

    Points weigh as many records as they stand for.
    """
    total = np.zeros(centres.shape)
    mass = np.zeros(len(centres))
    for i in range(len(points)):
        mass[near[i]] += weights[i]
        for j in range(points.shape[1]):
            total[near[i], j] += weights[i] * points[i, j]
    for c in range(len(centres)):
        if mass[c] > 0:
            for j in range(points.shape[1]):
                centres[c, j] = total[c, j] / mass[c]
