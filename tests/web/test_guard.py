"""The guard: only this server's own page gets through, and it may load nothing from elsewhere."""

import base64
import hashlib
import re

import pytest

from incrowd.web.guard import Guard, content_security_policy
from web.asking import Browser

PORT, TOKEN = 8123, "the-token"
HOME = f"http://127.0.0.1:{PORT}"
SCRIPT = b"console.log('ours')"
PAGE = b"<html><script>" + SCRIPT + b"</script><script src='/a.js'></script></html>"


async def inner(scope, receive, send):
    """A page, a text with headers that say too much, and a websocket that says hello."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.send", "text": "hello"})
        await send({"type": "websocket.close"})
        return
    page = scope["path"] == "/"
    kind = b"text/html; charset=utf-8" if page else b"text/plain"
    headers = [(b"content-type", kind), (b"server", b"x"), (b"cache-control", b"public")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    half = len(PAGE) // 2
    body = [PAGE[:half], PAGE[half:]] if page else [b"ok"]
    for piece in body:
        more = piece is not body[-1]
        await send({"type": "http.response.body", "body": piece, "more_body": more})


@pytest.fixture
def stranger():
    return Browser(Guard(inner, PORT, TOKEN), f"127.0.0.1:{PORT}")


@pytest.fixture
def friend(stranger):
    assert stranger.get(f"/?token={TOKEN}").status == 200
    return stranger


def refused(answer):
    return answer.status == 403 and answer.text.startswith("incrowd refuses this request: ")


def test_the_token_gives_a_strict_cookie_and_leads_to_the_page_without_it(stranger):
    answer = stranger.get(f"/?token={TOKEN}")
    assert answer.status == 200
    assert '<meta http-equiv="refresh" content="0;url=/">' in answer.text
    cookie = answer.header("set-cookie")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie + answer.text
    assert stranger.get("/").text == PAGE.decode()


@pytest.mark.parametrize(
    "path",
    ["/", "/text", "/?token=", "/?token=wrong", f"/text?token={TOKEN}", f"/?token={TOKEN}&token=x"],
)
def test_without_the_token_nothing_is_answered(stranger, path):
    answer = stranger.get(path)
    assert refused(answer)
    assert not answer.all("set-cookie")


def test_a_token_is_only_taken_from_a_plain_question(stranger):
    assert refused(stranger.post(f"/?token={TOKEN}", origin=HOME))


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", "localhost", ""]
)
def test_another_host_is_refused_even_with_the_cookie(friend, host):
    assert refused(friend.get("/", host=host))
    assert refused(friend.get(f"/?token={TOKEN}", host=host))


def test_localhost_is_this_host(stranger):
    answer = stranger.get(f"/?token={TOKEN}", host=f"localhost:{PORT}")
    assert answer.status == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", f"https://127.0.0.1:{PORT}", ""]
)
def test_a_foreign_origin_is_refused(friend, origin):
    assert refused(friend.get("/", origin=origin))
    assert refused(friend.post("/text", origin=origin))


def test_a_change_must_say_where_it_comes_from(friend):
    assert refused(friend.post("/text"))
    assert friend.post("/text", origin=HOME).text == "ok"


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_pages_of_other_servers_cannot_use_the_cookie(friend, site):
    assert refused(friend.get("/text", sec_fetch_site=site))
    assert friend.get("/text", sec_fetch_site="same-origin").text == "ok"


def test_a_wrong_cookie_is_refused(stranger):
    stranger.cookies[f"incrowd_{PORT}"] = "guessed"
    assert refused(stranger.get("/"))
    assert refused(stranger.get("/", cookie="]]]=;;;"))


def test_uploads_of_nicegui_are_off(friend):
    answer = friend.post("/_nicegui/client/abc/upload/7", origin=HOME)
    assert refused(answer)
    assert "not by this one" in answer.text


def test_a_websocket_of_the_page_is_let_through(friend):
    assert friend.websocket("/ws", origin=HOME) == "hello"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://evil.example"},
        {"origin": f"http://localhost:{PORT}"},
        {"host": "evil.example", "origin": "http://evil.example"},
        {"host": None, "origin": HOME},
        {"origin": HOME, "sec_fetch_site": "cross-site"},
    ],
    ids=["no origin", "foreign origin", "other name", "foreign host", "no host", "other page"],
)
def test_a_foreign_websocket_is_refused(friend, headers):
    assert friend.websocket("/ws", **headers) is None


def test_a_websocket_without_the_cookie_is_refused(stranger):
    assert stranger.websocket("/ws", origin=HOME) is None
    assert stranger.websocket(f"/?token={TOKEN}", origin=HOME) is None


@pytest.mark.parametrize("path", ["/", "/text", "/refused"])
def test_every_answer_is_hardened(friend, path):
    if path == "/refused":
        friend.cookies.clear()
    answer = friend.get(path)
    assert answer.header("x-content-type-options") == "nosniff"
    assert answer.header("x-frame-options") == "DENY"
    assert answer.header("referrer-policy") == "no-referrer"
    assert answer.header("cache-control") == "no-store"
    assert answer.header("content-security-policy").startswith("default-src ")
    assert not answer.all("server")


def test_scripts_of_the_page_are_named_by_their_digests_and_no_others_run(friend):
    found = friend.get("/").header("content-security-policy")
    (scripts,) = re.findall(r"script-src ([^;]*)", found)
    digest = base64.b64encode(hashlib.sha256(SCRIPT).digest()).decode()
    assert f"'sha256-{digest}'" in scripts
    assert "unsafe-inline" not in scripts


def test_nothing_is_loaded_from_elsewhere():
    rules = dict(rule.split(" ", 1) for rule in content_security_policy(PORT).split("; "))
    allowed = {word for rule in rules.values() for word in rule.split()}
    ours = {"'self'", "'none'", "'unsafe-eval'", "'unsafe-inline'", "data:"}
    assert allowed - ours == {f"ws://127.0.0.1:{PORT}", f"ws://localhost:{PORT}"}
    assert rules["default-src"] == "'self'"
    assert rules["frame-ancestors"] == "'none'"
