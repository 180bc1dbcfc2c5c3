"""Who may ask: keys, roles, and pages of other sites."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from fastapi.testclient import TestClient

from tests.service.conftest import FOX, until
from twinset.cli import app
from twinset.errors import PlanError
from twinset.index.local import open_store
from twinset.service.access import add_key, hash_of, revoke_key
from twinset.service.models import ServiceSettings
from twinset.service.server import serve

BODY = [{"id": "a", "text": FOX}]
Visit = Callable[..., TestClient]


@pytest.fixture
def keys(folder: Path) -> dict[str, str]:
    store = open_store(str(folder))
    made = {name: add_key(store, name, name) for name in ("read", "write")}
    store.close()
    return made


def test_a_key_of_the_right_role_is_needed(visit: Visit, keys: dict[str, str]) -> None:
    client = visit()
    for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic abc"}):
        answer = client.post("/query", json=BODY, headers=headers)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "key" in answer.json()["error"]
    client.headers["authorization"] = f"Bearer {keys['read']}"
    assert client.post("/query", json=BODY).status_code == 200
    for method, path in (("POST", "/documents"), ("DELETE", "/documents/a"), ("POST", "/remove")):
        assert client.request(method, path, json=BODY).status_code == 403
    client.headers["authorization"] = f"bearer {keys['write']}"
    assert client.post("/documents", json=BODY).json()["added"] == 1
    assert client.post("/query", json=BODY).status_code == 200


def test_some_addresses_need_no_key_and_the_figures_do(
    visit: Visit, folder: Path, keys: dict[str, str]
) -> None:
    client = visit()
    for path in ("/", "/health", "/ready", "/openapi.json"):
        assert client.get(path).status_code == 200
    for path in ("/metrics", "/info", "/documents", "/documents/a", "/nowhere"):
        assert client.get(path).status_code == 401
    content = b"".join(path.read_bytes() for path in folder.iterdir())
    assert hash_of(keys["read"]).encode() in content
    assert keys["read"].encode() not in content


def test_a_revoked_key_is_refused_soon_and_the_last_one_opens_nothing(
    visit: Visit, folder: Path, keys: dict[str, str]
) -> None:
    client = visit(keys["read"])
    assert client.get("/info").status_code == 200
    store = open_store(str(folder))
    for name in keys:
        revoke_key(store, name)
    assert store.roles() == {}
    store.close()
    until(lambda: client.get("/info").status_code == 401, 5)
    del client.headers["authorization"]
    assert client.get("/info").status_code == 401


def test_the_first_key_closes_a_service_that_was_open(visit: Visit, folder: Path) -> None:
    client = visit()
    assert client.get("/info").status_code == 200
    store = open_store(str(folder))
    add_key(store, "one", "read")
    store.close()
    until(lambda: client.get("/info").status_code == 401, 5)


def test_no_other_address_without_keys(folder: Path) -> None:
    with pytest.raises(PlanError, match=r"index key add .* or give --open"):
        serve(ServiceSettings(str(folder), "0.0.0.0", 0), print)


def test_pages_of_other_sites_are_refused_while_there_are_no_keys(visit: Visit) -> None:
    client = visit()
    headers = {"origin": "http://evil.example"}
    assert client.post("/documents", json=BODY, headers=headers).status_code == 403
    assert client.get("/info", headers={"host": "evil.example"}).status_code == 421
    ours = {"origin": "http://localhost:8760", "host": "localhost:8760"}
    assert client.post("/documents", json=BODY, headers=ours).status_code == 200


def test_the_command_of_keys(folder: Path) -> None:
    def key(*words: str) -> Result:
        return CliRunner().invoke(app, ["index", "key", *words], prog_name="twinset")

    made = key("add", str(folder), "news", "--role", "write").stdout.strip()
    assert key("list", str(folder), "--json").stdout == '[{"name": "news", "role": "write"}]\n'
    assert "news  write" in key("list", str(folder)).stdout
    store = open_store(str(folder))
    assert store.roles() == {"news": ("write", hash_of(made))}
    store.close()
    for words in (
        ["add", str(folder), "news"],
        ["add", str(folder), "with\nline"],
        ["add", str(folder)],
        ["add", "http://127.0.0.1:8760", "news"],
        ["revoke", str(folder), "gone"],
        ["revoke", str(folder), "news", "--role", "write"],
        ["add", str(folder), "other", "--role", "both"],
        ["list", str(folder), "news"],
        ["other", str(folder)],
    ):
        refused = key(*words)
        assert refused.exit_code == 2, words
        assert refused.stderr.startswith("twinset: "), words
    assert key("revoke", str(folder), "news").exit_code == 0
    assert key("list", str(folder), "--json").stdout == "[]\n"
