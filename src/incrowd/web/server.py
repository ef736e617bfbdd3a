"""The server of the page: NiceGUI on this machine alone, behind the guard."""

import asyncio
import logging
import os
import secrets
import signal
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from incrowd.errors import InputError
from incrowd.web import jobs, same_as, uploads
from incrowd.web.events import Done
from incrowd.web.guard import Guard
from incrowd.web.session import PageSession

HOST = "127.0.0.1"
_MESSAGE_BYTES = 2**22
_RECONNECT = 30.0
"""Seconds for which a tab can come back to where it was."""
_LEFT = 2
"""Looks in a row that see no tab."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long work goes on although no tab is open."""

    alone: float = 2.0
    """Seconds between two looks whether a tab is open."""
    connecting: float = 20.0
    """Seconds that a page may take until it is connected, on a busy machine."""


@dataclass(frozen=True, kw_only=True)
class UiOptions:
    """How to open the page."""

    file: str | None = None
    demo: bool = False
    port: int | None = None
    """None: any free one."""
    browser: bool = True
    folder: str | None = None
    """Where files are chosen; None: the folder of the file, or the current one."""
    patience: Patience = Patience()

    @property
    def chosen_folder(self) -> Path:
        """The folder that files are chosen in."""
        if self.folder is not None:
            return Path(self.folder)
        return Path() if self.file is None else Path(self.file).parent


def serve(options: UiOptions, say: Callable[[str], None]) -> None:
    """Show the page until somebody ends it; `say` is called once, with the address.

    `InputError` if NiceGUI, the file or the folder is missing, or the port is not free.
    """
    refuse_without_nicegui()
    if options.file is not None and not Path(options.file).is_file():
        raise InputError(
            f"the file {options.file!r} does not exist", remedy="name a file, or none to choose one"
        )
    if not options.chosen_folder.is_dir():
        raise InputError(
            f"the folder {str(options.chosen_folder)!r} does not exist", remedy="name another one"
        )
    session = PageSession(options.chosen_folder)
    if options.file is not None:
        session.open(options.file)
    try:
        with closing_socket(options.port) as (bound, port):
            token = secrets.token_urlsafe(32)
            address = f"http://{HOST}:{port}/?token={token}"
            inner = build_application(session, demo=options.demo, patience=options.patience)
            guard = Guard(inner, port, token)
            run(guard, bound, lambda: _open_browser(address, session, options, say))
    finally:
        session.close()


def refuse_without_nicegui() -> None:
    """Raise `InputError` if NiceGUI or its server is not installed."""
    if find_spec("nicegui") is None or find_spec("uvicorn") is None:
        raise InputError(
            "the page needs NiceGUI, which is not installed", remedy="pip install 'incrowd[web]'"
        )


@contextmanager
def closing_socket(port: int | None) -> Iterator[tuple[socket.socket, int]]:
    """Yield a socket of this machine alone and its port (None: any); `InputError` if taken."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as bound:
        try:
            bound.bind((HOST, port or 0))
            taken = False
        except OSError:
            taken = True
        if taken:
            raise InputError(
                f"port {port} is not free", remedy="choose another --port, or leave it out"
            )
        yield bound, bound.getsockname()[1]


def build_application(
    session: PageSession, *, demo: bool = False, patience: Patience = Patience()
) -> Any:
    """NiceGUI with our pages, as one ASGI application; the worker starts and ends with it."""
    _keep_quiet(session)
    from fastapi import FastAPI  # noqa: PLC0415  an extra
    from nicegui import Client, ui  # noqa: PLC0415  an extra; after it was told to be quiet

    from incrowd.web import pages  # noqa: PLC0415  pages import NiceGUI

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        session.worker.start()
        made_up = asyncio.create_task(_open_hospital(session)) if demo else None
        looking = asyncio.create_task(cancel_when_left(session, patience, is_connected))
        yield
        looking.cancel()
        session.close()
        del made_up  # held until here: nobody else holds the task

    def is_connected() -> bool:
        return any(client.has_socket_connection for client in Client.instances.values())

    outer = FastAPI(lifespan=lifespan, openapi_url=None, docs_url=None, redoc_url=None)
    receiver: Any = uploads.Receiver(session.uploads)
    outer.mount(uploads.PATH, receiver)
    pages.attach(session)
    ui.run_with(
        outer,
        title="incrowd",
        dark=None,
        language="en-US",
        tailwind=False,
        reconnect_timeout=_RECONNECT,
        gzip_middleware_factory=None,
        show_welcome_message=False,
    )
    return outer


async def cancel_when_left(
    session: PageSession, patience: Patience, is_connected: Callable[[], bool]
) -> None:
    """Cancel what runs whenever no tab was open at two looks in a row; look on until the end.

    Reloading a tab, or going to another page, cancels nothing: it is connected again soon, or a
    page was asked for just now and may not be connected yet. A tab that is closed before it is
    connected is noticed, too: no event would tell of it.
    """
    looks = _LEFT  # nobody has come yet
    while True:
        await asyncio.sleep(patience.alone)
        here = is_connected() or session.idle_seconds < patience.connecting
        looks = 0 if here else looks + 1
        if looks == _LEFT:
            session.cancel()


async def _open_hospital(session: PageSession) -> None:
    """Open the made-up hospital, in a folder that is deleted at the end."""
    made = await session.ask(jobs.WriteHospital(str(session.private / same_as.DEMO))).wait_for_end()
    if isinstance(made, Done):
        session.open(made.value)


def _keep_quiet(session: PageSession) -> None:
    """Keep NiceGUI from writing into the current folder and, without INCROWD_DEBUG=1, logging."""
    os.environ.setdefault("NICEGUI_STORAGE_PATH", str(session.private / "nicegui"))
    os.environ.setdefault("MATPLOTLIB", "false")
    if os.environ.get("INCROWD_DEBUG") != "1":
        for name in ("nicegui", "uvicorn", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def run(guard: Guard, bound: socket.socket, ready: Callable[[], None]) -> None:
    """Serve on a socket until a signal ends it; `ready` is called once it answers."""
    import uvicorn  # noqa: PLC0415  an extra

    class Server(uvicorn.Server):
        """A server that ends quietly: a signal is how the page is ended."""

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            numbers = (signal.SIGINT, signal.SIGTERM)
            former = {number: signal.signal(number, self.handle_exit) for number in numbers}
            try:
                yield
            finally:
                for number, handler in former.items():
                    signal.signal(number, handler)

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

    settings = uvicorn.Config(
        guard,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        ws_max_size=_MESSAGE_BYTES,
        timeout_graceful_shutdown=1,
    )
    Server(settings).run(sockets=[bound])


def _open_browser(
    address: str, session: PageSession, options: UiOptions, say: Callable[[str], None]
) -> None:
    """Say the address; open it, if wanted, by a file: no list of processes shows the token then."""
    say(f"incrowd is open at {address}\nPress Ctrl-C to end it.")
    if not options.browser:
        return
    page = session.private / "open.html"
    text = f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">'
    handle = os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    webbrowser.open(page.as_uri())
