"""Whether a release is close to its original: by stated limits, the worst finding first."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from incrowd.errors import count_of, whole_percent
from incrowd.utility.comparison import ModelTest, Regression, ReleaseUtility

Closeness = Literal["close", "between", "far"]

NEAR, FAR = 0.05, 0.20
"""Shares of the records that would have to move: up to the first a column, a two-way table or the
answer to a query is close; above the second it is far off."""
OVERLAP, LITTLE_OVERLAP = 0.8, 0.5
"""How far intervals of a coefficient overlap: close from the first on, far below the second."""
LEARNED, LITTLE_LEARNED = 0.9, 0.5
"""How much of what a model gains over guessing is left if it learns from the release: likewise."""
LIMITS = (
    f"Close means: no column, no mean of two-way counts and no median query is off by more than "
    f"{whole_percent(NEAR)}, intervals of coefficients overlap by {OVERLAP:g} or more, and models "
    f"keep {whole_percent(LEARNED)} of what they gain over guessing. Far means: more than "
    f"{whole_percent(FAR)}, less than {LITTLE_OVERLAP:g}, less than "
    f"{whole_percent(LITTLE_LEARNED)}."
)
"""The limits in words."""


@dataclass(frozen=True, order=True)
class ClosenessFinding:
    """One way in which a release differs from its original."""

    severity: float
    """How far it is from close: 0 is close, from 1 on it is far."""
    says: str


@dataclass(frozen=True)
class ClosenessVerdict:
    """Whether a release is close to its original, and what speaks against it, worst first."""

    closeness: Closeness
    findings: tuple[ClosenessFinding, ...]


def closeness_of(release: ReleaseUtility) -> ClosenessVerdict:
    """Judge how close a release is to its original: as close as its worst figure."""
    findings = sorted(_findings(release), key=lambda one: -one.severity)
    worst = findings[0].severity if findings else 0.0
    closeness: Closeness = "close" if worst <= 0 else "between" if worst < 1 else "far"
    return ClosenessVerdict(closeness, tuple(one for one in findings if one.severity > 0))


def _findings(release: ReleaseUtility) -> Iterator[ClosenessFinding]:
    """Yield a finding for each figure of a release, close ones too."""
    worst = release.worst
    if worst is not None and worst.total_variation is not None:
        off = worst.total_variation
        far = sum((column.total_variation or 0.0) > FAR for column in release.columns)
        others = f", and {count_of(far - 1, 'more column')} above {whole_percent(FAR)}"
        more = others if far > 1 else ""
        yield ClosenessFinding(
            _severity(off, NEAR, FAR), f"{worst.name} is off by {whole_percent(off)}{more}"
        )
    if release.two_way is not None:
        says = f"two-way counts are off by {whole_percent(release.two_way)} on average"
        yield ClosenessFinding(_severity(release.two_way, NEAR, FAR), says)
    if release.queries is not None:
        error = release.queries.median_error
        yield ClosenessFinding(
            _severity(error, NEAR, FAR),
            f"half of the queries are off by {whole_percent(error)} or more",
        )
    if release.regression is not None:
        yield from _coefficient_finding(release.regression)
    for test in release.models:
        yield from _learning_finding(test)


def _coefficient_finding(found: Regression) -> Iterator[ClosenessFinding]:
    """Yield the finding on the coefficient that overlaps least; by 0 if the release lacks it."""
    overlaps = [max(one.overlap or 0.0, 0.0) for one in found.coefficients]
    if not overlaps:
        return
    least, far = min(overlaps), sum(overlap < LITTLE_OVERLAP for overlap in overlaps)
    many = count_of(len(overlaps), "coefficient")
    says = f"the 95 % intervals of a coefficient overlap by {least:.2f}"
    if far > 1:
        says = f"{far:,} of {many} are far off: intervals overlap by {least:.2f} at the least"
    yield ClosenessFinding(_severity(1 - least, 1 - OVERLAP, 1 - LITTLE_OVERLAP), says)


def _learning_finding(test: ModelTest) -> Iterator[ClosenessFinding]:
    """Yield the finding on how much of the original's gain over guessing a model keeps, if any."""
    gain = test.original - test.baseline
    if gain <= 0:
        return
    kept = max((test.release - test.baseline) / gain, 0.0)
    says = (
        f"a model of {test.target} keeps {whole_percent(min(kept, 1.0))} of what it gains over "
        "guessing"
    )
    yield ClosenessFinding(_severity(1 - kept, 1 - LEARNED, 1 - LITTLE_LEARNED), says)


def _severity(value: float, near: float, far: float) -> float:
    """How far a value is above `near`, in steps from there to `far`; at most 0 up to `near`.

    >>> _severity(0.25, 0.25, 0.5), _severity(0.5, 0.25, 0.5), _severity(0.75, 0.25, 0.5)
    (0.0, 1.0, 2.0)
    """
    return (value - near) / (far - near)
