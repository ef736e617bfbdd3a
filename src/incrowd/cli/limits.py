"""What the system must allow before a command begins."""

from collections.abc import Sequence

from incrowd.errors import LimitError

LEAST = 2 * 10**9
"""Bytes of address space below which libraries end the process on their own while they load."""


def refuse_cramped(arguments: Sequence[str]) -> None:
    """Refuse to begin where less may be used than libraries need to load; help needs none.

    Python could not tell it afterwards: they end the process with codes of their own.
    """
    if {"-h", "--help", "--version"} & {*arguments} or not arguments:
        return
    allowed = _address_space()
    if allowed is not None and allowed < LEAST:
        raise LimitError(
            f"this process may use {allowed / 10**6:,.0f} MB of address space, and incrowd needs "
            f"at least {LEAST / 10**6:,.0f} MB to begin",
            remedy="raise the limit (ulimit -v unlimited)",
        )


def _address_space() -> int | None:
    """Bytes that the process may use; None if nothing limits them or nobody can tell."""
    try:
        import resource  # noqa: PLC0415  not there on all systems
    except ImportError:
        return None
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if soft == resource.RLIM_INFINITY else soft
