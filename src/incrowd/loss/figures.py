"""All losses of one outcome, as a report shows them."""

from incrowd.loss.average_class import AverageClass
from incrowd.loss.classification import Classification
from incrowd.loss.discernibility import Discernibility
from incrowd.loss.entropy import Entropy
from incrowd.loss.extent import Il1, IlInf
from incrowd.loss.granularity import Granularity
from incrowd.loss.loss import Loss
from incrowd.loss.ncp import Gcp
from incrowd.loss.precision import Precision
from incrowd.recoding import Outcome


def figures(
    outcome: Outcome, target: str | None = None, asked: Loss | None = None
) -> dict[str, float]:
    """Every loss by name; classification only with a target, entropy only with the rows at hand.

    The loss `asked` for is among them, whatever it is.
    """
    losses: list[Loss] = [
        Gcp(),
        Granularity(),
        Precision(),
        Discernibility(),
        AverageClass(),
        Il1(),
        IlInf(),
    ]
    if outcome.tally is not None:
        losses.append(Entropy())
    if target is not None:
        losses.append(Classification(target))
    if asked is not None and asked.name not in {loss.name for loss in losses}:
        losses.append(asked)
    return {loss.name: loss.figure(loss.of(outcome)) for loss in losses}
