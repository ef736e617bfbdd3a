"""Columns that leave as they are: whom they single out, as `verify.alone` counts and says it."""

from collections.abc import Callable, Collection, Iterable, Iterator

from incrowd.engines.base import Engine
from incrowd.errors import NotMetError
from incrowd.policy.policy import Policy
from incrowd.release.certificate import Certificate
from incrowd.table.column import Missing
from incrowd.table.counted import CountedRows
from incrowd.verify.alone import Alone, AloneLimit, measure_alone
from incrowd.verify.verify import SeenRelease, see_release
from incrowd.withholding import round_up_share

Blocks = Callable[[], Iterable[CountedRows]]
"""Returns distinct rows of quasi-identifiers and kept columns in blocks, anew for each pass."""


def kept_columns(policy: Policy) -> tuple[str, ...]:
    """Kept columns and the weight; none if exact quasi-identifiers find every row without them."""
    return () if policy.shown.exact else policy.kept_or_weight


def measure_alone_by_policy(
    blocks: Blocks, policy: Policy, uncounted: Collection[str] = ()
) -> Alone | None:
    """Count whom kept columns single out (`uncounted` ones: everybody); None if none is kept."""
    kept = kept_columns(policy)
    if not kept:
        return None
    unseen = tuple(name for name in kept if name in uncounted)

    def seen_blocks() -> Iterator[SeenRelease]:
        return (see_release(rows, policy) for rows in blocks() if len(rows.records))

    return measure_alone(seen_blocks, kept, _alone_limit(policy), unseen)


def _alone_limit(policy: Policy) -> AloneLimit:
    """The share of people who may be alone, and the columns by which the policy accepts it."""
    accepted = (name for name, column in policy.columns.items() if column.alone == "accept")
    return AloneLimit(policy.max_alone, frozenset(accepted))


def demand_few_alone(alone: Alone | None) -> None:
    """Raise `NotMetError` if kept columns single out more people than the policy allows."""
    if alone is not None and not alone.ok:
        raise _too_many_alone_error(alone)


def refuse_telling_values(engine: Engine, policy: Policy) -> None:
    """Raise `NotMetError` if kept columns by themselves single out too many, before any search.

    What a release shows of quasi-identifiers can only single out more. Records that may be left out
    are taken to be those who are alone. Columns that the policy accepts, lists and structures are
    not looked at. Nothing is refused if people have several records, if records with a missing
    value are left out, or if classes may hold one person: then who is alone in the table need not
    be alone in the release.
    """
    limit = _alone_limit(policy)
    known = tuple(
        name
        for name in kept_columns(policy)
        if name not in limit.accepted and name not in engine.sealed
    )
    crowded = policy.smallest_class > 1
    foreseen = crowded and policy.unit is None and policy.missing is not Missing.SUPPRESS
    if not known or not engine.records or not foreseen:
        return
    most = limit.share + policy.suppression
    shares = {name: _share_alone(engine, (name,)) for name in known}
    telling = tuple(name for name in known if shares[name] > most) or known
    together = _share_alone(engine, telling)
    if together > most:
        told = {name: shares[name] for name in telling}
        raise _too_many_alone_error(Alone(told, together, together, limit.share, (), telling))


def _share_alone(engine: Engine, known: tuple[str, ...]) -> float:
    """The share of the table's records that are alone by these columns, rounded up."""
    sizes, classes = engine.class_sizes(known)
    return round_up_share(int(classes[sizes == 1].sum()), engine.records)


def read_certified_alone(certificate: Certificate, policy: Policy) -> Alone | None:
    """A certificate's shares of people alone, with the policy's limit; None if it has none."""
    said = certificate.alone
    if said is None:
        return None
    accepted = tuple(n for n in said.columns if n in _alone_limit(policy).accepted)
    return Alone(said.columns, said.together, said.unaccepted, policy.max_alone, accepted)


def _too_many_alone_error(alone: Alone) -> NotMetError:
    """The error for a release by which too many are alone: it names the columns to blame."""
    blamed, named = alone.excess, ", ".join(f"'{name}'" for name in alone.excess)
    rest = len(alone.unaccepted_columns) - len(blamed)
    return NotMetError(
        f"{alone.refusal}; nothing was released",
        remedy=f'give {named} role = "drop" or "quasi", or round the values first'
        f"{', and the others may stay' if rest else ''}; if nobody can know them, say so with "
        f'alone = "accept" in the policy, or --accept-alone {",".join(blamed)}',
    )
