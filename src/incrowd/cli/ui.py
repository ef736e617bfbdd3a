"""`incrowd ui`: the page, from a table to a signed release."""

import sys
from typing import Annotated, Any

import typer

from incrowd.cli.output import write
from incrowd.lazy import module

_SERVER: Any = module("incrowd.web.server")
"""Found by its name: the page stands on the commands, and no command on the page but this one."""


def ui(
    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", help="The table to open; without it you choose one."),
    ] = None,
    *,
    demo: Annotated[
        bool, typer.Option("--demo", help="Open a made-up hospital to try things on.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(
            "--port", metavar="N", min=1, max=65_535, help="The port; any free one if not given."
        ),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address and open no browser.")
    ] = False,
    folder: Annotated[
        str | None,
        typer.Option(
            "--folder",
            metavar="DIR",
            help="The folder that files are chosen in; by default that of FILE, or this one.",
        ),
    ] = None,
) -> None:
    """Open a local page that goes from a table to a release.

    Only this machine can reach it, with the address that is printed. Press Ctrl-C to end it.

    Example: incrowd ui --demo
    """
    options = _SERVER.UiOptions(
        file=file, demo=demo, port=port, browser=not no_browser, folder=folder
    )
    _SERVER.serve(options, lambda text: write(sys.stdout, f"{text}\n"))
