"""The guard before the page: who may ask, from where, and what the browser may load.

Anybody on this machine can reach a local port, and any web page that is open in the browser can
make it send requests there. So every request must name this very server (Host), come from its own
pages (Origin, Sec-Fetch-Site) and carry the cookie that only the address with the token hands out.
"""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeAlias
from urllib.parse import parse_qs

Scope: TypeAlias = Mapping[str, Any]
Message: TypeAlias = dict[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Any, Receive, Send], Awaitable[None]]
Headers: TypeAlias = list[tuple[bytes, bytes]]

_UPLOADS = re.compile(r"^/_nicegui/client/[^/]+/upload/")
"""NiceGUI's own uploads, whose temporary files nobody deletes."""
_SCRIPT = re.compile(rb"<script\b[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_SAFE = ("GET", "HEAD")
_FOREIGN = ("cross-site", "same-site")
"""Where other web pages, and pages of other local servers, ask from."""
_OPENED = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>incrowd</title>'
    '<meta http-equiv="refresh" content="0;url=/"></head>'
    '<body><a href="/">Open incrowd</a></body></html>'
)
"""Goes on to the page. A redirect would not do: a strict cookie is not sent along a chain that
another page began."""
_DROPPED = (b"server", b"cache-control", b"content-security-policy")


class Guard:
    """Lets through what comes from this server's own page, and refuses everything else."""

    def __init__(self, app: App, port: int, token: str) -> None:
        self.app = app
        self._port, self._token = port, token
        self._secret = secrets.token_urlsafe(32)
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        # Cookies are shared by all ports of a host, so that the port belongs into the name.
        self._cookie = f"incrowd_{port}"

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Pass a request on, answer the right token with the cookie, or refuse the request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        why = self._refusal(scope)
        if why is None and scope["type"] == "websocket":
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif why is None:
            await self.app(scope, receive, _HardenedSend(send, self._port))
        elif not why:
            cookie = f"{self._cookie}={self._secret}; Path=/; HttpOnly; SameSite=Strict"
            await _send_answer(send, 200, _OPENED, [(b"set-cookie", cookie.encode())])
        else:
            await _send_answer(send, 403, f"incrowd refuses this request: {why}.\n", [])

    def _refusal(self, scope: Scope) -> str | None:
        """Why a request is refused; empty if it holds the token, None if it may pass."""
        headers = _headers_by_name(scope["headers"])
        host = headers.get("host", "")
        if host not in self._hosts:
            return "it names another host"
        if why := _foreign_reason(scope, headers, host):
            return why
        return "" if self._holds_token(scope) else self._refusal_without_token(scope, headers)

    def _refusal_without_token(self, scope: Scope, headers: Mapping[str, str]) -> str | None:
        """Why a request without the token is refused; None if its cookie lets it pass."""
        if headers.get("sec-fetch-site") in _FOREIGN:
            return "it comes from another page"
        if not self._has_cookie(headers):
            return "open the address that incrowd ui printed, with its token"
        if _UPLOADS.match(scope["path"]):
            return "files are handed over by the page's own way, not by this one"
        return None

    def _holds_token(self, scope: Scope) -> bool:
        """Whether the request opens the printed address, with the right token."""
        if scope["type"] != "http" or scope["path"] != "/" or scope["method"] not in _SAFE:
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        return len(given) == 1 and hmac.compare_digest(given[0].encode(), self._token.encode())

    def _has_cookie(self, headers: Mapping[str, str]) -> bool:
        """Whether the request carries the cookie that this server handed out."""
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return False
        given = "" if found is None else found.value
        return hmac.compare_digest(given.encode(), self._secret.encode())


def _headers_by_name(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers by name; those that come several times are joined, so that none is overlooked."""
    found: dict[str, str] = {}
    for name, value in headers:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        joiner = "; " if key == "cookie" else ", "
        found[key] = f"{found[key]}{joiner}{text}" if key in found else text
    return found


def _foreign_reason(scope: Scope, headers: Mapping[str, str], host: str) -> str:
    """Why a request to this `host` comes from another page, or might; empty if from one of ours."""
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{host}":
        return "it comes from another page"
    must = scope["type"] == "websocket" or scope["method"] not in _SAFE
    return "it does not say which page it comes from" if must and origin is None else ""


class _HardenedSend:
    """Sends an answer with the headers that tell the browser what it may do with it.

    The header of a page names the scripts in its text by their digests: the browser runs no other
    script that turns up in the page, and no handler in some text.
    """

    def __init__(self, send: Send, port: int) -> None:
        self._send, self._port = send, port
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        """Send a message on; a page is held back until all of it is there to be digested."""
        if message["type"] == "http.response.start":
            if _is_page(message["headers"]):
                self._start = message
                return
            message = message | {
                "headers": _harden(message["headers"], content_security_policy(self._port))
            }
        elif message["type"] == "http.response.body" and self._start is not None:
            self._body += message.get("body", b"")
            if message.get("more_body"):
                return
            allowed = content_security_policy(self._port, _SCRIPT.findall(self._body))
            headers = _harden(self._start["headers"], allowed)
            await self._send(self._start | {"headers": headers})
            message = {"type": "http.response.body", "body": self._body}
            self._start = None
        await self._send(message)


def _is_page(headers: Headers) -> bool:
    return any(n.lower() == b"content-type" and v.startswith(b"text/html") for n, v in headers)


def content_security_policy(port: int, scripts: Iterable[bytes] = ()) -> str:
    """The value of this header: a page loads what is ours, and runs scripts of these texts, too."""
    digests = (base64.b64encode(hashlib.sha256(one).digest()).decode() for one in scripts)
    named = "".join(f" 'sha256-{one}'" for one in digests)
    rules = (
        "default-src 'self'",
        # Vue compiles the templates of components in the browser, which needs eval.
        f"script-src 'self' 'unsafe-eval'{named}",
        # Quasar and Vue set styles on elements.
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self' data:",
        f"connect-src 'self' ws://127.0.0.1:{port} ws://localhost:{port}",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
    return "; ".join(rules)


def _harden(headers: Headers, allowed: str) -> Headers:
    """The headers, with the guard's own in place of weaker ones; `allowed` is a content policy."""
    kept = [(name, value) for name, value in headers if name.lower() not in _DROPPED]
    return [
        *kept,
        (b"content-security-policy", allowed.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"x-frame-options", b"DENY"),
        (b"referrer-policy", b"no-referrer"),
        (b"cache-control", b"no-store"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", b"same-origin"),
    ]


async def _send_answer(send: Send, status: int, text: str, headers: Headers) -> None:
    """Send an answer of the guard itself, which may load nothing."""
    body = text.encode()
    kind = b"text/html; charset=utf-8" if text.startswith("<") else b"text/plain; charset=utf-8"
    sized = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    allowed = "default-src 'none'; frame-ancestors 'none'"
    headers = _harden([*sized, *headers], allowed)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
