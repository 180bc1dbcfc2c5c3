"""Tolerant clusters against their definition, tried on every document and every core."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.closed_twins import Images, brute_force, contexts
from tests.kernels.examples import examples
from twinset import _kernels
from twinset.cli import app
from twinset.finding.clusters.closed_sets import Context
from twinset.finding.clusters.tolerant import Tolerant, TolerantClusters
from twinset.result.words import summary

LICENSES = "examples/collection/licenses.jsonl"
ALPHAS = ("0.5", "0.7", "0.8", "0.9", "1")
Clusters = dict[tuple[int, ...], int]


def plain_clusters(images: Images, least: list[int], alpha: Fraction, kind: str) -> Clusters:
    """Members and the features of the core, by the definition."""
    around: Clusters = {}
    for core, support in brute_force(images, least, kind):
        features = frozenset.intersection(*(images[d] for d in core))
        members = tuple(
            d
            for d, image in enumerate(images)
            if d in core or len(image & features) >= ceil(alpha * max(support, least[d]))
        )
        around[members] = max(around.get(members, 0), support)
    inside = {a for a in around for b in around if set(a) < set(b)}
    return {members: support for members, support in around.items() if members not in inside}


def found(clusters: TolerantClusters) -> Clusters:
    rows = [tuple(members.tolist()) for members in clusters.clusters.members]
    assert len(rows) == len(set(rows))
    return dict(zip(rows, clusters.clusters.support.tolist(), strict=True))


@examples(300)
@given(contexts(), st.data())
def test_equal_to_the_definition(images: Images, data: st.DataObject) -> None:
    alpha = data.draw(st.sampled_from(ALPHAS))
    kind = data.draw(st.sampled_from(["maximal", "closed"]))
    relative = data.draw(st.booleans())
    k = None if relative else data.draw(st.integers(1, max(1, *map(len, images))))
    options = Tolerant(k=k, share=0.5 if relative else None, kind=kind, alpha=float(alpha))
    context = Context.of(images)
    least = options.thresholds(context.lengths).tolist()
    clusters = options.find_clusters(context, 1)
    assert found(clusters) == plain_clusters(images, least, Fraction(alpha), kind)
    again = options.find_clusters(context, 3)
    assert again.clusters.members == clusters.clusters.members


@examples(200)
@given(contexts(), st.integers(1, 8))
def test_what_the_manual_promises(images: Images, k: int) -> None:
    context = Context.of(images)
    last: TolerantClusters | None = None
    for alpha in reversed(ALPHAS):
        result = Tolerant(k=k, alpha=float(alpha)).find_clusters(context, 1)
        quality, weakest = result.quality, result.clusters.weakest()
        for row, members in enumerate(result.clusters.members):
            core = result.cores.sets.documents(int(result.clusters.core[row]))
            features = set(context.common(core).tolist())
            assert set(core.tolist()) <= set(members.tolist())
            shares = [len(features & images[d]) / len(features) for d in members]
            assert min(shares) == pytest.approx(weakest[row])
            assert min(shares) >= float(alpha)
            assert np.mean(shares) == pytest.approx(quality[row])
            assert result.clusters.shared[row] == len(
                features.intersection(*(images[d] for d in members))
            )
            for a in members:
                for b in members:
                    least = (2 * Fraction(alpha) - 1) * len(features)
                    assert len(images[a] & images[b]) >= least
        if last is None:
            closed = {
                documents for documents, _ in brute_force(images, [k] * len(images), "maximal")
            }
            assert set(found(result)) == closed
        else:
            for smaller in found(last):
                assert any(set(smaller) <= set(larger) for larger in found(result))
        last = result


def test_a_cluster_that_meets_a_bound_keeps_its_core_and_says_so() -> None:
    base = list(range(40))
    images = [base, base, *([*base[:36], 100 + i] for i in range(5))]
    whole = Tolerant(k=40, alpha=0.9).find_clusters(Context.of(images), 1)
    assert found(whole) == {tuple(range(7)): 40}
    context = Context.of(images)
    arrays = _kernels.tolerant_clusters(
        context.values,
        context.offsets,
        np.full(7, 40, np.int32),
        np.array([0, 1], np.int32),
        np.array([0, 2]),
        9,
        10,
        0,
        1,
    )
    assert arrays[1].tolist() == [0, 1]
    assert arrays[5].tolist() == [1]


def test_equal_images_are_taken_together() -> None:
    near = [*range(18), 50, 51]
    images = [range(20), range(20), *([near] * 30)]
    result = Tolerant(k=20, alpha=0.9).find_clusters(Context.of(images), 1)
    assert found(result) == {tuple(range(32)): 20}


@pytest.fixture(scope="module")
def licences(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tolerant") / "report"
    line = f"find {LICENSES} --clusters tolerant:k=85,alpha=0.8 --image bottom:size=100 -q -o"
    result = CliRunner().invoke(app, [*line.split(), str(folder)])
    assert result.exit_code == 0, result.output
    assert "tolerant clusters, whose members have at least 0.8" in result.stdout
    return folder


def test_a_report_has_cores_quality_and_the_tolerated(licences: Path) -> None:
    report = twinset.open_report(licences)
    facts = report.manifest["tolerant"]
    cores = report.more["cores"].to_pylist()
    assert len(cores) == facts["sets"] > 0
    assert sum(len(row["tolerated"]) for row in cores) == facts["tolerated"] > 0
    for row in cores:
        assert 0.8 <= row["weakest"] <= row["quality"] <= 1
        assert row["documents"] == row["core"] + len(row["tolerated"])
    by_cluster = {row["cluster"]: row["quality"] for row in report.clusters.to_pylist()}
    assert by_cluster == {row["cluster"]: row["quality"] for row in cores}


@pytest.mark.parametrize("alpha", ["0", "-1", "1.5", "2", "nan", "much"])
def test_the_share_is_bounded(alpha: str) -> None:
    with pytest.raises(twinset.TwinsetError, match=f"alpha.*{alpha}"):
        twinset.find({"a": "b c", "d": "b c"}, clusters=f"tolerant:k=1,alpha={alpha}")


@pytest.mark.parametrize("texts", [[], ["a b c"], ["", " "], ["a b c", "d e f"]])
def test_without_clusters_no_quality_is_claimed(texts: list[str], tmp_path: Path) -> None:
    findings = twinset.find(texts, clusters="tolerant:k=1", shingle=1)
    assert findings.manifest["tolerant"]["mean_quality"] is None
    assert findings.clusters.num_rows == 0
    assert not any("quality" in sentence for sentence in summary(findings.manifest))
    report = twinset.open_report(findings.save(tmp_path / "report"))
    assert report.more["cores"].num_rows == 0


def test_many_equal_documents_are_one_cluster() -> None:
    text = " ".join(f"w{n}" for n in range(40))
    findings = twinset.find([text] * 20_000, clusters="tolerant:k=20", image="full")
    assert findings.more["cores"].to_pylist() == [
        {
            "cluster": 0,
            "documents": 20_000,
            "core": 20_000,
            "features": 36,
            "quality": 1.0,
            "weakest": 1.0,
            "tolerated": [],
        }
    ]


def test_more_features_than_an_image_has_are_refused() -> None:
    with pytest.raises(twinset.TwinsetError, match="take k up to 100, or a larger image"):
        twinset.find(["a"], clusters="tolerant:k=101", image="bottom:size=100")


@pytest.mark.parametrize(("others", "is_cut"), [(20_000, False), (20_001, True)])
def test_candidates_are_bounded_and_a_cluster_that_lacks_some_is_marked(
    others: int, is_cut: bool
) -> None:
    images = [range(10), range(10), *([*range(9), 100 + i] for i in range(others))]
    context, options = Context.of(images), Tolerant(k=10, alpha=0.9)
    result = options.find_clusters(context, 1)
    assert result.clusters.members.lengths.tolist() == [20_002]
    assert result.clusters.cut.tolist() == [is_cut]
    assert result.complete is not is_cut
    facts = result.kind.facts(result.figures(), "")
    assert any("1 cluster has more candidates" in note for note in facts["notes"]) is is_cut


@pytest.mark.parametrize("threads", [1, 3])
def test_more_cores_than_are_grown_at_a_time(threads: int) -> None:
    count = 5_000
    images = [
        image
        for start in range(0, 20 * count, 20)
        for image in (range(start, start + 10), range(start, start + 10), range(start, start + 9))
    ]
    result = Tolerant(k=10, alpha=0.9).find_clusters(Context.of(images), threads)
    assert result.clusters.members.values.tolist() == list(range(3 * count))
    assert result.clusters.members.lengths.tolist() == [3] * count
    assert (result.clusters.shared == 9).all()
