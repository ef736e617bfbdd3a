"""Full-domain search on Adult and Cup: seconds, memory, nodes counted.

The reference in the same run is a plain best-first search that counts every node from the rows, in
the order of its mean cost, without ruling out others; it is given ten seconds. ARX's seconds are
constants, measured elsewhere with ARX 3.9.2 and a warm JVM on two cores.
"""

import resource
import sys
import time
import tracemalloc
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import arx_tables

from incrowd.classes import classes_of
from incrowd.datasets import hospital  # noqa: F401  replaced below if absent
from incrowd.loss import Granularity
from incrowd.models import KAnonymity
from incrowd.search.full_domain import node_classes
from incrowd.search.lattice import Lattice
from incrowd.watch import Watch
