"""One contract for every registered kind of clusters."""

from __future__ import annotations

import random
from typing import Any

import pytest

import twinset
from tests.contracts.collection import collection, with_copies
from tests.contracts.test_methods import clusters
from twinset.plan import spec

KINDS = list(spec.names("clusters"))
NEEDS = {"closed": "closed:share=0.5"}
COPIES = {frozenset({"a00", "b00"}), frozenset({"a05", "b05", "c05"}), frozenset({"a17", "b17"})}


def run(texts: dict[str, str], kind: str, **options: Any) -> twinset.Findings:
    return twinset.find(list(texts.items()), clusters=NEEDS.get(kind, kind), **options)


def chain(links: int = 5) -> dict[str, str]:
    """Documents each of which is near the next, while the ends share little."""
    rng = random.Random(11)
    words = [f"word{rng.randrange(10**6)}" for _ in range(200 + 20 * links)]
    texts = {f"c{i}": " ".join(words[20 * i : 20 * i + 200]) for i in range(links)}
    return {**collection(4), **texts}


@pytest.mark.parametrize("kind", KINDS)
def test_copies_are_together_and_strangers_apart(kind: str) -> None:
    assert clusters(run(with_copies(), kind)) == COPIES


@pytest.mark.parametrize("kind", KINDS)
def test_no_relation_no_cluster(kind: str) -> None:
    assert clusters(run(collection(), kind)) == set()


@pytest.mark.parametrize("kind", KINDS)
def test_a_cluster_has_two_members_or_more_and_all_are_documents(kind: str) -> None:
    texts = chain()
    for members in clusters(run(texts, kind, threshold=0.75)):
        assert len(members) > 1
        assert members <= set(texts)


@pytest.mark.parametrize("kind", KINDS)
def test_threads_and_the_order_of_unlike_documents_play_no_part(kind: str) -> None:
    texts = with_copies()
    names = sorted(texts, key=lambda name: (random.Random(name).random(), name))
    shuffled = {name: texts[name] for name in names}
    assert clusters(run(shuffled, kind, threads=1)) == COPIES
    assert clusters(run(shuffled, kind, threads=2)) == COPIES


@pytest.mark.parametrize("kind", KINDS)
def test_what_dedup_removes_is_within_the_threshold_of_what_it_keeps(kind: str) -> None:
    texts = chain()
    findings = twinset.dedup(
        list(texts.items()), 0.75, clusters=NEEDS.get(kind, kind), shingle=1, exact=True
    )
    features = {name: set(text.split()) for name, text in texts.items()}
    removed = [row for row in findings.documents.to_pylist() if row["kept_as"] is not None]
    for row in removed:
        ours, kept = features[row["id"]], features[row["kept_as"]]
        assert len(ours & kept) / len(ours | kept) >= 0.75
    assert [bool(keep) for keep in findings.keep].count(False) == len(removed)


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_gives_the_clusters_back(kind: str, tmp_path: Any) -> None:
    findings = run(with_copies(), kind)
    report = twinset.open_report(findings.save(tmp_path / "report"))
    assert report.clusters.equals(findings.clusters)
