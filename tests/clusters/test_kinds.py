"""A new kind of cluster is one class and one line of the table: everything else asks the kind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from fastapi.testclient import TestClient

import twinset
from tests.web.conftest import visitor
from twinset.finding.clusters.base import (
    ClustersOfImages,
    Explanation,
    Graph,
    Membership,
    SharedSets,
)
from twinset.finding.clusters.closed_sets import Context
from twinset.model import Ragged
from twinset.plan.spec import TABLE, names, option
from twinset.review import opened
from twinset.review.threshold import regroup
from twinset.web.security import cookie_name, pass_of
from twinset.web.settings import Settings

WORDS = [f"word{n}" for n in range(80)]


@dataclass(frozen=True, slots=True)
class Couples:
    """Every verified pair is a cluster."""

    def clusters(self, graph: Graph) -> Membership:
        count = len(graph.score)
        slot = np.stack([graph.earlier, graph.later], axis=1).ravel().astype(np.int64)
        nothing = np.full(2 * count, -1)
        cluster = np.repeat(np.arange(count), 2)
        return Membership(cluster, slot, nothing, np.full(2 * count, np.nan))


@dataclass(frozen=True, slots=True)
class Stars:
    """Each document with all its neighbours: clusters overlap and hold pairs that are none."""

    def clusters(self, graph: Graph) -> Membership:
        around: dict[int, set[int]] = {}
        for left, right in zip(graph.earlier.tolist(), graph.later.tolist(), strict=True):
            around.setdefault(left, {left}).add(right)
            around.setdefault(right, {right}).add(left)
        stars = Ragged.from_rows(sorted(map(sorted, around.values())), np.int64)
        nothing = np.full(len(stars.values), -1)
        return Membership(stars.owners(), stars.values, nothing, np.full(len(nothing), np.nan))


@dataclass(frozen=True, slots=True)
class FirstFeature:
    """Documents whose least feature is the same."""

    least: int = option(2, "Least number of documents.", least=2)

    def image_faults(self, image: Any) -> list[str]:
        return []

    def find_clusters(self, context: Context, threads: int) -> FirstFeatureClusters:
        groups: dict[int, list[int]] = {}
        for document in range(len(context)):
            image = context[document]
            if len(image):
                groups.setdefault(int(image[0]), []).append(document)
        return FirstFeatureClusters([g for g in groups.values() if len(g) >= self.least])

    def facts(self, figures: Mapping[str, float], image: str) -> dict[str, Any]:
        return {"image": image, **figures, "notes": []}

    @staticmethod
    def explain(facts: Mapping[str, Any]) -> Explanation:
        return Explanation(
            noun="first-feature groups",
            clusters=f"{facts['sets']} groups by their first feature",
            sentences=("groups are toys",),
            tables=("toys",),
        )


@dataclass(frozen=True, slots=True)
class FirstFeatureClusters:
    groups: list[list[int]]
    complete: bool = True

    def shared_sets(self) -> SharedSets:
        return SharedSets(Ragged.from_rows(self.groups, np.int64))

    def figures(self) -> dict[str, float]:
        return {"sets": len(self.groups)}

    def tables(self, ids: pa.Array) -> dict[str, pa.Table]:
        return {"toys": pa.table({"first": [ids[group[0]].as_py() for group in self.groups]})}

    def lattices(self, ids: pa.Array) -> list[Any]:
        return []


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    classes = {"couples": Couples, "stars": Stars, "first-feature": FirstFeature}
    kinds = {name: f"{__name__}:{cls.__name__}" for name, cls in classes.items()}
    monkeypatch.setitem(TABLE, "clusters", TABLE["clusters"] | kinds)
    names.cache_clear()
    yield
    names.cache_clear()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    def body(*changed: int) -> str:
        return " ".join("other" if n in changed else word for n, word in enumerate(WORDS))

    texts = {"a": body(), "b": body(3), "c": body(40, 41), "alone": "nothing like them at all here"}
    file = tmp_path / "corpus.jsonl"
    rows = (json.dumps({"id": id, "text": text}) for id, text in texts.items())
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return file


KINDS = pytest.mark.parametrize("kind", ["couples", "stars", "first-feature"])


def run(corpus: Path, kind: str) -> Path:
    found = twinset.find(corpus, 0.4, exact=True, clusters=kind)
    return found.save(corpus.parent / f"report-{kind}")


@KINDS
def test_a_report_of_a_new_kind_opens_again(corpus: Path, kind: str) -> None:
    folder = run(corpus, kind)
    report = twinset.open_report(folder)
    assert report.manifest["plan"]["clusters"].startswith(kind)
    assert len(report.clusters) > 0
    assert "near-duplicate" in (folder / "report.html").read_text().lower()
    assert opened(folder) is not None


def test_what_a_kind_out_of_images_says_is_in_the_report(corpus: Path) -> None:
    folder = run(corpus, "first-feature")
    report = twinset.open_report(folder)
    facts = report.manifest["first-feature"]
    assert facts["image"].startswith("oph")
    assert facts["sets"] == 1
    assert report.more["toys"]["first"].to_pylist() == ["a"]
    page = (folder / "report.html").read_text()
    assert "1 groups by their first feature" in page
    assert "Groups are toys." in page
    (caveat,) = regroup(opened(folder), 0.9).caveats
    assert caveat.startswith("First-feature groups are made of shared features")


@pytest.mark.parametrize("kind", ["couples", "stars"])
def test_a_higher_threshold_gives_what_a_new_run_gives(tmp_path: Path, kind: str) -> None:
    words = [f"word{n}" for n in range(300)]
    chain = [(f"c{n}", " ".join(words[20 * n : 20 * n + 200])) for n in range(5)]
    options: dict[str, Any] = {"exact": True, "shingle": 1, "clusters": kind}
    index = opened(twinset.find(chain, 0.5, **options).save(tmp_path / "report"))
    again = twinset.find(chain, 0.75, **options).clusters
    found = regroup(index, 0.75).clusters
    rows = again.group_by("cluster").aggregate([("weakest", "min"), ("chained", "max")])
    rows = rows.sort_by("cluster")
    assert found.chained.tolist() == rows["chained_max"].to_pylist()
    assert found.chained.any() == (kind == "stars")
    assert found.weakest.tolist() == pytest.approx(rows["weakest_min"].to_pylist())


@KINDS
def test_the_page_shows_a_new_kind(corpus: Path, kind: str, tmp_path: Path) -> None:
    folder = run(corpus, kind)
    settings = Settings((tmp_path,), tmp_path / "home", token="t" * 43)
    client: TestClient = visitor(settings)
    client.cookies.set(cookie_name(settings), pass_of(settings))
    with client:
        answer = client.post("/open-report", data={"folder": str(folder)}, follow_redirects=False)
        address = str(answer.headers["location"])
        assert client.get(address).status_code == 200
        number = twinset.open_report(folder).clusters["cluster"][0].as_py()
        assert client.get(f"{address}/cluster/{number}").status_code == 200


def test_a_kind_out_of_images_is_known_by_its_methods() -> None:
    assert isinstance(FirstFeature(), ClustersOfImages)
    assert not isinstance(Couples(), ClustersOfImages)
