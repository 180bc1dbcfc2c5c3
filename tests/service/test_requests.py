"""What the addresses answer, and that faults are sentences."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from tests.disks import disk_of
from tests.service.conftest import FOX, HEN
from twinset.errors import ReportError
from twinset.index import Index
from twinset.index.local import LocalWork
from twinset.service.app import create_app
from twinset.service.models import ServiceSettings

IDS = ["plain", "a/b//c", "with blank", "äöü ☃", "?x=1#y", "..", "nul\x00", "'\"\\", "x" * 999]


def post(client: TestClient, path: str, body: Any) -> Any:
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_documents_are_added_and_found(client: TestClient, index: Index) -> None:
    documents = [{"id": "fox", "text": FOX}, {"id": "hen", "text": HEN}]
    added = {"added": 2, "replaced": 0, "unchanged": 0}
    assert post(client, "/documents", documents) == added
    assert post(client, "/documents", documents) == added | {"added": 0, "unchanged": 2}
    asked = [{"id": "new", "text": FOX + " again"}, {"text": "nothing like it"}, documents[0]]
    answers = post(client, "/query", asked)
    expected = index.query_texts(["new", None, "fox"], [each["text"] for each in asked])
    assert answers == [each.as_dict() for each in expected]
    assert [[match["id"] for match in each["matches"]] for each in answers] == [["fox"], [], []]


def test_options_are_parameters(client: TestClient) -> None:
    copies = [{"id": str(n), "text": FOX} for n in range(3)]
    post(client, "/documents", copies)
    [answer] = post(client, "/query?top=1", [{"text": FOX}])
    assert answer["more"] == 2
    changed = post(client, "/documents?replace=true", [{"id": "0", "text": HEN}])
    assert changed["replaced"] == 1
    kept = post(client, "/documents?dedup=true", [{"id": "new", "text": HEN}])
    assert kept["added"] == 0
    assert kept["duplicates"][0]["matches"][0]["id"] == "0"


def test_ids_have_any_characters(client: TestClient) -> None:
    for id in IDS:
        post(client, "/documents", [{"id": id, "text": FOX}])
        address = "/documents/" + quote(id, safe="").replace(".", "%2E")
        assert client.get(address).json() == {"id": id, "text": FOX}
        assert post(client, "/query", [{"text": FOX}])[0]["matches"][0]["id"] == id
        assert client.delete(address).json() == {"removed": 1}
        assert client.delete(address).status_code == client.get(address).status_code == 404


def test_documents_are_removed_and_listed(client: TestClient) -> None:
    post(client, "/documents", [{"id": str(n), "text": FOX} for n in range(5)])
    assert post(client, "/remove", ["1", "3", "9"]) == {"removed": 2}
    lines = client.get("/documents").text.splitlines()
    assert [json.loads(line) for line in lines] == [{"id": n, "text": FOX} for n in "024"]


def test_an_id_with_another_text_is_a_conflict(client: TestClient) -> None:
    post(client, "/documents", [{"id": "a", "text": FOX}])
    answer = client.post("/documents", json=[{"id": "a", "text": HEN}, {"id": "b", "text": HEN}])
    assert answer.status_code == 409
    assert answer.json()["ids"] == ["a"]
    assert "replace=true" in answer.json()["error"]
    assert client.get("/documents/b").status_code == 404
    twice = client.post("/documents", json=[{"id": "c", "text": text} for text in (FOX, HEN)])
    assert (twice.status_code, twice.json()["ids"], twice.json()["twice"]) == (409, ["c"], True)
    assert "the body has the id 'c' more than once" in twice.json()["error"]


def test_an_empty_id_is_none(client: TestClient) -> None:
    answer = client.post("/documents", json=[{"id": "", "text": FOX}])
    assert answer.status_code == 400
    assert 'item 0, "id": string should have at least 1 char' in answer.json()["error"]
    assert post(client, "/query", [{"id": "", "text": FOX}]) == [{"id": None, "matches": []}]


HOSTILE = {
    b"": "the body cannot be read",
    b"{": "invalid JSON",
    b"\xff\xfe": "the body cannot be read",
    b'[{"text": "\xff"}]': "the body cannot be read: it is not UTF-8",
    b"[" * 100_000: "the body cannot be read: it nests too deeply",
    b"1" * 5000: "the body cannot be read",
    b"null": "the body cannot be read",
    b'{"id": "a", "text": "b"}': "should be a valid list",
    b"[1]": "at item 0: input should be a valid dictionary",
    b'[{"id": "a"}]': 'at item 0, "text": field required',
    b'[{"id": "a", "text": "b"}, {"id": 7, "text": "b"}]': 'at item 1, "id": input should be a val',
    b'[{"id": "\\ud800", "text": "b"}]': "as a unicode string",
    b'[{"id": "a", "text": "\\udfff"}]': "as a unicode string",
    b'[{"id": "a", "text": null}]': 'at item 0, "text": input should be a valid string',
    b'[{"id": "a", "text": ["b"]}]': 'at item 0, "text": input should be a valid string',
}


def test_hostile_requests_are_refused_in_a_sentence(client: TestClient) -> None:
    for path in ("/documents", "/query"):
        for body, said in HOSTILE.items():
            answer = client.post(path, content=body)
            assert answer.status_code == 400
            assert said in answer.json()["error"]
    for method, path, status in [
        ("GET", "/nowhere", 404),
        ("PUT", "/query", 405),
        ("POST", "/query?top=-1", 400),
        ("POST", "/query?least=0", 400),
        ("POST", "/query?tops=1", 400),
        ("POST", "/documents?replace=perhaps", 400),
        ("POST", "/remove", 400),
        ("GET", "/documents/%ff", 404),
    ]:
        answer = client.request(method, path, content=b'[{"id": "a", "text": "b"}]')
        assert answer.status_code == status
        assert list(answer.json()) == ["error"]


def test_empty_and_equal_documents_do_no_harm(client: TestClient) -> None:
    assert post(client, "/documents", []) == {"added": 0, "replaced": 0, "unchanged": 0}
    assert post(client, "/query", []) == []
    texts = [{"id": "empty", "text": ""}, {"id": "blank", "text": " \n"}]
    assert post(client, "/documents", texts)["added"] == 2
    assert post(client, "/query", [{"text": ""}])[0]["matches"] == []
    assert client.get("/documents/empty").json() == {"id": "empty", "text": ""}


def test_bounds_of_a_request(visit: Callable[..., TestClient]) -> None:
    client = visit(most_bytes=1000, most_documents=3)
    documents = [{"id": str(n), "text": "a b"} for n in range(4)]
    answer = client.post("/documents", json=documents)
    assert (answer.status_code, "3 documents" in answer.json()["error"]) == (413, True)
    assert client.post("/documents", json=documents[:3]).status_code == 200
    large = client.post("/query", json=[{"text": "a" * 1000}])
    assert (large.status_code, "1,000 bytes" in large.json()["error"]) == (413, True)
    parts = (b"x" * 100 for _ in range(11))  # in pieces, without a length
    assert client.post("/query", content=parts).status_code == 413
    assert client.get("/info").json()["limits"] == {"documents": 3, "bytes": 1000}
    packed = client.post("/query", content=b"", headers={"content-encoding": "gzip"})
    assert packed.status_code == 415


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    with disk_of("300k", tmp_path) as disk:
        Index.create(disk / "index").close()
        work = Index.open(disk / "index").work
        assert isinstance(work, LocalWork)
        app = create_app(work, ServiceSettings(str(disk / "index")))
        with TestClient(app, base_url="http://127.0.0.1:8760") as client:
            texts = (random.Random(number).randbytes(9000).hex() for number in range(99))
            adds = ([{"id": text[:9], "text": text}] for text in texts)
            status = next(
                status
                for body in adds
                if (status := client.post("/documents", json=body).status_code) != 200
            )
            assert status == 507


def test_a_fault_of_our_own_shows_nothing_of_itself(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise KeyError(FOX)

    monkeypatch.setattr("twinset.index.local.LocalWork.query_texts", fail)
    answer = client.post("/query", json=[{"text": FOX}])
    assert answer.status_code == 500
    assert answer.json() == {"error": "a fault of the service; its log says more"}
    [line] = capfd.readouterr().err.splitlines()
    assert "fox" not in line
    facts = json.loads(line)
    assert (facts["fault"], facts["level"]) == ("KeyError", "error")
    assert "fail" in facts["places"][-1]


def test_logs_have_a_request_id_and_no_text(
    client: TestClient, capfd: pytest.CaptureFixture[str]
) -> None:
    capfd.readouterr()
    answer = client.post(
        "/documents", json=[{"id": "s3cret", "text": FOX}], headers={"X-Request-ID": "abc-1"}
    )
    assert answer.headers["x-request-id"] == "abc-1"
    other = client.get("/documents/s3cret", headers={"X-Request-ID": "bad\tid"})
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert [line["id"] for line in lines] == ["abc-1", other.headers["x-request-id"]]
    assert [line["path"] for line in lines] == ["/documents", "/documents/{id}"]
    assert lines[0]["documents"] == 1
    assert "fox" not in str(lines)
    assert "s3cret" not in str(lines)


def test_figures_for_prometheus(client: TestClient) -> None:
    post(client, "/documents", [{"id": "a", "text": FOX}, {"id": "b", "text": HEN}])
    post(client, "/query", [{"text": FOX}])
    client.get("/documents/none")
    client.post("/query", content=b"", headers={"content-encoding": "gzip"})
    lines = client.get("/metrics").text.splitlines()
    assert "twinset_documents 2.0" in lines
    assert 'twinset_requests_total{method="POST",path="/query",status="200"} 1.0' in lines
    assert 'twinset_requests_total{method="POST",path="/query",status="415"} 1.0' in lines
    assert 'twinset_requests_total{method="GET",path="/documents/{id}",status="404"} 1.0' in lines
    assert 'twinset_work_documents_total{work="added"} 2.0' in lines
    assert 'twinset_waiting_requests{queue="questions"} 0.0' in lines
    assert 'twinset_request_seconds_count{path="/query"} 2.0' in lines
    assert 'twinset_request_seconds_bucket{le="+Inf",path="/query"} 2.0' in lines


def test_an_index_that_cannot_be_read_is_not_ready(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise ReportError("the folder is gone")

    assert client.get("/ready").json() == {"status": "ready"}
    monkeypatch.setattr("twinset.index.folder.FolderStore.view", fail)
    answer = client.get("/ready")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert client.get("/health").status_code == 200


def test_openapi_names_every_address_and_the_page_loads_nothing_else(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    assert set(described["paths"]["/documents/{id}"]) == {"get", "delete"}
    assert "415" in described["paths"]["/query"]["post"]["responses"]
    assert "401" in described["paths"]["/metrics"]["get"]["responses"]
    example = described["paths"]["/query"]["post"]["requestBody"]["content"]["application/json"]
    assert client.post("/query", json=example["examples"]["usual"]["value"]).status_code == 200
    page = client.get("/")
    assert page.status_code == 200
    assert all(path in page.text for path in described["paths"])
    assert "//" not in page.text.replace("http://127.0.0.1", "").split("</style>")[1]
    assert 'lang="ru"' in client.get("/", headers={"accept-language": "ru"}).text
