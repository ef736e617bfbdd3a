"""`incrowd frontier` and `anonymize --maximize privacy`: the most privacy for a given loss."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from incrowd import api
from incrowd import search as searches
from incrowd.cli import next_command, sources
from incrowd.cli import request as requests
from incrowd.cli.asks import asks
from incrowd.cli.output import Output, show_progress
from incrowd.documents import json
from incrowd.documents import release as texts
from incrowd.errors import PolicyError
from incrowd.io import reading as readers
from incrowd.requests.frontier import FrontierRequest
from incrowd.requests.kinds import FILE, WRITING, Flags, Parts
from incrowd.requests.policy import PolicyOptions
from incrowd.verbs import frontier as frontiers

if TYPE_CHECKING:
    from incrowd.cli.request import AskedPolicy, PolicyRequest
    from incrowd.io.reading import Reading
    from incrowd.policy.policy import Policy

_LEAST_K = 2
"""The k of every class where no model is given."""


@dataclass(frozen=True)
class MostPrivacy:
    """Options for the most privacy, if `wanted`; `PolicyError` if they clash or one is missing."""

    asked: PolicyOptions
    frontier: bool = False

    def __post_init__(self) -> None:
        asked = self.asked
        if asked.maximize not in {None, "privacy"}:
            raise PolicyError(
                "--maximize takes privacy and nothing else", remedy="write --maximize privacy"
            )
        if asked.privacy not in {None, "k", "l"}:
            raise PolicyError("--privacy takes k or l", remedy="write --privacy k or --privacy l")
        if self.frontier and asked.max_loss is not None:
            raise PolicyError(
                "--frontier shows every loss, and --max-loss names one",
                remedy="leave out one of them",
            )
        if not self.wanted:
            self._refuse_flags_without_maximize()
        elif not self.frontier:
            _refuse_useless_loss(asked.max_loss)
        if self.wanted and asked.method not in {None, "accuracy"}:
            raise PolicyError(
                "the search 'accuracy' finds the most privacy, and --method asks for "
                f"'{asked.method}'",
                remedy="leave out --method",
            )

    @property
    def wanted(self) -> bool:
        """Whether options ask for the most privacy, for one loss or (`frontier`) for all."""
        return self.asked.maximize is not None or self.frontier

    @property
    def policy(self) -> "AskedPolicy":
        """The policy of the options, read anew; if wanted, settings are those of `accuracy`."""
        return requests.AskedPolicy.read(self.asked, "accuracy" if self.wanted else None)

    def _refuse_flags_without_maximize(self) -> None:
        """Refuse options that mean nothing without --maximize."""
        for flag, value in (("--max-loss", self.asked.max_loss), ("--privacy", self.asked.privacy)):
            if value is not None:
                raise PolicyError(
                    f"{flag} needs --maximize privacy",
                    remedy=f"add --maximize privacy, or leave out {flag}",
                )

    def refuse_worlds(self, worlds: Sequence[str]) -> None:
        """Refuse worlds: the most privacy is counted in the table."""
        if self.wanted and worlds:
            raise PolicyError(
                "the most privacy for a loss is counted in the table, not in a world",
                remedy="leave out --world, or --maximize",
            )

    def request(self, policy: "AskedPolicy", names: Sequence[str]) -> "PolicyRequest":
        """Make the policy for a table with these columns; if `wanted`, it seeks most privacy."""
        request = replace(policy, options=self._options_with_floors()).request(names)
        return self._maximize_privacy(request) if self.wanted else request

    def _options_with_floors(self) -> PolicyOptions:
        """The options; if `wanted` and they make the whole policy, with a k and an l that it lacks.

        k is `_LEAST_K` if they are vacuous; l is 1 if none is given and l may be maximized.
        """
        asked = self.asked
        if not self.wanted or not asked.quasi:
            return asked
        k = _LEAST_K if is_vacuous(asked) else asked.k
        weak = asked.l is None and asked.sensitive and asked.privacy != "k"
        return replace(asked, k=k, l=1.0 if weak else asked.l)

    def _maximize_privacy(self, request: "PolicyRequest") -> "PolicyRequest":
        """The request with a search for the most privacy: its own, or `Accuracy()` if that is none.

        What to maximize replaces the search's setting, and so does --max-loss if given. l without
        a sensitive column is refused. `changed` names the search if the policy is from a file.
        """
        policy = request.policy
        kept = policy.search.largest_class_loss is not None
        search: Any = policy.search if kept else searches.Accuracy()
        search = replace(search, privacy=self._what_to_maximize(request))
        if self.asked.max_loss is not None:
            search = replace(search, max_loss=self.asked.max_loss)
        policy = policy.with_settings(search=search)
        changed = (*request.changed, "search") if request.changed or request.filed else ()
        return replace(request, policy=policy, changed=tuple(dict.fromkeys(changed)))

    def _what_to_maximize(self, request: "PolicyRequest") -> str:
        """`k` or `l`: by option, else l if a column is sensitive; refuse l if none is."""
        sensitive = request.policy.sensitive
        if self.asked.privacy == "l" and not sensitive:
            raise PolicyError(
                "--privacy l needs a sensitive column, and there is none",
                remedy="name one with --sensitive, or write --privacy k",
            )
        return self.asked.privacy or ("l" if sensitive else "k")

    def notes(self, request: "PolicyRequest") -> Iterator[str]:
        """Yield what incrowd chose where the options leave it open."""
        if not self.wanted:
            return
        if self.asked.privacy is None:
            yield _meaning_words(request.policy)
        if not request.filed and is_vacuous(self.asked):
            yield f"no model is given: every class holds at least k = {_LEAST_K} people"


def _refuse_useless_loss(max_loss: float | None) -> None:
    """Refuse --maximize without a largest loss, or with one that is no share."""
    if max_loss is None:
        raise PolicyError(
            "--maximize privacy needs --max-loss, the most that a class may lose",
            remedy="add, for example, --max-loss 0.3, or see every loss with incrowd frontier",
        )
    if not 0 <= max_loss <= 1:
        raise PolicyError(
            "--max-loss takes a share from 0 to 1", remedy="write, for example, --max-loss 0.3"
        )


def _meaning_words(policy: "Policy") -> str:
    """Say what is maximized where no option says so: l of the first sensitive column, or k."""
    if not policy.sensitive:
        return "maximizing k, the people of the smallest class, because no column is sensitive"
    column = policy.search.protected_columns(policy.sensitive)[0]
    return f"maximizing l of the sensitive column '{column}'; --privacy k maximizes class sizes"


def is_vacuous(asked: PolicyOptions) -> bool:
    """Whether options ask for no model but l = 1 and t = 1, which hold for every table."""
    return asked.k is None and asked.l in {None, 1} and asked.t in {None, 1}


def refuse_vacuous_models(asked: PolicyOptions, *, floor: bool) -> None:
    """Refuse l below 1 and, unless a least k is set (`floor`), l = 1 or t = 1 alone."""
    if asked.l is not None and asked.l < 1:
        raise PolicyError(
            "l must be at least 1, and above 1 to protect anybody", remedy="ask for 2 or more"
        )
    if not floor and is_vacuous(asked) and (asked.l is not None or asked.t is not None):
        which = "l = 1" if asked.l is not None else "t = 1"
        raise PolicyError(
            f"{which} holds for every table: the release would show people as they are",
            remedy="ask for l of 2 or more, t below 1, or a size with -k",
        )


@asks(FrontierRequest, beside={"missing": ("privacy",)})
def frontier(
    asked: dict[str, Any],
    *,
    policy: Annotated[
        PolicyOptions,
        Parts(
            PolicyOptions,
            without=(
                *("method", "effort", "prefer", "analysis", "maximize", "max_loss"),
                *("split_ends", "class_column", "keep_order"),
            ),
        ),
    ],
    curve: Annotated[
        str | None,
        FILE,
        WRITING,
        Flags("--output", "-o"),
        "Write the curve to a file: .csv, .json; .svg, .png or .html with incrowd[charts].",
    ] = None,
    output: Output,
) -> None:
    """Show how much privacy each loss of information buys.

    For every largest loss of a class it finds the most privacy. It makes no release:
    anonymize --maximize privacy --max-loss does.

    Example: incrowd frontier patients.csv -q age,zip -s diagnosis -o curve.svg
    """
    show_frontier(asked["source"], asked["reading"], MostPrivacy(policy, True), curve, output)


def show_frontier(
    file: str, reading: "Reading", most: MostPrivacy, curve: str | None, output: Output
) -> None:
    """Find the most privacy for every loss, write the curve to a file, and show it."""
    refuse_vacuous_models(most.asked, floor=True)
    if curve is not None:
        frontiers.refuse_unfit_file(curve)
        for path in (file, most.asked.policy):
            sources.refuse_overwriting(path, curve)
    policy = most.policy
    with show_progress(output, "frontier") as bar, ExitStack() as held:
        watch = bar.watch
        table = held.enter_context(
            readers.open_table(file, reading, policy.named_columns, watch=watch)
        )
        request = most.request(policy, table.names)
        output.show_notes((*request.notes(), *most.notes(request)))
        found = api.frontier(table, request.policy, watch=watch, folder=request.folder)
    if curve is not None:
        frontiers.write_frontier(found, curve)
    output.show_result(
        lambda: json.frontier_document(found, curve),
        lambda: texts.frontier_text(found, curve, details=output.details),
        lambda: next_command.command_after_frontier(file, found),
    )
