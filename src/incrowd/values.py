"""How settings are written: frozen, checked when made, silent about what they were given."""

from pydantic import ConfigDict

STRICT = ConfigDict(
    extra="forbid", hide_input_in_errors=True, allow_inf_nan=False, defer_build=True
)
"""The configuration of every setting of incrowd; how it is checked is worked out at first use."""
