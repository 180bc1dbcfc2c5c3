"""Each check of the guard, by a request that only this check refuses."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import visitor
from twinset.web.security import cookie_name, host_is_ours
from twinset.web.settings import ForbiddenError, Settings, inside


def test_nothing_without_the_token(settings: Settings) -> None:
    stranger = visitor(settings)
    for path in ("/", "/laboratory", "/report/0", "/search/0/documents"):
        assert stranger.get(path).status_code == 401
    assert stranger.post("/open-report", data={"folder": "/"}).status_code == 401


def test_a_wrong_cookie_is_none(settings: Settings) -> None:
    stranger = visitor(settings)
    for wrong in ("", "x", settings.token, "\u00fc"):
        stranger.cookies.clear()
        cookie = f"{cookie_name(settings)}={wrong}".encode()
        assert stranger.get("/", headers={b"cookie": cookie}).status_code == 401  # type: ignore[dict-item]


def test_the_token_becomes_a_strict_cookie(settings: Settings) -> None:
    stranger = visitor(settings)
    assert stranger.get("/open", params={"token": "x" * 43}).status_code == 401
    answer = stranger.get("/open", params={"token": settings.token})
    cookie = answer.headers["set-cookie"]
    assert "SameSite=strict" in cookie
    assert "HttpOnly" in cookie
    assert settings.token not in cookie
    assert stranger.get("/").status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example:8765", "127.0.0.1.evil.example:8765", "127.0.0.1", "127.0.0.1:80", ""),
        *("8765", "127.0.0.1:+8765", "127.0.0.1:8_765"),
    ],
)
def test_another_host_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host, "origin": f"http://{host}"}).status_code == 421


def test_digits_that_only_look_like_some_are_no_port_and_no_length(client: TestClient) -> None:
    odd = "127.0.0.1:\u00b2\u00b3".encode("latin-1")
    assert client.get("/", headers={b"host": odd}).status_code == 421  # type: ignore[dict-item]
    long = {b"content-length": "\u00b2".encode("latin-1")}
    assert client.get("/", headers=long).status_code == 413  # type: ignore[arg-type]


def test_another_origin_is_refused(client: TestClient) -> None:
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:8765"):
        refused = client.post("/look", data={"theme": "dark"}, headers={"origin": origin})
        assert refused.status_code == 403
        assert client.get("/", headers={"origin": origin}).status_code == 403


def test_a_post_without_an_origin_is_refused(client: TestClient) -> None:
    del client.headers["origin"]
    assert client.post("/look", data={"theme": "dark"}).status_code == 403
    assert client.get("/").status_code == 200


def test_other_sites_cannot_load_parts_of_the_page(client: TestClient) -> None:
    del client.headers["origin"]
    embedded = {"sec-fetch-site": "cross-site", "sec-fetch-dest": "script"}
    assert client.get("/", headers=embedded).status_code == 403


def test_every_answer_forbids_foreign_content(client: TestClient) -> None:
    for path in ("/", "/nothing-here", "/static/page.css"):
        policy = client.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert client.get(path).headers["x-content-type-options"] == "nosniff"


def test_large_requests_are_refused(
    settings: Settings,
) -> None:
    small = dataclasses.replace(settings, request_bytes=1000)
    stranger = visitor(small)
    stranger.get("/open", params={"token": settings.token})
    assert stranger.post("/look", data={"back": "x" * 2000}).status_code == 413
    # This page never reads what is sent to it, so that only the announced length tells.
    assert stranger.post("/search/nothing/again", content=b"x" * 2000).status_code == 413
    form = {"content-type": "application/x-www-form-urlencoded"}
    answer = stranger.post("/look", content=iter([b"back=", b"x" * 600, b"y" * 600]), headers=form)
    assert answer.status_code == 413


def test_on_another_address_names_are_not_trusted(settings: Settings) -> None:
    open_to_all = dataclasses.replace(settings, host="0.0.0.0")
    assert open_to_all.address.startswith("http://127.0.0.1:8765/")
    assert host_is_ours("192.168.1.5:8765", open_to_all)
    assert host_is_ours("[fe80::1]:8765", open_to_all)
    assert not host_is_ours("evil.example:8765", open_to_all)
    assert not host_is_ours("192.168.1.5:8766", open_to_all)


def test_links_lead_out_of_no_allowed_folder(settings: Settings, tmp_path: Path) -> None:
    mine, outside = tmp_path / "mine", tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (mine / "link").symlink_to(outside)
    (mine / "file.txt").write_text("mine")
    assert inside(settings, mine / "file.txt") == (mine / "file.txt").resolve()
    for path in ("link/secret.txt", "../outside/secret.txt", "link", "..", "/etc/passwd", "a\0b"):
        with pytest.raises(ForbiddenError):
            inside(settings, mine / path)
    with pytest.raises(ForbiddenError):  # a name that only begins like an allowed one
        inside(settings, tmp_path / "mine-too")


def test_a_report_shows_no_documents_from_outside(
    client: TestClient, settings: Settings, tmp_path: Path
) -> None:
    import twinset

    outside = tmp_path / "outside.jsonl"
    text = "a secret that lies outside of all folders that this page may open and show to anybody"
    outside.write_text(f'{{"id": "a", "text": "{text}"}}\n{{"id": "b", "text": "{text}"}}\n')
    refused = client.post("/open-report", data={"folder": str(tmp_path)})
    assert (refused.status_code, "outside the folders" in refused.text) == (403, True)
    report = twinset.find(outside).save(settings.roots[1] / "report")
    answer = client.post("/open-report", data={"folder": str(report)})
    assert answer.status_code == 200
    shown = [client.get(f"{answer.url.path}/pair", params={"left": "a", "right": "b"}).text]
    shown.append(client.get(f"{answer.url.path}/heads?d=0,1").text)
    assert "a secret" not in " ".join(shown)


def test_the_way_back_leads_nowhere_else(client: TestClient) -> None:
    for back in ("//evil.example/", "https://evil.example", "/\\evil.example", "javascript:1"):
        answer = client.post("/look", data={"back": back}, follow_redirects=False)
        assert answer.headers["location"] == "/"
