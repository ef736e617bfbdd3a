"""Compiles every recorded signature into a folder, for processors of the common kind.

    python -m incrowd.kernels.carry FOLDER

`make wheel` puts the folder into a wheel as `incrowd/kernels/carried`. The code is made for the
processor of `store.BASELINES`, whatever the processor of this machine is.
"""

import platform
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numba

from incrowd.kernels import signatures, warm


def carry(folder: Path) -> int:
    """Compile every recorded signature into the folder; return how many there are.

    Call it before the first kernel is loaded: then numba has not settled on a processor yet.
    `SystemExit` if `store.BASELINES` has no processor for this system, or numba is not a known one.
    """
    store: Any
    compiling: Any
    store, compiling = (import_module(f"{__package__}.{name}") for name in ("store", "compile"))
    processor = store.BASELINES.get((platform.system(), platform.machine()))
    if processor is None or not compiling.WHOLE:
        raise SystemExit("no kernels to carry: they are compiled on first use on this system")
    config: Any = numba.config
    config.CPU_NAME, config.CPU_FEATURES = processor
    folder.mkdir(parents=True, exist_ok=True)
    compiling.CACHE = store.CARRIED = folder.resolve()
    every = signatures.load_signatures()[warm.EVERYTHING]
    for number, (name, _) in enumerate(warm.compile_all(every), 1):
        sys.stderr.write(f"\r{number} of {len(every)} {name:50}")
    (folder / "lock").unlink(missing_ok=True)
    return len(every)


if __name__ == "__main__":
    sys.stderr.write(f"\n{carry(Path(sys.argv[1]))} kernels\n")
