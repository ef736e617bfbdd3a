"""A browser in a few lines: it asks an ASGI application and keeps cookies."""

import asyncio
from dataclasses import dataclass, field
from http.cookies import SimpleCookie


@dataclass
class Answer:
    status: int
    text: str
    headers: list[tuple[str, str]]

    def all(self, name):
        return [value for key, value in self.headers if key == name]

    def header(self, name):
        (value,) = self.all(name)
        return value


@dataclass
class Browser:
    app: object
    host: str
    cookies: dict[str, str] = field(default_factory=dict)

    def get(self, path, method="GET", **headers):
        sent = asyncio.run(self._asked("http", path, method, headers))
        start = next(message for message in sent if message["type"] == "http.response.start")
        body = b"".join(message.get("body", b"") for message in sent)
        found = [(n.decode(), v.decode()) for n, v in start["headers"]]
        answer = Answer(start["status"], body.decode(), found)
        for line in answer.all("set-cookie"):
            self.cookies |= {key: one.value for key, one in SimpleCookie(line).items()}
        return answer

    def post(self, path, **headers):
        return self.get(path, "POST", **headers)

    def websocket(self, path, **headers):
        """What a websocket hears first; None if it is refused."""
        sent = asyncio.run(self._asked("websocket", path, "GET", headers))
        assert sent[0]["type"] in {"websocket.accept", "websocket.close"}
        return sent[1]["text"] if sent[0]["type"] == "websocket.accept" else None

    async def _asked(self, kind, path, method, headers):
        sent = []
        where, _, query = path.partition("?")
        named = {"host": self.host}
        if self.cookies:
            named["cookie"] = "; ".join(f"{key}={value}" for key, value in self.cookies.items())
        named |= {key.replace("_", "-"): value for key, value in headers.items()}
        scope = {
            "type": kind,
            "path": where,
            "query_string": query.encode(),
            "headers": [(n.encode(), v.encode()) for n, v in named.items() if v is not None],
        }
        scope |= {"method": method} if kind == "http" else {}

        async def receive():
            return {"type": "http.request" if kind == "http" else "websocket.connect"}

        async def send(message):
            sent.append(message)

        await self.app(scope, receive, send)
        return sent
