"""`incrowd discover`: which columns tell people apart."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any

from incrowd import api
from incrowd.cli import next_command, options
from incrowd.cli.asks import asks
from incrowd.cli.interrupt import Stoppable
from incrowd.cli.output import Output, show_progress
from incrowd.documents import identify as texts
from incrowd.documents import json
from incrowd.errors import INTERRUPTED, PolicyError
from incrowd.requests import shared
from incrowd.requests.discover import DiscoverRequest, GroupsRequest, JudgeSetsRequest
from incrowd.requests.request import options_of

_OF_GROUPS = {option.name: option for option in options_of(GroupsRequest)}
_OF_SETS = {option.name: option for option in options_of(JudgeSetsRequest)}
_WITH_GROUPS = ("columns", "max_size", "time_limit", "policy")
"""Options of a search that groups take, too."""
_WITH_SETS = ("population", "domains", "alpha", "source", "policy")
"""Options of a search that named sets take, too."""


@asks(DiscoverRequest, beside={"max_size": ("k", "world_id"), "drop_duplicates": ("sets",)})
def discover(  # noqa: PLR0913  the table, and what else can be asked of it
    asked: dict[str, Any],
    *,
    data: shared.Source = None,
    k: Annotated[int | None, options.typer_option(_OF_GROUPS["k"])] = None,
    world_id: Annotated[str | None, options.typer_option(_OF_GROUPS["world_id"])] = None,
    sets: Annotated[list[str] | None, options.typer_option(_OF_SETS["sets"])] = None,
    output: Output,
) -> None:
    """Find the columns that, alone or together, tell people apart.

    Ctrl-C stops the search and shows what it found so far. With --set it judges columns that you
    name.

    Example: incrowd discover patients.csv --ratio 0.9 --max-size 3
    """
    asked["columns"] = asked["columns"] or None
    if sets is not None:
        why = "--set names the columns to judge"
        if k is not None:
            raise _flag_error(why, "k")
        _refuse_unused_options(asked, (*_WITH_SETS, "time_limit"), why)
        _judge_sets(data, sets, asked, output)
        return
    if data is None:
        raise PolicyError(
            "discover needs a table",
            remedy="name a FILE; without one, judge columns with --set, --domain and --population",
        )
    if k is None and world_id is not None:
        raise PolicyError(
            "--world-id counts the people of groups, and needs -k",
            remedy="add the size of a small group, for example -k 5",
        )
    found: Any
    show: tuple[Callable[[Any], Any], str]  # with --json the module of texts is never loaded
    with show_progress(output, "discover") as bar, Stoppable(output, bar.tell) as watch:
        if k is None:
            show = json.discovery_document, "discovery_text"
            found = api.discover(data, **asked, watch=watch)
        else:
            _refuse_unused_options(asked, _WITH_GROUPS, "-k counts the people of groups")
            show = json.groups_document, "groups_text"
            of_groups = {name: asked[name] for name in (*_WITH_GROUPS, "reading")}
            found = api.groups(data, k, world_id=world_id, **of_groups, watch=watch)
    output.show_notes(found.notes)
    output.show_result(
        lambda: show[0](found),
        lambda: getattr(texts, show[1])(found, details=output.details),
        lambda: next_command.command_after_discover(data, found),
    )
    if watch.interrupted:
        output.remark("interrupted: this is what the search knew by then")
        raise SystemExit(INTERRUPTED)


def _judge_sets(
    file: str | None, sets: Sequence[str], asked: Mapping[str, Any], output: Output
) -> None:
    """Judge named sets of columns, and show the verdicts."""
    of_sets = {name: asked[name] for name in (*_WITH_SETS, "reading")}
    named = [options.read_columns([text]) for text in sets]
    with show_progress(output, "discover"):
        found = api.judge_sets(named, file, **of_sets)
    output.show_notes(found.notes)
    output.show_result(
        lambda: json.judged_document(found),
        lambda: texts.judged_text(found, details=output.details),
        lambda: None if file is None else next_command.command_after_discover(file, found),
    )


def _refuse_unused_options(asked: Mapping[str, Any], taken: Iterable[str], why: str) -> None:
    """Refuse options that are given and not among `taken`; `why` says what takes no others."""
    for option in options_of(DiscoverRequest):
        usual: tuple[Any, ...] = (option.default, None, (), {})
        if option.name not in taken and asked.get(option.name) not in usual:
            raise _flag_error(why, option.long_name.partition("/")[0])


def _flag_error(why: str, flag: str) -> PolicyError:
    """The error for the option `flag` beside another one, which `why` names."""
    return PolicyError(f"{why} and takes no --{flag}", remedy="leave out one of them")
