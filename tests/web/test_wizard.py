"""The steps without a browser: what is chosen is kept, shown, checked and run."""

from __future__ import annotations

import html
import re
import time
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import COLLECTION, OF_FOLDER, finished
from twinset.plan import Plan
from twinset.web.forms import read_form
from twinset.web.jobs import Job, Jobs
from twinset.web.searches import command_of, plan_of, with_options
from twinset.web.settings import Settings


def test_the_way_through(client: TestClient, name: str, searches: Jobs) -> None:
    assert "borscht-1.txt" in client.post(f"/search/{name}/preview", data={"html": "auto"}).text
    assert client.post(f"/search/{name}/documents", data={"html": "no"}).url.path.endswith("/image")
    meant = client.post(f"/search/{name}/image/form", data={"threshold": "0.6"})
    assert "60" in meant.text
    assert "<svg" in meant.text
    data = {"threshold": "0.6", "method": "minhash", "go": "next"}
    assert client.post(f"/search/{name}/image", data=data).url.path.endswith("/clusters")
    answer = client.post(f"/search/{name}/clusters", data={"clusters": "cliques", "go": "start"})
    assert answer.status_code == 200
    finished(client, name)
    results = client.get(f"/search/{name}/results")
    assert "24 documents were read" in results.text
    search = searches.find(name)
    assert search.options == {
        "html": "no",
        "threshold": 0.6,
        "clusters": "cliques",
        **OF_FOLDER,
    }
    assert (Path(search.out) / "manifest.json").is_file()
    assert client.post(f"/search/{name}/add", data={"path": str(COLLECTION)}).status_code == 400
    copy = client.post(f"/search/{name}/again").url.path.split("/")[2]
    assert searches.find(copy).options == search.options
    assert not searches.find(copy).is_started


def test_all_methods_have_their_form(client: TestClient, name: str) -> None:
    from twinset.plan.catalogue import described

    for method in described()["method"]:
        answer = client.post(f"/search/{name}/image/form", data={"method": method})
        assert answer.status_code == 200, method
        assert f'value="{method}" selected' in answer.text
    shown = client.post(f"/search/{name}/image/form", data={"method": "tfidfcosine"}).text
    assert 'name="method.tfidfcosine.sublinear"' in shown


def test_faults_of_a_form_are_reported_together_and_not_kept(
    client: TestClient, name: str, searches: Jobs
) -> None:
    form = {"method.minhash.shingle": "0", "method.minhash.offset": "0"}
    answer = client.post(f"/search/{name}/image", data=form)
    assert answer.status_code == 400
    assert "shingle must be between 1 and 1000, not 0" in answer.text
    assert "offset must be between 1 and 1000, not 0" in answer.text
    answer = client.post(f"/search/{name}/image", data={"method.minhash.shingle": "x"})
    page = html.unescape(answer.text)
    assert "method 'minhash', option 'shingle': 'x' is not a whole number" in page
    assert searches.find(name).options == OF_FOLDER


def test_a_fault_stands_beside_its_field_with_what_was_typed(client: TestClient, name: str) -> None:
    form = {"threshold": "0.6", "method.minhash.shingle": "x", "statistics": ""}
    shown = html.unescape(client.post(f"/search/{name}/image", data=form).text)
    assert re.search(r'id="method-minhash-shingle"[^>]*value="x"[^>]*aria-invalid="true"', shown)
    fault = r'id="method-minhash-shingle-fault"[^>]*>shingle: \'x\' is not a whole number<'
    assert re.search(fault, shown)
    assert shown.count("-fault") == 2, "only there, and named by the field"
    assert re.search(r'<input id="threshold"[^>]*value="0.6"', shown)
    assert '<details class="more" open>' in shown


def test_a_field_that_is_no_option_is_refused(client: TestClient, name: str) -> None:
    for field, message in {
        "thresold": "there is no option 'thresold'; did you mean 'threshold'?",
        "method.minhash.shingel": "method 'minhash' has no option 'shingel'; did you mean",
        "own.bands": "there is no option 'own'",
        "plan": "there is no option 'plan'",
    }.items():
        answer = client.post(f"/search/{name}/image", data={field: "1"})
        assert answer.status_code == 400
        assert message in html.unescape(answer.text)


def test_a_visitor_cannot_leave_the_folders_of_the_page(
    client: TestClient, name: str, searches: Jobs, settings: Settings
) -> None:
    assert client.post(f"/search/{name}/documents", data={"within": "/"}).status_code == 200
    assert searches.find(name).options == OF_FOLDER
    assert plan_of(searches.find(name), settings.bounds).read.within == settings.bounds
    assert str(settings.roots[0]) in client.get(f"/search/{name}/documents").text


def test_options_of_another_part_are_left_behind(
    client: TestClient, name: str, searches: Jobs
) -> None:
    form = {"method": "minhash", "method.minhash.image": "bottom"}
    form |= {"method.minhash.image.oph.size": "64", "method.minhash.shingle": "3"}
    client.post(f"/search/{name}/image", data=form)
    assert searches.find(name).options == OF_FOLDER | {"method": "minhash:shingle=3,image=bottom"}
    client.post(f"/search/{name}/image", data=form | {"method": "tf"})
    assert searches.find(name).options == OF_FOLDER | {"method": "tf"}


def test_options_of_a_method_open_no_file_outside(
    client: TestClient, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model").write_text("x")
    (tmp_path / "mine" / "link").symlink_to(tmp_path / "model")
    monkeypatch.chdir(tmp_path)
    client.post(f"/search/{name}/image/form", data={"method": "learned"})
    for path in (tmp_path / "model", "model", "../model", tmp_path / "mine" / "link"):
        data = {"method": "learned", "method.learned.model": str(path)}
        for step in ("image", "image/form", "clusters", "clusters/form"):
            assert client.post(f"/search/{name}/{step}", data=data).status_code == 403, (step, path)


def test_a_search_is_the_same_on_the_command_line(settings: Settings) -> None:
    chosen = {"paths": ("/docs",), "out": "/report", "options": {"threshold": 0.9}}
    search = Job(folder=Path("x"), **chosen)
    form = {"method": "tf", "method.tf.words": "8", "method.tf.letters": "", "clusters": "closed"}
    search = with_options(search, read_form(form, search.options))
    plan = Plan.make(method="tf:words=8", clusters="closed", share=0.85)
    assert plan_of(search) == plan, "the field of the threshold has no effect here"
    command = command_of(search, None, settings)
    assert command[:4] == ["find", "/docs", "-o", "/report"]
    assert command[command.index("--method") + 1] == "tf:words=8"
    assert command.count("--within") == 3


def test_running_searches_are_not_forgotten(client: TestClient, name: str) -> None:
    client.post(f"/search/{name}/clusters", data={"go": "start"})
    answer = client.post(f"/search/{name}/remove")
    assert answer.status_code == 400 or answer.url.path == "/"
    client.post(f"/job/{name}/cancel")
    end = time.monotonic() + 20
    while client.post(f"/search/{name}/remove").status_code == 400:
        assert time.monotonic() < end
        time.sleep(0.1)
    assert name not in client.get("/more").text


def test_a_full_disk_is_reported(
    client: TestClient, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno
    import os

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/somewhere")

    monkeypatch.setattr("twinset.web.jobs.Jobs.start", full)
    answer = client.post(f"/search/{name}/clusters", data={"go": "start"})
    assert answer.status_code == 507
    assert "The disk is full" in answer.text


def test_unexpected_faults_show_no_traceback(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("twinset.web.start.roots", broken)
    answer = client.get("/")
    assert answer.status_code == 500
    assert "secret detail" not in answer.text
    assert "Something went wrong" in answer.text


def test_the_command_is_shown_as_one_would_write_it(client: TestClient, name: str) -> None:
    shown = client.post(f"/search/{name}/clusters/form", data={"clusters": "cliques"}).text
    assert f"twinset find {COLLECTION / 'russian'} -o " in shown
    assert "--clusters cliques" in shown
    assert "--within" not in shown
    assert "--json" not in shown
