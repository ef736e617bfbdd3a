"""Whatever the golden cases call is in the list of signatures: wheels carry what the list has."""

import pytest

from incrowd.kernels import signatures, store


@pytest.fixture(autouse=True)
def listed():
    before = set(store.USED)
    yield
    unlisted = set(store.USED) - before - set(signatures.load_signatures()["all"])
    assert not unlisted, "python tests/record_signatures.py adds them to the list"
