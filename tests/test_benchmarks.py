"""The benchmarks' own arithmetic: a wrong yardstick would make every figure worthless."""

from __future__ import annotations

import itertools
import json
import random
import sys
from pathlib import Path

import numpy as np
import pytest

import allpairs
import dense
import dense_corpora
import measure
import measure_tree
import quality
import table
import tolerant_quality
from twinset.finding.clusters.mine import table4


def plain_shingles(words: list[str], length: int) -> set[tuple[str, ...]]:
    if not words:
        return set()
    return {tuple(words[i : i + length]) for i in range(max(1, len(words) - length + 1))}


@pytest.mark.parametrize("length", [1, 2, 5])
def test_all_pairs_equal_sets_of_tuples(length: int) -> None:
    chance = random.Random(length)
    documents = [chance.choices("abc", k=chance.randrange(12)) for _ in range(80)]
    sets = [plain_shingles(words, length) for words in documents]
    expected = {
        (i, j): len(a & b) / len(a | b)
        for (i, a), (j, b) in itertools.combinations(enumerate(sets), 2)
        if a & b and len(a & b) / len(a | b) >= 0.4
    }
    found = allpairs.all_pairs(allpairs.shingles_of(documents, length), 0.4)
    columns = (found.left.tolist(), found.right.tolist(), found.jaccard.tolist())
    assert {(i, j): score for i, j, score in zip(*columns, strict=True)} == expected
    assert expected


def test_measure_tells_time_memory_and_exit_code() -> None:
    big = "x = bytearray(300_000_000); x[::4096] = b'1' * len(x[::4096]); raise SystemExit(3)"
    cost = measure.measure([sys.executable, "-c", big])
    assert cost.code == 3
    assert not cost.finished
    assert 280 < cost.peak_mb < 400
    assert 0 < cost.cpu < 60
    # What the caller holds in memory must not be charged to the command.
    ballast = bytearray(b"1" * 200_000_000)
    assert measure.measure([sys.executable, "-c", "pass"]).peak_mb < 100
    del ballast


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are counted on Linux only")
def test_a_tree_is_measured_with_what_outlives_the_command() -> None:
    busy = "x = bytearray(b'1') * 100_000_000; import time; begin = time.process_time()\n"
    busy += "while time.process_time() < begin + 0.5: pass"
    start = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {busy!r}])"
    cost = measure_tree.measure_tree([sys.executable, "-c", f"{start}; raise SystemExit(3)"])
    assert (cost.code, cost.finished) == (3, False)
    assert 0.5 <= cost.cpu < 60
    assert max(cost.peaks_mb.values()) > 100
    assert cost.together_mb > 100


def test_measure_stops_at_the_time_limit() -> None:
    cost = measure.measure(["sleep", "30"], timeout=1)
    assert not cost.finished
    assert cost.wall < 10


def test_quality_counts_a_pair_in_either_order() -> None:
    found = [quality.ordered("b", "a"), quality.ordered(10, 9)]
    judged = quality.judge(found, {quality.ordered("a", "b"), quality.ordered("c", "d")})
    assert (judged.recall, judged.precision) == (0.5, 0.5)


def test_ratios_are_against_the_fastest_peer_that_finished() -> None:
    rows = [
        table.Row("pyarrow", "reader", 0.5, 1.0, 10.0),
        table.Row("twinset", "ours", 1.0, 2.0, 100.0),
        table.Row("slow", "peer", 9.0, 9.0, 150.0),
        table.Row("quick", "peer", 5.0, 8.0, 400.0),
        table.Row("broken", "peer", fault="did not finish"),
    ]
    told = table.ratios(rows)
    assert told["fastest peer"] == "quick"
    assert told["time / fastest peer"] == 0.2
    assert told["memory / leanest peer"] == pytest.approx(100 / 150)
    assert told["time / reading"] == 2.0
    assert "did not finish" in table.markdown(rows, told)


def test_a_page_takes_the_table_between_its_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"a\n{table.BEGIN.format('x')}\nold\n{table.END.format('x')}\nb\n")
    table.put_into(page, "x", "new")
    table.put_into(page, "x", "newer")
    assert page.read_text() == f"a\n{table.BEGIN.format('x')}\nnewer\n{table.END.format('x')}\nb\n"
    with pytest.raises(SystemExit, match="no place for 'y'"):
        table.put_into(page, "y", "new")


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("template", 0.8, 1.0), ("template-border", 0.7, 0.9), ("boilerplate", 0.1, 0.3)],
)
def test_dense_collections_are_as_alike_as_they_say(
    name: str, low: float, high: float, tmp_path: Path
) -> None:
    corpus = dense.load(dense_corpora.make(name, 60, 300, tmp_path))
    wanted = [
        n for n, family in corpus.families.items() if name != "boilerplate" or family == int(n)
    ]
    pairs = itertools.combinations(wanted[:12], 2)
    scores = [corpus.jaccard(one, other) for one, other in pairs]
    assert min(scores) >= low
    assert max(scores) <= high


def test_dense_collections_are_the_same_every_time(tmp_path: Path) -> None:
    one, two = (dense_corpora.make("ordinary", 50, 40, tmp_path / str(i)) for i in range(2))
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("longest", [15, 20])
def test_made_contexts_replace_runs_up_to_the_longest(longest: int) -> None:
    rng = np.random.default_rng(3)
    texts = table4._group(rng, 300, longest)
    lengths = set()
    for number, text in enumerate(texts[1:], 1):
        fewest = min((text != other).sum() for other in texts[:number])
        assert 5 <= fewest <= 3 * longest
        lengths.add(int(fewest))
    assert max(lengths) > 2 * longest
    values, offsets = table4.make_context(400, "bottom", 1, longest)
    assert offsets.tolist() == list(range(0, 40_001, 100))
    assert (values[1:100] > values[:99]).all()


def test_the_manual_has_the_figures_of_tolerant_clusters() -> None:
    figures = json.loads(Path("benchmarks/results/tolerant_quality.json").read_text())
    manual = Path("docs/explanation/tolerant-clusters.md").read_text(encoding="utf-8")
    for part in tolerant_quality.tables(figures).split("\n\n"):
        assert part.strip() in manual


def test_what_is_best_elsewhere_is_chosen_without_the_collection_itself() -> None:
    def row(f1: float) -> dict[str, float]:
        return {"f1": f1}

    figures = {
        "a": {"closed, share 1": row(0.9), "closed, share 2": row(0.1), "other": row(1)},
        "b": {"closed, share 1": row(0.2), "closed, share 2": row(0.6), "other": row(1)},
        "c": {"closed, share 1": row(0.3), "closed, share 2": row(0.5), "other": row(1)},
    }
    chosen = tolerant_quality.left_out(figures, "closed")
    assert [(line["chosen"][-1], line["f1"]) for line in chosen] == [
        ("2", 0.1),
        ("1", 0.2),
        ("1", 0.3),
    ]
