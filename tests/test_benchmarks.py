"""The benchmarks' own arithmetic: a wrong yardstick would make every figure worthless."""

from __future__ import annotations

import itertools
import json
import random
import sys
from pathlib import Path

import pytest

import allpairs
import dense
import dense_corpora
import measure
import published


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


STORM = (
    "A storm took the roof of the town hall on Friday night, and no one was hurt, says the mayor."
)


def test_core_is_judged_as_its_papers_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of five papers with duplicates two are right, though not exactly, of two others one is."""
    rows = [("1", STORM, ["2"]), ("2", STORM, ["1"]), ("copy", STORM, None)]
    rows += [("3", "On snow.", ["4", "5"]), ("4", "On white weather.", []), ("5", "On ice.", [])]
    rows += [("6", "On bread.", [])]
    lines = [
        json.dumps(
            {
                "core_id": name,
                "processed_title": "a paper",
                "processed_abstract": text,
                "labelled_duplicates": labels,
            }
        )
        for name, text, labels in rows
    ]
    (tmp_path / "train.jsonl").write_text("\n".join(lines), "utf-8")
    monkeypatch.setattr(sys, "argv", ["published.py", "core", str(tmp_path / "train.jsonl")])
    published.main()
    # Precisions 2/3 and 1/4, recalls 2/5 and 1/2.
    expected = "recall 0.333, precision 0.333, F1 0.333; accuracy 0.143, macro F1 0.454"
    assert capsys.readouterr().out.splitlines() == [
        f"core, find: {expected}",
        f"core, find --preset text: {expected}",
    ]


def test_news_copy_is_judged_by_the_clusters_of_its_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {"a": STORM, "b": STORM, "c": STORM, "d": "Prices of wheat fell.", "e": "Rain, then."}
    articles = {name: {"byline": "By wire", "article": text} for name, text in texts.items()}
    (tmp_path / "data.json").write_text(json.dumps(articles), "utf-8")
    (tmp_path / "pairs.json").write_text('[["a", "b"], ["e", "d"]]', "utf-8")
    files = [str(tmp_path / name) for name in ("data.json", "pairs.json")]
    monkeypatch.setattr(sys, "argv", ["published.py", "news-copy", *files])
    published.main()
    # Of 10 pairs 3 are together here and 2 there, 1 in both: (1 - .6) / (2.5 - .6).
    expected = "recall 0.500, precision 0.333, F1 0.400; ARI 0.211"
    assert capsys.readouterr().out.splitlines() == [
        f"news-copy, find: {expected}",
        f"news-copy, find --preset text: {expected}",
    ]
