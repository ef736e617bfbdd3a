"""One hypothesis profile for all tests: no deadline, as kernels compile on first use."""

from hypothesis import settings

settings.register_profile("incrowd", deadline=None, max_examples=100)
settings.load_profile("incrowd")
