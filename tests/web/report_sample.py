"""A report with documents of every sort, for the tests of its pages."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi.testclient import TestClient

WORDS = [f"word{n}" for n in range(80)]
EVIL = (
    "<script>alert('x')</script> \u202ebidi \x00null <img src=x onerror=alert(1)> &amp; \"quote\""
)


def body(*changed: int) -> str:
    return " ".join("other" if n in changed else word for n, word in enumerate(WORDS))


DOCUMENTS = {
    "a": body(),
    "b": body(3),
    "c": body(40, 41),
    "d": body(10, 20, 30, 40, 50),
    "e": body(7).replace("other", "12.05.2024"),
    "f": body(7).replace("other", "13.06.2025"),
    "<b>evil</b>\u202e": body(5) + " " + EVIL,
    "alone": "nothing like the others at all, in any of its words",
    "page": "<html><body><p>" + body(11) + "</p></body></html>",
}


def address(base: str, **query: object) -> str:
    return f"{base}?{urlencode({k: str(v) for k, v in query.items()})}"


def decide(client: TestClient, report: str, **form: str) -> int:
    return client.post(f"{report}/decide", data=form, follow_redirects=False).status_code
