"""`warm`: everything compiled ahead, for images and for machines that should not wait."""

from collections.abc import Callable
from contextlib import ExitStack

from incrowd.kernels import compile as compiling
from incrowd.kernels import warm as kernels
from incrowd.kernels.warm import Warmed


def warm(*, tell: Callable[[int, int], None] | None = None) -> Warmed:
    """Compile all kernels that incrowd uses, so that no later run on this machine waits for them.

    `tell` is called with the number of kernels that are ready and with that of all.
    """
    every = kernels.known_signatures()
    missing = kernels.missing_signatures()
    with ExitStack() as held:
        if missing:
            held.enter_context(kernels.run_helpers(kernels.EVERYTHING, if_cold=False))
        for ready, _ in enumerate(kernels.compile_all(missing), len(every) - len(missing) + 1):
            if tell is not None:
                tell(ready, len(every))
    return Warmed(len(every), len(missing), compiling.CACHE)
