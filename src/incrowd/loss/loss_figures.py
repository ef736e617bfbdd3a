"""The losses that every report shows."""

from incrowd.loss.class_sizes import AverageClass, Discernibility
from incrowd.loss.entropy import Entropy
from incrowd.loss.extent import Il1, IlInf
from incrowd.loss.granularity import Granularity, Precision
from incrowd.loss.loss import Loss
from incrowd.loss.ncp import Gcp
from incrowd.recoding import Outcome

_SHOWN: tuple[Loss, ...] = (
    Gcp(),
    Granularity(),
    Precision(),
    Discernibility(),
    AverageClass(),
    Il1(),
    IlInf(),
    Entropy(),
)


def figures(outcome: Outcome, asked: Loss | None = None) -> dict[str, float]:
    """The figures (see `Loss.figure`) of the losses that reports show and of `asked`, by name.

    If the outcome has no rows, it has none of those that every report shows and that need rows.
    """
    losses = [loss for loss in _SHOWN if outcome.tally is not None or not loss.needs_rows]
    if asked is not None and asked.name not in {loss.name for loss in losses}:
        losses.append(asked)
    return {loss.name: loss.figure(loss.of(outcome)) for loss in losses}
