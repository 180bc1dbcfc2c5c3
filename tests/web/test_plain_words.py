"""The first path in words that a person knows, in each language, and nothing English in Russian."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.report.test_language import english_left
from tests.web.conftest import COLLECTION
from twinset.pages.language import sentences
from twinset.web.jobs import Job, Stage, State

JARGON = {
    "en": r"\bimages?\b|shingl|anchor|chained|weakest|minhash|jaccard|threshold|cluster|preset",
    "ru": r"\bобраз|шингл|опорн|якор|цепочк|слабейш|minhash|жаккар|порог|кластер",
}
GROUPS = ("start", "running", "faults")
"""The groups of sentences of the first path."""


@pytest.mark.parametrize("language", JARGON)
@pytest.mark.parametrize("group", GROUPS)
def test_sentences_of_the_first_path_are_plain(group: str, language: str) -> None:
    said = {k: text for k, text in sentences(language).items() if k.startswith(f"{group}.")}
    assert said
    jargon = {key: found for key, text in said.items() if (found := _jargon(text, language))}
    assert jargon == {}


def _jargon(text: str, language: str) -> list[str]:
    return re.findall(JARGON[language], text, re.IGNORECASE)


def first_path(client: TestClient, name: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The pages of the first path by address."""
    folder = COLLECTION / "russian"
    pages = {"/": client.get("/"), "tree": client.get("/start/tree", params={"at": COLLECTION})}
    for path in (folder, next(folder.iterdir())):
        pages[str(path)] = client.get("/start/folder", params={"folder": path})
    app: Any = client.app
    search = app.state.jobs.find(name)
    app.state.jobs.save(search.with_(way="clean", out=str(search.folder)))
    for stage in ("", "counting words", "reading", "comparing", "kinds", "clustering", "writing"):
        stages = [Stage(stage, 1.0, False, 0.5, 1.0, 5.0)] if stage else []
        monkeypatch.setattr(Job, "state", lambda _, s=stages: State("running", s))
        pages[f"running {stage}"] = client.get(f"/job/{name}")
    for status in ("failed", "cancelled", "killed"):
        monkeypatch.setattr(Job, "state", lambda _, s=status: State(s))
        pages[status] = client.get(f"/job/{name}")
    assert {page.status_code for page in pages.values()} == {200}
    return {address: page.text for address, page in pages.items()}


def _spoken(page: str) -> str:
    """What a reader sees or hears of a page, without what is data: paths and names."""
    names = " ".join(re.findall(r'(?:aria-label|title|placeholder)="([^"]*)"', page))
    page = re.sub(r"<(head|bdi|code|option|datalist)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", " ", page) + names)


def test_pages_of_the_first_path_are_plain_and_have_nothing_english_in_russian(
    client: TestClient, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = {}
    for language in JARGON:
        client.headers["accept-language"] = language
        pages[language] = first_path(client, name, monkeypatch)
        for address, page in pages[language].items():
            assert _jargon(_spoken(page), language) == [], address
    for address, page in pages["ru"].items():
        # Names of folders are data wherever they stand.
        body = re.sub(r'<head>.*?</head>|<li role="treeitem"[^>]*>', " ", page, flags=re.DOTALL)
        assert english_left(re.sub(r'title="/[^"]*"', "", body)) == set(), address
    assert all(english_left(pages["en"][address]) for address in ("/", "cancelled"))
