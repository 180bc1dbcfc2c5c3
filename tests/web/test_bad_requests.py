"""Every address of the page with values that no browser sends: a sentence, and never a 5xx."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from tests.web.conftest import jobs_in
from twinset.plan import options
from twinset.web.settings import Settings

NUMBERS = ("-1", "²", "9" * 30, "nan")
PATHS = ("..", "/dev/zero", "a\0b", "learned:model=/dev/zero")
TEXTS = ("", "\r\nx: y", "é" * 300, "[")
VALUES = (*NUMBERS, *PATHS, *TEXTS)
ALONE = ("9" * 30, "a\0b")
FORM = ("documents", "truth", "variants", "limit", "kind", "out", "go", "use.tf")
PARTS = (
    "method.minhash.image",
    "method.minhash.image.oph.size",
    "method.learned.model",
    "method.x.y",
)
FOLLOWED = {"follow_redirects": False}


@pytest.fixture
def routes(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> list[APIRoute]:
    """All addresses; nothing is started in the background."""
    app: Any = client.app
    job = SimpleNamespace(name="20200101-000000-abcdef")
    monkeypatch.setattr(app.state.jobs, "start", lambda *command, **facts: job)
    return [route for route in _all(app.routes) if isinstance(route, APIRoute)]


def _all(routes: Any) -> Iterator[Any]:
    for route in routes:
        yield route
        inner = getattr(route, "original_router", None)
        yield from _all(inner.routes if inner is not None else ())


@pytest.fixture
def known(client: TestClient, settings: Settings) -> dict[str, str]:
    """What the parts of an address stand for: a report and a search that are there."""
    import twinset

    documents = settings.roots[1] / "documents.jsonl"
    text = "the same words in both documents, enough of them to make a shingle or two out of"
    documents.write_text("".join(f'{{"id": "{i}", "text": "{text}"}}\n' for i in "ab"))
    report = twinset.find(documents).save(settings.roots[1] / "report")
    shown = client.post("/open-report", data={"folder": str(report)}, follow_redirects=False)
    search = jobs_in(settings).new(paths=(str(documents),), title="a")
    names = {"report": shown.headers["location"].rpartition("/")[2], "search": search.name}
    return names | {"number": "1", "kind": "compare", "form": "csv", "file": "a.txt"}


def _path(route: APIRoute, known: dict[str, str], bad: dict[str, str]) -> str:
    path = route.path
    kind = path.split("/")[1]
    for part in [p.name for p in route.dependant.path_params]:
        usual = known.get(kind, "x") if part == "name" else known.get(part, "x")
        path = path.replace(f"{{{part}}}", quote(bad.get(part, usual), safe=""))
    return path


def _fields(route: APIRoute) -> list[str]:
    names = [p.name for p in route.dependant.body_params]
    if any(d.call and d.call.__name__ == "_form" for d in route.dependant.dependencies):
        names += [*options(), *FORM, *PARTS]
    return names


def _queries(route: APIRoute) -> list[str]:
    inner = [p.name for d in route.dependant.dependencies for p in d.query_params]
    return [*(p.name for p in route.dependant.query_params), *inner]


def requests(route: APIRoute, known: dict[str, str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """One bad value at a time in each part of the address, the query and the form."""
    usual_query = {
        "left": "L:afl-2.0",
        "right": "L:afl-3.0",
        "first": "0",
        "last": "1",
        "file": "a.txt",
    }
    query = {k: v for k, v in usual_query.items() if k in _queries(route)}
    (method,) = route.methods - {"HEAD"}
    for value in VALUES:
        for part in [p.name for p in route.dependant.path_params]:
            yield method, _path(route, known, {part: value}), {"params": query}
        for name in _queries(route):
            yield method, _path(route, known, {}), {"params": query | {name: value}}
    usual = {"documents": "", "folder": "x", "path": "x", "verdict": "not"}
    fields = _fields(route)
    for bad in [
        *(dict.fromkeys(fields, value) for value in VALUES if fields),
        # By turns: the same field is met again at another address.
        *({name: ALONE[turn % 2]} for turn, name in enumerate(fields, len(route.path))),
    ]:
        yield method, _path(route, known, {}), {"params": query, "data": usual | bad}


@pytest.mark.parametrize("part", range(4))
def test_no_value_breaks_the_page(
    client: TestClient, routes: list[APIRoute], known: dict[str, str], part: int
) -> None:
    assert len(routes) > 40
    broken = set()
    for route in routes[part::4]:
        for method, path, sent in requests(route, known):
            answer = client.request(method, path, **sent, **FOLLOWED)
            if answer.status_code >= 500:
                broken.add(f"{method} {path[:90]} {str(sent)[:160]}: {answer.status_code}")
    assert sorted(broken) == []


HEADERS = ("host", "origin", "referer", "cookie", "accept-language", "content-type", "hx-target")
MORE_HEADERS = ("hx-request", "content-length", "sec-fetch-site", "range", "if-none-match")
BROKEN = (b"127.0.0.1:\xb2\xb3", b"\xff", b"http://[", b"a" * 5000, b"[::1", b"9" * 5000, b"=;=,")


@pytest.mark.parametrize("name", [*HEADERS, *MORE_HEADERS])
def test_no_header_breaks_the_page(client: TestClient, name: str) -> None:
    for value in BROKEN:
        for method, path in (("GET", "/"), ("GET", "/report/x"), ("POST", "/look")):
            sent: Any = {name: value}
            answer = client.request(method, path, headers=sent, follow_redirects=False)
            assert answer.status_code < 500, (method, path, value)


def test_a_form_in_another_alphabet_is_refused(client: TestClient) -> None:
    """Some encodings spell what is no character, and no page could show it again."""
    body = b'--x\r\ncontent-disposition: form-data; name="folder"\r\n\r\n\\ud800\r\n--x--\r\n'
    kind = "multipart/form-data; boundary=x; charset=unicode_escape"
    answer = client.post("/open-report", content=body, headers={"content-type": kind})
    assert answer.status_code == 415


def test_a_body_that_is_no_form_is_refused(client: TestClient) -> None:
    for kind in ("multipart/form-data", "multipart/form-data; boundary=x", "application/json"):
        for body in (b"", b"\xff" * 100, b"--x\r\n", b"{"):
            answer = client.post("/search/new", content=body, headers={"content-type": kind})
            assert answer.status_code < 500, (kind, body)
