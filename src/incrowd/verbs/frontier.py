"""The whole curve of privacy against loss, for a frame or a file; nothing is released."""

import csv
import io
from pathlib import Path

from incrowd.documents import charts, json
from incrowd.errors import PolicyError
from incrowd.io import files
from incrowd.io.atomic import replace_at_end
from incrowd.io.files import refuse_missing_folder, write_bytes
from incrowd.io.hierarchies import builders_of
from incrowd.io.reading import AnyPath, enough_memory, open_table
from incrowd.policy.policy import Policy
from incrowd.release.load import RunContext, load
from incrowd.release.release import Release
from incrowd.requests.frontier import FrontierRequest
from incrowd.requests.request import verb
from incrowd.search import Accuracy
from incrowd.search.literature.accuracy.frontier import Frontier
from incrowd.search.literature.accuracy.frontier import frontier as frontier_of
from incrowd.watch import Watch

KINDS = ("csv", "json", "svg", "png", "html")


def kind_of(path: AnyPath) -> str:
    """The kind of a file by its suffix; `PolicyError` if it is none of `KINDS`."""
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise PolicyError(
            f"{str(path)!r} is no file for what the search looked at",
            remedy="end its name in .csv or .json for programs, .svg, .png or .html for people",
        )
    return kind


def refuse_unfit_file(path: AnyPath) -> None:
    """Refuse an unknown kind of file, a missing folder, or a picture without what draws it."""
    if kind_of(path) in {"svg", "png", "html"}:
        charts.refuse_undrawable()
    refuse_missing_folder(path, "what the search looked at")


def write_explored(release: Release, path: AnyPath) -> None:
    """Write the nodes that a search counted; `PolicyError` if the search has no lattice."""
    kind, explored, nodes = kind_of(path), release.explored, release.lattice
    if explored is None or nodes is None:
        raise PolicyError(
            f"the search {release.search!r} goes through no lattice to explore",
            remedy="choose another: lattice, mingen or exhaustive",
        )
    match kind:
        case "csv":
            content = nodes.write_csv().encode()
        case "json":
            content = json.dumps(json.lattice_document(release, nodes.to_dicts())).encode()
        case _:
            chart = charts.lattice_chart(explored, release.policy.loss.name)
            content = charts.render_chart(chart, kind)  # type: ignore[arg-type]
    with replace_at_end(path) as place:
        write_bytes(place, content)


@verb(FrontierRequest)
def frontier(asked: FrontierRequest) -> Frontier:
    """Find the most privacy of a table for every largest loss of a class; nothing is released.

    The table is a frame or the path of a file. The models of the policy are floors. If its search
    is `accuracy`, that is asked with each of the `bounds` in place of its own; otherwise privacy
    means l of the first sensitive column, or k if there is none. The policy's time limit is for the
    whole curve.
    """
    folder = files.folder_of_policy(asked.policy, asked.folder)
    policy = files.policy_of(asked.policy)
    if policy.shown.exact:
        raise PolicyError(
            f'show = "{policy.show}" leaves quasi-identifiers exact, so there is no loss to weigh',
            remedy="leave it out",
        )
    watch = asked.watch or Watch()
    watch.tell("coding the columns", 0.0)
    opened = open_table(asked.source, asked.reading, policy.columns, watch=watch)
    with enough_memory(), opened as there:
        table = load(there.engine, policy, builders_of(policy, folder))
        limited = RunContext(watch=watch).search_watch(policy)
        return frontier_of(table.compiled.problem, _frontier_search(policy), limited, asked.bounds)


def write_frontier(curve: Frontier, path: AnyPath) -> None:
    """Write a curve by the suffix of the path; `PolicyError` if that is none of `KINDS`."""
    document = json.frontier_document(curve)
    match kind_of(path):
        case "csv":
            text = io.StringIO()
            lines = csv.DictWriter(text, list(document["points"][0]), lineterminator="\n")
            lines.writeheader()
            lines.writerows(document["points"])
            content = text.getvalue().encode()
        case "json":
            content = json.dumps(document).encode()
        case kind:
            content = charts.render_chart(charts.frontier_chart(curve), kind)  # type: ignore[arg-type]
    with replace_at_end(path) as place:
        write_bytes(place, content)


def _frontier_search(policy: Policy) -> Accuracy:
    """The policy's search if it is `accuracy`; else one for l, or for k if nothing is sensitive."""
    if isinstance(policy.search, Accuracy):
        return policy.search
    return Accuracy(privacy="l" if policy.sensitive else "k")
