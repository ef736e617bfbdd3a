"""Which tests on Spark are quick: those of the verbs that matter most; `make check` runs them."""

import pytest

QUICK = {
    "test_every_verb_gives_the_figures_of_memory": {"risk", "discover", "plan", "attack", "check"},
    "test_full_domain_recoding_is_the_same": {"levels"},
}
"""By test: the operations that are run on Spark also when slow tests are left out."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """All other tests on Spark are slow: each statement there is a job."""
    for item in items:
        given = getattr(getattr(item, "callspec", None), "params", {})
        asked = given.get("operation", given.get("name"))
        if given.get("source_of") == "spark" and asked not in QUICK.get(item.originalname, ()):
            item.add_marker(pytest.mark.slow)
