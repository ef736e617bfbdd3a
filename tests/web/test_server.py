"""The running server: reached from this machine's own page alone, small, and ended by a signal."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from incrowd.cli.main import perform
from incrowd.errors import InputError
from incrowd.web import server

pytestmark = pytest.mark.slow
START = "import sys; from incrowd.cli.main import main; main(sys.argv[1:])"


@contextmanager
def running(folder, *options):
    """The command, up to where it prints its address; (process, address, seconds)."""
    begun = time.monotonic()
    command = [sys.executable, "-c", START, "ui", "--no-browser", *options]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        address = re.search(r"http://\S+", process.stdout.readline())[0]
        yield process, address, time.monotonic() - begun
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with running(tmp_path_factory.mktemp("page")) as (process, address, _):
        home = address.partition("/?")[0]
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert opener.open(address).status == 200
        (handler,) = [one for one in opener.handlers if hasattr(one, "cookiejar")]
        (cookie,) = handler.cookiejar
        yield process, home, f"{cookie.name}={cookie.value}"


def asked(home, path="/", **headers):
    """The status and the headers of an answer."""
    request = urllib.request.Request(home + path, headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers


def handshake(home, **headers):
    """The first line that answers a websocket's handshake."""
    host = home.removeprefix("http://")
    lines = [
        "GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1",
        f"Host: {headers.pop('host', host)}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        *(f"{name.title()}: {value}" for name, value in headers.items()),
    ]
    name, _, port = host.partition(":")
    with socket.create_connection((name, int(port)), 180) as wire:
        wire.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return wire.recv(100).decode().splitlines()[0]


def test_the_page_is_there_for_who_has_the_cookie_and_for_nobody_else(page):
    _, home, cookie = page
    status, headers = asked(home, Cookie=cookie)
    assert status == 200
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert headers["Server"] is None
    assert asked(home)[0] == 403
    assert asked(home, "/?token=wrong")[0] == 403
    assert asked(home, Cookie=cookie, Host="evil.example")[0] == 403
    assert asked(home, Cookie=cookie, Origin="http://evil.example")[0] == 403
    for path in ("/docs", "/openapi.json"):
        assert asked(home, path, Cookie=cookie)[0] == 404


def test_websockets_need_cookie_host_and_origin(page):
    _, home, cookie = page
    assert " 101 " in handshake(home, cookie=cookie, origin=home)
    assert " 403 " in handshake(home, origin=home)
    assert " 403 " in handshake(home, cookie=cookie)
    assert " 403 " in handshake(home, cookie=cookie, origin="http://evil.example")
    assert " 403 " in handshake(home, cookie=cookie, origin=home, host="evil.example")


def test_only_this_machine_is_listened_to(page):
    process, home, _ = page
    port = f"{int(home.rpartition(':')[2]):04X}"
    listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    places = {words[1] for words in listening if words[3] == "0A" and words[1].endswith(port)}
    assert places == {f"0100007F:{port}"}
    others = Path(f"/proc/{process.pid}/net/tcp6")
    assert not others.exists() or f":{port} " not in others.read_text()


def test_the_server_is_small(page):
    process, _, _ = page
    status = Path(f"/proc/{process.pid}/status").read_text()
    resident = int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1000
    assert resident <= 200
    maps = Path(f"/proc/{process.pid}/maps").read_text()
    assert "polars" not in maps
    assert "numba" not in maps


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.thorough)]
)
def test_a_signal_ends_everything_and_leaves_nothing(tmp_path, monkeypatch, number):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    with running(here, "--demo") as (process, _, _):
        for _ in range(900):
            if list(scratch.rglob("hospital.csv")):
                break
            time.sleep(0.2)
        assert list(scratch.rglob("hospital.csv"))
        children = _children(process.pid)
        assert children
        process.send_signal(number)
        assert process.wait(180) == 0
        assert "Traceback" not in process.stderr.read()
    for _ in range(600):
        if not any(Path(f"/proc/{child}").exists() for child in children):
            break
        time.sleep(0.1)
    assert not [child for child in children if Path(f"/proc/{child}").exists()]
    assert not list(scratch.glob("incrowd-ui-*"))
    assert not list(here.iterdir())


def _children(pid):
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_the_token_is_not_in_the_list_of_processes(monkeypatch, tmp_path):
    opened = []
    monkeypatch.setattr(server.webbrowser, "open", opened.append)
    session = server.PageSession(tmp_path)
    try:
        said = []
        options = server.UiOptions(browser=True)
        server._open_browser("http://127.0.0.1:1/?token=secret", session, options, said.append)
        (address,) = opened
        assert "secret" not in address
        page = Path(address.removeprefix("file://"))
        assert "secret" in page.read_text()
        assert page.stat().st_mode & 0o077 == 0
        assert len(said) == 1
    finally:
        session.close()


def test_a_taken_port_is_told():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        taken = pytest.raises(InputError, match=f"port {port} is not free")
        with taken, server.closing_socket(port):
            pass


@pytest.mark.parametrize("words", [("no.csv",), ("--folder", "nowhere")])
def test_what_is_not_there_is_refused_at_once(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert perform(["ui", "--no-browser", *words]) == 3
    assert "does not exist" in capsys.readouterr().err


def test_without_nicegui_the_extra_is_named(monkeypatch, capsys):
    monkeypatch.setattr(server, "find_spec", lambda _: None)
    assert perform(["ui", "--no-browser"]) == 3
    assert "incrowd[web]" in capsys.readouterr().err
    assert os.environ.get("NICEGUI_STORAGE_PATH") is None
