"""What must be known of searches before any of them is loaded (`--help`)."""

SEARCHES: tuple[str, ...] = (
    "auto",
    "accuracy",
    "anatomy",
    "crowd",
    "cuts",
    "datafly",
    "diversify",
    "exhaustive",
    "hilbert",
    "idistance",
    "lattice",
    "lattice+local",
    "mingen",
    "mingen-cells",
    "mondrian",
    "mu-argus",
    "top-down",
    "tree",
    "world",
)
"""The default first, the others in order; a test holds them to those that there are."""

BOUNDS = (0.01, 0.02, 0.05, *(step / 20 for step in range(2, 11)), 0.6, 0.7, 0.8, 0.9, 1.0)
"""Largest losses of a class that a search for the most privacy looks at, closer together where they
are small: there people choose."""
