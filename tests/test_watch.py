"""Time limits count the work, not the compiling before it."""

import numpy as np
import pytest

from incrowd import watch as watching
from incrowd.kernels import compile as compiling
from incrowd.watch import PAUSE, Watch


class Clock:
    """A clock that goes on by hand, or by so many seconds each time that somebody looks at it."""

    def __init__(self, step=0.0):
        self.now, self.step = 100.0, step

    def monotonic(self):
        self.now += self.step
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(watching, "time", made)
    return made


def test_a_pause_does_not_count(clock):
    watch = Watch(limit=10)
    with PAUSE:
        clock.now += 15
        assert not watch.expired
        with PAUSE:
            clock.now += 15
            assert not watch.expired
    assert watch.elapsed == 0
    clock.now += 9
    assert not watch.expired
    clock.now += 1
    assert watch.expired


def test_compiling_does_not_count(monkeypatch, clock):
    monkeypatch.setattr(compiling, "CACHE", None)
    kernel = compiling.jit(lambda values: values.sum() + values.max())
    watch, seen = Watch(), []

    def tell(number):
        clock.now += 60
        seen.append(number)

    with compiling.when_compiling(tell):
        kernel(np.arange(3))
    assert seen
    clock.now += 1
    assert watch.elapsed == pytest.approx(1)
