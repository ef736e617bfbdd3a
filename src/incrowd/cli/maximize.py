"""`--maximize privacy` and `--frontier`: the most privacy for a given loss, as a request."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from incrowd import search as searches
from incrowd.errors import PolicyError
from incrowd.policy import codec
from incrowd.policy import policy as policies

if TYPE_CHECKING:
    from incrowd.cli.request import Request
    from incrowd.policy.policy import Policy

_LEAST_K = 2
"""What is asked of every class if no model is: one person is no crowd."""


@dataclass(frozen=True)
class Wish:
    """What the flags say about the most privacy for a given loss; None where they say nothing."""

    maximize: str | None = None
    max_loss: float | None = None
    privacy: str | None = None
    frontier: bool = False

    def __post_init__(self) -> None:
        if self.maximize not in {None, "privacy"}:
            raise PolicyError(
                "only privacy can be made as large as can be", remedy="write --maximize privacy"
            )
        if self.privacy not in {None, "k", "l"}:
            raise PolicyError("privacy is 'k' or 'l'", remedy="write --privacy k or --privacy l")
        if self.frontier and self.max_loss is not None:
            raise PolicyError(
                "--frontier goes through all losses, and --max-loss names one",
                remedy="leave out one of them",
            )
        if not self.there:
            self._refuse_alone()
        elif not self.frontier:
            self._refuse_without_loss()

    @property
    def there(self) -> bool:
        """Whether the most privacy is asked for at all."""
        return self.maximize is not None or self.frontier

    def _refuse_alone(self) -> None:
        for flag, value in (("--max-loss", self.max_loss), ("--privacy", self.privacy)):
            if value is not None:
                raise PolicyError(
                    f"{flag} is for the most privacy within a loss, which is not asked for",
                    remedy="add --maximize privacy, or leave it out",
                )

    def _refuse_without_loss(self) -> None:
        if self.max_loss is None:
            raise PolicyError(
                "--maximize privacy needs the most that a class may lose",
                remedy="add --max-loss 0.3, say, or see the whole curve with --frontier",
            )
        if not 0 <= self.max_loss <= 1:
            raise PolicyError(
                "the largest loss of a class is a share from 0 to 1", remedy="write --max-loss 0.3"
            )

    def refuse_search(self, method: str | None) -> None:
        """Refuse another search beside the one that this is."""
        if self.there and method not in {None, "accuracy"}:
            raise PolicyError(
                f"the most privacy is found by the search 'accuracy', not by '{method}'",
                remedy="leave out --method",
            )

    def floors(self, quick: Mapping[str, Any]) -> dict[str, Any]:
        """The quick flags with the least that must be asked of every class, if nothing is."""
        asked = dict(quick)
        if not self.there or not asked["quasi"]:
            return asked
        if vacuous(quick):
            asked["k"] = _LEAST_K
        if quick["l"] is None and quick["sensitive"] and self.privacy != "k":
            asked["l"] = 1.0
        return asked

    def laid_over(self, request: "Request") -> "Request":
        """The request with the search for the most privacy in place of its own."""
        if not self.there:
            return request
        policy = request.policy
        search = (
            policy.search if isinstance(policy.search, searches.Accuracy) else searches.Accuracy()
        )
        search = replace(search, privacy=self._means(request))
        if self.max_loss is not None:
            search = replace(search, max_loss=self.max_loss)
        values = {name: getattr(policy, name) for name in policies.Policy.model_fields}
        policy = codec.made(lambda: policies.Policy.model_validate({**values, "search": search}))
        changed = (*request.changed, "search") if request.changed or request.filed else ()
        return replace(request, policy=policy, changed=tuple(dict.fromkeys(changed)))

    def _means(self, request: "Request") -> Literal["k", "l"]:
        """What privacy is: what was said, else l where there is a sensitive column."""
        sensitive = request.policy.sensitive
        if self.privacy == "l" and not sensitive:
            raise PolicyError(
                "privacy l looks at a sensitive column, and there is none",
                remedy="name one with --sensitive, or ask for --privacy k",
            )
        if self.privacy is None:
            return "l" if sensitive else "k"
        return "l" if self.privacy == "l" else "k"

    def notes(self, quick: Mapping[str, Any], request: "Request") -> Iterator[str]:
        """What was decided where the flags are silent."""
        if not self.there:
            return
        if self.privacy is None:
            yield _meaning(request.policy)
        if not request.filed and vacuous(quick):
            yield f"no model is asked for: every class holds at least k = {_LEAST_K} people"


def _meaning(policy: "Policy") -> str:
    if not policy.sensitive:
        return "privacy means k, the people of the smallest class, as no column is sensitive"
    column = getattr(policy.search, "column", None) or policy.sensitive[0]
    return f"privacy means l of the sensitive column '{column}'; --privacy k would mean sizes"


def vacuous(quick: Mapping[str, Any]) -> bool:
    """Whether the models of quick flags ask for nothing that a table as it is may lack."""
    k, l, t = (quick[name] for name in ("k", "l", "t"))
    return k is None and (l is None or l == 1) and (t is None or t == 1)


def refuse_nothing(quick: Mapping[str, Any], *, floor: bool) -> None:
    """Refuse models that hold for every table: they would let it leave as it is.

    As a `floor` below which the most privacy does not go, they will do.
    """
    if quick["l"] is not None and quick["l"] < 1:
        raise PolicyError(
            "l must be at least 1, and above 1 to protect: no class holds fewer than one value",
            remedy="ask for 2 or more",
        )
    if not floor and vacuous(quick) and (quick["l"] is not None or quick["t"] is not None):
        which = "l = 1" if quick["l"] is not None else "t = 1"
        raise PolicyError(
            f"{which} holds for every table: people would be shown as they are",
            remedy="ask for l of 2 or more, t below 1, or a size with -k",
        )
