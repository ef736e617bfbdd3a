"""One hypothesis profile for all tests: no deadline, as kernels compile on first use.

All modules are loaded at once: what a test sets on one that is not would be seen by nobody.
"""

from importlib import import_module
from pkgutil import walk_packages

from hypothesis import settings

import incrowd

settings.register_profile("incrowd", deadline=None, max_examples=100)
settings.load_profile("incrowd")

for module in walk_packages(incrowd.__path__, "incrowd."):
    if not module.name.endswith("__main__"):
        import_module(module.name)
