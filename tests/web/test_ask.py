"""Questions on the page: one at a time, saved at once, and a plan that the search uses."""

from __future__ import annotations

import html
import json
import re
import time

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import COLLECTION, finished, jobs_in, visitor
from twinset.plan import spec
from twinset.plan.presets import FOR_FOLDERS
from twinset.web.forms import files_named
from twinset.web.searches import plan_of
from twinset.web.security import cookie_name, pass_of
from twinset.web.settings import Settings

FIELD = re.compile(r'name="(left|right)" value="([^"]*)"')


@pytest.fixture
def subject(client: TestClient) -> str:
    """The address of the questions about the Russian part of the example."""
    answer = client.post("/search/new", data={"path": str(COLLECTION / "russian")})
    return f"/search/{answer.url.path.split('/')[2]}/ask"


def shown(client: TestClient, at: str, text: str, seconds: float = 40) -> str:
    """The page once it shows this."""
    end = time.monotonic() + seconds
    while text not in (page := client.get(at).text):
        assert time.monotonic() < end, page
        time.sleep(0.1)
    return page


def asked(page: str) -> dict[str, str]:
    """The pair of the question on a page."""
    form = page[page.index('id="answer"') : page.index("</form>", page.index('id="answer"'))]
    return {name: html.unescape(value) for name, value in FIELD.findall(form)}


def begun(client: TestClient, at: str) -> str:
    """The page with the first question."""
    assert client.post(at).status_code == 200
    return shown(client, at, 'id="answer"')


def answers(settings: Settings) -> list[dict[str, str]]:
    (file,) = settings.home.glob("jobs/*/files/plan.answers.jsonl")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def end_jobs(settings: Settings) -> None:
    """End what a test has started."""
    for job in jobs_in(settings).all():
        job.cancel()
        while not job.state().is_over:
            time.sleep(0.05)


def test_from_documents_to_a_search_with_the_plan(
    client: TestClient, settings: Settings, subject: str
) -> None:
    documents = subject.replace("/ask", "/documents")
    assert client.post(documents, data={"go": "ask"}).url.path == subject
    assert 'action="' + subject in client.get(subject).text
    page = begun(client, subject)
    assert "Question 1 of 30" in page
    assert "<ins" in page or "<del" in page
    for number, said in enumerate(("yes", "no", "yes", "unsure", "no", "yes"), 1):
        pair = asked(page)
        page = client.post(f"{subject}/answer", data={**pair, "said": said}).text
        assert answers(settings)[-1] == {**pair, "answer": said}
        assert len(answers(settings)) == number
    assert 'id="expected"' in page
    assert 'id="worth"' in page
    page = client.post(f"{subject}/enough").text
    assert "The plan is ready" in page
    (job,) = jobs_in(settings).all("ask")
    files = f"/job/{job.name}/file"
    plan = client.get(f"{files}/plan.toml?keep=true")
    assert "attachment" in plan.headers["content-disposition"]
    assert "method" in plan.text
    assert len(client.get(f"{files}/plan.answers.jsonl?keep=true").text.splitlines()) == 6
    answer = client.post(f"{subject}/use")
    name = subject.split("/")[2]
    assert answer.url.path == f"/job/{name}"
    search = jobs_in(settings).find(name)
    assert "method" in search.options
    assert search.options["keep"] == list(FOR_FOLDERS)
    finished(client, name)
    found = client.get(f"/job/{name}")
    assert found.url.path.endswith("/clean")
    assert 'type="checkbox"' in found.text
    assert "This search was started" in client.get(subject).text
    assert client.post(subject).status_code == 400
    end_jobs(settings)


def test_another_server_and_a_killed_job_go_on(
    client: TestClient, settings: Settings, subject: str
) -> None:
    page = begun(client, subject)
    for said in ("yes", "no"):
        page = client.post(f"{subject}/answer", data={**asked(page), "said": said}).text
    with visitor(settings) as another:
        another.cookies.set(cookie_name(settings), pass_of(settings))
        assert asked(another.get(subject).text) == asked(page)
        end_jobs(settings)
        stopped = another.get(subject).text
        assert "Go on" in stopped
        again = begun(another, subject)
        assert "2 answers are there already, going on" in again
        assert asked(again) == asked(page)
    assert len(answers(settings)) == 2
    end_jobs(settings)


def test_an_answer_to_a_job_that_is_gone_is_kept(
    client: TestClient, settings: Settings, subject: str
) -> None:
    page = begun(client, subject)
    end_jobs(settings)
    client.post(f"{subject}/answer", data={**asked(page), "said": "yes"})
    shown(client, subject, "Question 2 of 30")
    assert [row["answer"] for row in answers(settings)] == ["yes"]
    end_jobs(settings)


def test_nothing_to_answer_yet(client: TestClient, subject: str) -> None:
    assert client.post(f"{subject}/answer", data={"said": "yes"}).status_code == 404
    assert client.post(f"{subject}/use").status_code == 404


def test_ids_that_look_like_files_do_not_stop_a_search_with_answers() -> None:
    from twinset.finding.methods.asked import AskedOwner

    plain = {"experts": "1 cosine2 -3 3", "answers": '{"yes": [["a/b.txt", "/etc/passwd"]]}'}
    assert not AskedOwner(**plain).faults()
    assert files_named({"method": spec.compose("asked", plain, {})}) == []
    assert files_named({"method": "learned:model=/etc/passwd"}) == ["/etc/passwd"]


def test_the_settings_show_a_plan_of_answers_and_keep_it(
    client: TestClient, settings: Settings, name: str
) -> None:
    saved = jobs_in(settings)
    answers = '{"yes": [["a, b; \\"c\\"", "d/e.txt"]], "no": []}'
    method = spec.compose("asked", {"experts": "1 cosine2 -3 3", "answers": answers}, {})
    saved.save(saved.find(name).with_(options={"method": method}))
    before = plan_of(saved.find(name))
    page = client.get(f"/search/{name}/image").text
    fields = re.findall(r'<input id="[^"]*" name="([^"]*)" type="\w+" value="([^"]*)"', page)
    form = {field: html.unescape(value) for field, value in fields}
    assert form["method.asked.answers"] == answers
    kept = client.post(f"/search/{name}/image", data={**form, "method": "asked", "go": "next"})
    assert kept.url.path.endswith("/clusters"), kept.text
    assert plan_of(saved.find(name)) == before
