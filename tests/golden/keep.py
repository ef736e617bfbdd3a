"""Write `kept/` anew: whole releases with their certificates, policies and worlds.

    PYTHONPATH=src:tests python -m golden.keep

The releases there were written by incrowd 0.1.0; every later one must accept them. Add to them when
certificates or labels change; do not write the old ones anew.
"""

import shutil
import tempfile
from contextlib import chdir
from pathlib import Path

from golden import tables
from incrowd.cli.main import main as incrowd

KEPT = Path(__file__).parent / "kept"
VOTERS = ("--world", "world.csv", "--id", "patient_id", "--rename", "zip=zipcode")
RELEASES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "k": ("people.csv", "k.toml", ()),
    "l-diverse": ("people.csv", "l-frequency.toml", ()),
    "close-sets": ("people.csv", "close-sets.toml", ()),
    "levels": ("people.csv", "suppression-lattice.toml", ()),
    "unit": ("visits.csv", "unit.toml", ()),
    "gaps": ("gaps.csv", "missing-matches-anything.toml", ()),
    "permutation": ("people.csv", "permutation-class.toml", ()),
    "split": ("people.csv", "split-ends.toml", ()),
    "world": ("people.csv", "k-map.toml", VOTERS),
}
"""The table, the policy, and further arguments, of each."""

CLOSE_SETS = tables.toml(tables.K5, tables.close(0.5, "equal"), show="sets")


def main() -> None:
    """Make each release in its own folder."""
    with tempfile.TemporaryDirectory() as place:
        inputs = Path(place)
        tables.make(inputs)
        (inputs / "close-sets.toml").write_text(CLOSE_SETS)
        for name, (table, policy, more) in RELEASES.items():
            folder = KEPT / name
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(inputs / policy, folder / "policy.toml")
            if more:
                shutil.copy(inputs / "world.csv", folder / "world.csv")
            _release(folder, inputs / table, more)


def _release(folder: Path, table: Path, more: tuple[str, ...]) -> None:
    request = ["anonymize", str(table), "-p", "policy.toml", "--seed", "7", "-o", "release.csv"]
    with chdir(folder):
        try:
            incrowd([*request, *more, "--quiet"])
        except SystemExit as stop:
            if stop.code:
                raise


if __name__ == "__main__":
    main()
