"""`incrowd frontier` and `anonymize --maximize privacy`: the most privacy for a given loss."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from incrowd import api
from incrowd import search as searches
from incrowd import watch as watching
from incrowd.cli import next_command, options, search_settings, sources
from incrowd.cli.flags import AS_FOUND, ReadingFlags, reads, takes
from incrowd.cli.output import Output, waiting
from incrowd.cli.policy_flags import ASKED, COLUMNS, AskedFlags, ColumnFlags, policy_flags
from incrowd.documents import json
from incrowd.documents import release as texts
from incrowd.errors import PolicyError
from incrowd.io import files
from incrowd.io import reading as readers
from incrowd.policy import codec
from incrowd.policy import policy as policies
from incrowd.verbs import frontier as explored
from incrowd.verbs import frontier as frontiers

if TYPE_CHECKING:
    from incrowd.cli.request import PolicyFlags, PolicyRequest
    from incrowd.io.reading import Reading
    from incrowd.policy.policy import Policy

_LEAST_K = 2
"""The k of every class where no model is given."""


@dataclass(frozen=True)
class MaximizeOptions:
    """The most privacy for one loss (`--maximize`), or for every loss (`frontier`)."""

    maximize: str | None = None
    max_loss: float | None = None
    privacy: str | None = None
    frontier: bool = False

    def __post_init__(self) -> None:
        if self.maximize not in {None, "privacy"}:
            raise PolicyError(
                "--maximize takes privacy and nothing else", remedy="write --maximize privacy"
            )
        if self.privacy not in {None, "k", "l"}:
            raise PolicyError("--privacy takes k or l", remedy="write --privacy k or --privacy l")
        if self.frontier and self.max_loss is not None:
            raise PolicyError(
                "--frontier shows every loss, and --max-loss names one",
                remedy="leave out one of them",
            )
        if not self.given:
            self._refuse_alone()
        elif not self.frontier:
            self._refuse_without_loss()

    @property
    def given(self) -> bool:
        """Whether the most privacy is to be found."""
        return self.maximize is not None or self.frontier

    @property
    def search(self) -> str | None:
        """The search that settings are for if no option names one: the one for most privacy."""
        return "accuracy" if self.given else None

    def _refuse_alone(self) -> None:
        for flag, value in (("--max-loss", self.max_loss), ("--privacy", self.privacy)):
            if value is not None:
                raise PolicyError(
                    f"{flag} needs --maximize privacy",
                    remedy=f"add --maximize privacy, or leave out {flag}",
                )

    def _refuse_without_loss(self) -> None:
        if self.max_loss is None:
            raise PolicyError(
                "--maximize privacy needs --max-loss, the most that a class may lose",
                remedy="add, for example, --max-loss 0.3, or see every loss with incrowd frontier",
            )
        if not 0 <= self.max_loss <= 1:
            raise PolicyError(
                "--max-loss takes a share from 0 to 1", remedy="write, for example, --max-loss 0.3"
            )

    def refuse_search(self, method: str | None) -> None:
        """Refuse another search than `accuracy`, which finds the most privacy."""
        if self.given and method not in {None, "accuracy"}:
            raise PolicyError(
                f"the search 'accuracy' finds the most privacy, and --method asks for '{method}'",
                remedy="leave out --method",
            )

    def floors(self, quick: Mapping[str, Any]) -> dict[str, Any]:
        """The options with the least that every class must meet, where they give no model."""
        asked = dict(quick)
        if not self.given or not asked["quasi"]:
            return asked
        if vacuous(quick):
            asked["k"] = _LEAST_K
        if quick["l"] is None and quick["sensitive"] and self.privacy != "k":
            asked["l"] = 1.0
        return asked

    def refuse_worlds(self, worlds: Sequence[str]) -> None:
        """Refuse worlds: the most privacy is counted in the table."""
        if self.given and worlds:
            raise PolicyError(
                "the most privacy for a loss is counted in the table, not in a world",
                remedy="leave out --world, or --maximize",
            )

    def laid_over(self, request: "PolicyRequest") -> "PolicyRequest":
        """The request with the search for the most privacy in place of its own."""
        if not self.given:
            return request
        policy = request.policy
        kept = policy.search.largest_class_loss is not None
        search: Any = policy.search if kept else searches.Accuracy()
        search = replace(search, privacy=self._means(request))
        if self.max_loss is not None:
            search = replace(search, max_loss=self.max_loss)
        values = {name: getattr(policy, name) for name in policies.Policy.model_fields}
        policy = codec.make_value(
            lambda: policies.Policy.model_validate({**values, "search": search})
        )
        changed = (*request.changed, "search") if request.changed or request.filed else ()
        return replace(request, policy=policy, changed=tuple(dict.fromkeys(changed)))

    def _means(self, request: "PolicyRequest") -> Literal["k", "l"]:
        """What to maximize: what the option says, else l if a column is sensitive."""
        sensitive = request.policy.sensitive
        if self.privacy == "l" and not sensitive:
            raise PolicyError(
                "--privacy l needs a sensitive column, and there is none",
                remedy="name one with --sensitive, or write --privacy k",
            )
        if self.privacy is None:
            return "l" if sensitive else "k"
        return "l" if self.privacy == "l" else "k"

    def notes(self, quick: Mapping[str, Any], request: "PolicyRequest") -> Iterator[str]:
        """What incrowd chose where the options leave it open."""
        if not self.given:
            return
        if self.privacy is None:
            yield _meaning(request.policy)
        if not request.filed and vacuous(quick):
            yield f"no model is given: every class holds at least k = {_LEAST_K} people"


def _meaning(policy: "Policy") -> str:
    if not policy.sensitive:
        return "maximizing k, the people of the smallest class, because no column is sensitive"
    column = policy.search.protects(policy.sensitive)[0]
    return f"maximizing l of the sensitive column '{column}'; --privacy k maximizes class sizes"


def vacuous(quick: Mapping[str, Any]) -> bool:
    """Whether the models of options hold for every table."""
    k, l, t = (quick[name] for name in ("k", "l", "t"))
    return k is None and (l is None or l == 1) and (t is None or t == 1)


def refuse_nothing(quick: Mapping[str, Any], *, floor: bool) -> None:
    """Refuse models that hold for every table: it would be released as it is.

    As a `floor` for the most privacy they are fine.
    """
    if quick["l"] is not None and quick["l"] < 1:
        raise PolicyError(
            "l must be at least 1, and above 1 to protect anybody",
            remedy="ask for 2 or more",
        )
    if not floor and vacuous(quick) and (quick["l"] is not None or quick["t"] is not None):
        which = "l = 1" if quick["l"] is not None else "t = 1"
        raise PolicyError(
            f"{which} holds for every table: the release would show people as they are",
            remedy="ask for l of 2 or more, t below 1, or a size with -k",
        )


@reads()
@takes("asked", AskedFlags)
@takes("columns", ColumnFlags)
def frontier(  # noqa: PLR0913  one parameter per option
    file: options.TableFile,
    *,
    output: Annotated[
        str | None,
        options.output(
            "Write the curve to a file: .csv, .json; .svg, .png or .html with incrowd[charts]."
        ),
    ] = None,
    asked: AskedFlags = ASKED,
    privacy: options.Privacy = None,
    mapping: options.Mapping = None,
    setting: options.Settings = None,
    loss: options.Loss = None,
    time_limit: options.TimeLimit = None,
    columns: ColumnFlags = COLUMNS,
    reading: ReadingFlags = AS_FOUND,
    details: options.Details = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Show how much privacy each loss of information buys.

    For every largest loss of a class it finds the most privacy. It makes no release:
    anonymize --maximize privacy --max-loss does.

    Example: incrowd frontier patients.csv -q age,zip -s diagnosis -o curve.svg
    """
    maximize = MaximizeOptions(privacy=privacy, frontier=True)
    search = search_settings.SearchFlags(
        mapping=mapping, settings=setting, otherwise=maximize.search
    )
    settings = {"loss": loss, "time_limit": time_limit}
    flags = policy_flags(asked, columns, search, settings)
    wanted = sources.reading(reading)
    show_frontier(
        file,
        output,
        flags,
        maximize,
        wanted,
        Output(as_json=as_json, quiet=quiet, details=details),
    )


def show_frontier(  # noqa: PLR0913, PLR0917  files, the request, and how to read and answer
    file: str,
    curve: str | None,
    flags: "PolicyFlags",
    maximize: MaximizeOptions,
    reading: "Reading",
    output: Output,
) -> None:
    """Find the most privacy for every loss, write the curve to a file, and show it."""
    refuse_nothing(flags.quick, floor=True)
    if curve is not None:
        _refuse_curve(curve, [file, flags.policy])
    with waiting(output, "frontier") as bar, ExitStack() as held:
        watch = watching.Watch(tell=bar.tell, note=output.notes)
        table = held.enter_context(readers.opened(file, reading, flags.named, watch=watch))
        floors = replace(flags, quick=maximize.floors(flags.quick))
        request = maximize.laid_over(floors.request(table.names))
        output.notes((*request.notes(), *maximize.notes(flags.quick, request)))
        found = api.frontier(table, request.policy, watch=watch, folder=request.folder)
    if curve is not None:
        frontiers.write_frontier(found, curve)
    output.result(
        lambda: json.frontier_document(found, curve),
        lambda: texts.frontier_text(found, curve, details=output.details),
        lambda: next_command.after_frontier(file, found),
    )


def _refuse_curve(curve: str, read: Sequence[str | None]) -> None:
    """Refuse a curve that cannot be drawn, or would overwrite what is read."""
    explored.refuse_unexplorable(curve)
    for path in filter(None, read):
        if files.same_file(path, curve):
            raise PolicyError(
                f"{path!r} is read and would be overwritten", remedy="name another file"
            )
