"""Finished parts of a large release, kept beside its target to go on from after a crash.

The folder holds codes of private cells and the seed of all that is random: for its owner alone.
"""

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from incrowd.errors import InputError, PolicyError, boundary
from incrowd.io.atomic import lock_folder

_STATE = "state.json"
_BITS = 128


@dataclass(frozen=True)
class KeptParts:
    """A folder of finished parts."""

    path: Path
    seed: int
    """What everything random is drawn from: the same in each attempt."""

    def make_folder(self, request: str) -> Path:
        """Make the folder for parts of this request (a digest), or keep it; remove all others."""
        folder = self.path / request[:32]
        for other in self.path.iterdir():
            if other.is_dir() and other != folder:
                shutil.rmtree(other, ignore_errors=True)
        folder.mkdir(exist_ok=True)
        return folder


@contextmanager
def keep_parts(target: str | os.PathLike[str] | None) -> Iterator[KeptParts]:
    """A block with a folder beside the target for finished parts, which is removed at its end.

    The folder stays if the block fails, for the next attempt. A second run waits for the first.
    `PolicyError` without a target file, `InputError` if the folder cannot be used.
    """
    if target is None or str(target) == "-":
        raise PolicyError(
            "parts that are done can be kept only beside a file", remedy="name a target file"
        )
    folder = Path(f"{os.fspath(target)}.parts")
    problem = InputError(f"incrowd cannot use the folder {str(folder)!r}", remedy="remove it")
    with boundary(problem):
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)
    with lock_folder(folder):
        with boundary(problem):
            seed = _load_or_make_seed(folder / _STATE)
        yield KeptParts(folder, seed)
        shutil.rmtree(folder, ignore_errors=True)


def _load_or_make_seed(state: Path) -> int:
    """The seed that the last attempt stored; without one a new seed, which is stored."""
    if state.exists():
        return int(json.loads(state.read_text())["seed"], 16)
    seed = secrets.randbits(_BITS)
    state.with_suffix(".new").write_text(json.dumps({"seed": f"{seed:x}"}))
    state.with_suffix(".new").replace(state)
    return seed
