"""The commands by their names: each is imported and built when it is asked for."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from incrowd.cli import next_command
from incrowd.cli.output import Output
from incrowd.requests.kinds import READING, WRITING

NAMES = (
    "init",
    "discover",
    "risk",
    "plan",
    "mask",
    "quantiles",
    "anonymize",
    "frontier",
    "check",
    "compare",
    "attack",
    "report",
    "safe-harbor",
    "ui",
    "warm",
    "keys",
)
"""All commands, as --help lists them; each is a function of the module of its name."""
_FORMER = {"--id": "--world-id"}
"""Options that have another name now; the next version drops the old ones."""


class Commands(TyperGroup):
    """All commands of `incrowd`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _ByName()  # type: ignore[assignment]  # nobody adds one


class _ByName(Mapping[str, Any]):
    """Commands by their names, which are known without loading one."""

    def __getitem__(self, name: str) -> Any:
        if name not in NAMES:
            raise KeyError(name)
        return command_of(name)

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


@cache
def command_of(name: str) -> Any:
    """Load the command of this name with its options: once, also where one process runs many."""
    title = name.replace("-", "_")
    found = getattr(import_module(f"incrowd.cli.{title}"), title)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(name, cls=Command)(found)
        found = alone
    return typer.main.get_command(found)


class Command(TyperCommand):
    """A command whose help shows its options in groups."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the groups of options; writing and reading are last."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        last: dict[str, list[tuple[str, str]]] = {WRITING.title: [], READING.title: []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            title = "Arguments" if parameter.param_type_name == "argument" else WRITING.title
            title = getattr(parameter, "rich_help_panel", None) or title
            (last if title in last else groups).setdefault(title, []).append(record)
        for title, records in (groups | last).items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words of the usage line, without hidden arguments."""
        hidden = [one for one in self.get_params(ctx) if getattr(one, "hidden", False)]
        unseen = {piece for one in hidden for piece in one.get_usage_pieces(ctx)}
        pieces = super().collect_usage_pieces(ctx)
        return [piece.strip("{}") for piece in pieces if piece not in unseen]

    def invoke(self, ctx: Any) -> Any:
        """Run the command; note how it was asked, to say what could come next."""
        mark = next_command.RUN.set(ctx)
        try:
            return super().invoke(ctx)
        finally:
            next_command.RUN.reset(mark)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; former names of options still work, with a note."""
        output = Output(quiet="--quiet" in args)
        for former, now in _FORMER.items():
            named = [text for text in args if text.partition("=")[0] == former]
            if named:
                output.remark(f"note: {former} is now {now}; the next version drops {former}")
            args = [now + text.removeprefix(former) if text in named else text for text in args]
        return super().parse_args(ctx, args)
