"""Policy: what the user asks for, and how it is written, drafted and compiled."""

from incrowd.policy.draft import Draft, Sketch, to_toml
from incrowd.policy.policy import Column, Policy, absent, require_declared, undeclared
from incrowd.policy.presets import PRESETS, Preset
from incrowd.policy.quick import left_out

__all__ = [
    "PRESETS",
    "Column",
    "Draft",
    "Policy",
    "Preset",
    "Sketch",
    "absent",
    "left_out",
    "require_declared",
    "to_toml",
    "undeclared",
]
