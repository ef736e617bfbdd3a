"""The names of all searches, for who must know them before any search is loaded (`--help`)."""

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
