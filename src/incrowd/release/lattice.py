"""The part of a lattice that a search looked at, as a table."""

import numpy as np
import polars as pl

from incrowd.search.lattice.explored import Explored, State


def nodes_frame(explored: Explored) -> pl.DataFrame:
    """One line per node that was counted, in the order in which it was."""
    levels = {
        _free(name): explored.levels[:, j].astype(np.int32)
        for j, name in enumerate(explored.columns)
    }
    judged = explored.suppressed >= 0
    return pl.DataFrame(
        {
            **levels,
            "k": explored.k,
            "suppressed": pl.Series(explored.suppressed.tolist(), dtype=pl.Int64).set(
                pl.Series(~judged), None
            ),
            "loss": pl.Series(explored.loss).fill_nan(None),
            "state": [State(int(state)).name.lower() for state in explored.state],
            "optimum": np.arange(len(explored)) == explored.best,
        }
    )


def _free(name: str) -> str:
    """The name of a column of the table, told apart from the figures of a node."""
    return f"{name} (level)" if name in {"k", "suppressed", "loss", "state", "optimum"} else name
