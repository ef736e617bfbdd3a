"""Time limits count the work, not the compiling before it."""

import numpy as np
import pytest

from incrowd import watch as watching
from incrowd.kernels import compile as compiling
from incrowd.watch import PAUSE, NestedWatch, SilentWatch, Watch


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

    with compiling.report_compilations(tell):
        kernel(np.arange(3))
    assert seen
    clock.now += 1
    assert watch.elapsed == pytest.approx(1)


def test_a_usual_limit_ends_improvement_and_not_the_search(clock):
    watch = Watch(limit=10, answer_first=True)
    assert not watch.is_over(answered=True)
    clock.now += 10
    assert watch.expired
    assert not watch.must_stop
    assert watch.is_over(answered=True)
    assert not watch.is_over(answered=False)


@pytest.mark.parametrize("outer_first", [True, False])
@pytest.mark.parametrize("inner_first", [True, False])
def test_within_another_watch_a_search_must_stop_if_one_of_both_says_so(
    clock, outer_first, inner_first
):
    outer = Watch(limit=10, answer_first=outer_first)
    inner = NestedWatch(outer, 5, answer_first=inner_first)
    clock.now += 5
    assert inner.expired
    assert inner.must_stop is not inner_first
    clock.now += 5
    assert inner.must_stop is not (inner_first and outer_first)


def test_an_alarm_is_set_once_the_time_is_up(clock):
    watch = Watch(limit=10)
    with watch.alarm() as flag:
        assert not flag[0]
        clock.now += 10
        while not flag[0]:
            pass
    with Watch().alarm() as flag:
        clock.now += 1e9
        assert not flag[0]


def test_silent_watches_tell_nothing_and_remember_what_was_done():
    told = []
    watch = Watch(tell=lambda what, _: told.append(what))
    watch.tell("this", 0.5)
    SilentWatch(watch, 1).tell("that", 0.5)
    assert told == ["this"]
    assert watch.doing == "this"
