"""How long each stage of a release took."""

from dataclasses import dataclass, field

from incrowd.watch import Watch

STAGES = ("read", "search", "release", "verify", "write")
"""What `Release.seconds` tells the time of."""


@dataclass
class Laps:
    """Seconds per stage, measured from one end of a stage to the next."""

    watch: Watch = field(default_factory=Watch)
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))
    before: float = 0.0

    def end(self, stage: str) -> None:
        """The time since the end of the stage before belongs to this one."""
        now = self.watch.elapsed
        self.seconds[stage] += now - self.before
        self.before = now
