"""`--world`: a table that somebody may hold, as part of a request."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from incrowd import models as all_models
from incrowd.cli import options
from incrowd.errors import PolicyError

if TYPE_CHECKING:
    from incrowd.cli.request import Request
    from incrowd.policy.policy import Policy


@dataclass(frozen=True)
class Opposed:
    """What the flags say of the world that a release is held against."""

    worlds: tuple[str, ...] = ()
    id: str | None = None
    rename: tuple[str, ...] = ()

    @property
    def there(self) -> bool:
        """Whether there is a world."""
        return bool(self.worlds)

    @property
    def given(self) -> Mapping[str, Any]:
        """As `run` wants them."""
        names = options.renamed(self.rename)
        return {"world": self.worlds, "world_id": self.id, "rename": names}

    def refuse_most_privacy(self, *, asked: bool) -> None:
        """The most privacy for a loss is that of the table alone."""
        if asked and self.there:
            raise PolicyError(
                "the most privacy for a loss is counted in the table, not in a world",
                remedy="leave out --world, or --maximize and --frontier",
            )

    def laid_over(self, request: "Request") -> "Request":
        """With a world -k asks for k of its people; a policy file says itself what it asks for."""
        if not self.there or request.filed:
            return request
        return replace(request, policy=against_world(request.policy))

    def notes(self, request: "Request") -> Iterator[str]:
        """What a flag means that means something else without a world."""
        asked = [model for model in request.policy.models if model.name == "k-map"]
        if self.there and not request.filed and asked:
            yield (
                f"k = {asked[0].threshold:g} is asked of the world (k-map), not of the table "
                "(k-anonymity): a record may be alone in its class"
            )


def against_world(policy: "Policy") -> "Policy":
    """The policy with k-map in the place of k-anonymity."""
    models = tuple(
        all_models.KMap(model.k) if isinstance(model, all_models.KAnonymity) else model
        for model in policy.models
    )
    return policy.model_copy(update={"models": models})
