"""New documents held against older ones: what a run over both finds between them, and no more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import twinset
from tests.index.pairs import near
from tests.kernels.examples import examples
from twinset.errors import PlanError
from twinset.index import Index
from twinset.run import against

Pair = tuple[str, str]
OPTIONS: list[dict[str, Any]] = [
    {"exact": True, "threshold": 0.3},
    {"exact": True, "measure": "containment", "threshold": 0.9},
    {"threshold": 0.6},
    {"method": "md5:of=words"},
    {"method": "simhash:distance=8"},
    {"verify": "edit:0.8"},
    {"forms": "stem:language=en"},
]
FIGURES = ("score", "containment_left", "containment_right", "shared")


def divided() -> tuple[dict[str, str], dict[str, str]]:
    """Older and new documents with copies and near copies of each other, and of themselves."""
    texts = near()
    older = {id: text for row, (id, text) in enumerate(texts.items()) if row % 5 < 3}
    return older, {id: text for id, text in texts.items() if id not in older}


def figures(pairs: Any) -> dict[Pair, tuple[float, ...]]:
    rows = pairs.to_pylist()
    assert len({(row["left"], row["right"]) for row in rows}) == len(rows)
    return {
        (row["left"], row["right"]): tuple(round(row[name], 12) for name in FIGURES) for row in rows
    }


def between(older: dict[str, str], new: dict[str, str], **options: Any) -> dict[Pair, Any]:
    """The pairs of a run over all documents that have one on each side, the new one first."""
    # new ones come first, so that they are on the left
    run = twinset.find(new | older, kinds="no", repeated="keep", **options)
    pairs = figures(run.pairs)
    return {pair: row for pair, row in pairs.items() if pair[0] in new and pair[1] in older}


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_pairs_are_those_of_a_run_over_all_documents(options: dict[str, Any]) -> None:
    older, new = divided()
    run = twinset.find(new, against=older, **options)
    expected = between(older, new, **options)
    assert len(expected) > 3
    assert figures(run.pairs) == expected
    assert run.documents["id"].to_pylist() == list(new)
    assert run.clusters.num_rows == 0


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_near_a_crowd_everybody_who_has_a_match_is_told_of_one(options: dict[str, Any]) -> None:
    older, new = divided()
    words = older[next(iter(older))].split()
    many = {f"m{n}": " ".join([*words[:n], f"x{n}", *words[n + 1 :]]) for n in range(2, 40)}
    # they share keys with the crowd, and most of them match nobody in it
    many |= {
        f"half{n}": " ".join([*words[: 5 * n], *(f"y{n}{k}" for k in range(60))]) for n in range(9)
    }
    for row, (id, text) in enumerate(many.items()):
        (older if row % 2 else new)[id] = text
    every = twinset.find(new, against=older, **options)
    some = twinset.find(new, against=older, dense=3, **options)
    listed = figures(some.pairs)
    assert figures(every.pairs).items() >= listed.items()
    assert {left for left, _ in listed} == {left for left, _ in figures(every.pairs)}
    assert some.manifest["against"]["matched"] == every.manifest["against"]["matched"]
    left_out = every.pairs.num_rows - some.pairs.num_rows
    assert every.manifest["pairs_left_out"] == []
    rules = some.manifest["pairs_left_out"]
    assert [(each["by"], each["bound"]) for each in rules] == [("dense", 3)] * (left_out > 0)
    assert left_out > 0 or "method" in options
    assert some.manifest["not_enumerated_pairs"] >= left_out
    one = twinset.find(new, against=older, dense=3, match="one", **options)
    assert [each["by"] for each in one.manifest["pairs_left_out"]][: len(rules)] == ["dense"] * len(
        rules
    )


def test_the_only_match_in_a_crowd_is_found_though_others_share_more_keys() -> None:
    words = [f"w{n % 7}{n}x" for n in range(120)]
    older = {f"turned{n}": " ".join([*words[n:], *words[:n]]) for n in range(40, 46)}
    older["near"] = " ".join("other" if n % 20 == 0 else word for n, word in enumerate(words))
    for dense in (1000, 3):
        run = twinset.find({"new": " ".join(words)}, against=older, dense=dense, verify="edit:0.8")
        assert run.pairs["right"].to_pylist() == ["near"]
        assert run.manifest["not_enumerated_pairs"] == 0


def test_an_index_gives_the_pairs_of_its_documents(tmp_path: Path) -> None:
    older, new = divided()
    with Index.create(tmp_path / "index", threshold=0.6) as index:
        index.add(older)
        for against in (index, str(tmp_path / "index"), tmp_path / "index", [tmp_path / "index"]):
            run = twinset.find(new, against=against)
            assert figures(run.pairs) == between(older, new, threshold=0.6)
        facts = run.manifest["against"]
        matched = len(set(run.pairs["left"].to_pylist()))
    assert (facts["documents"], facts["matched"]) == (len(older), matched)
    assert facts["index"] == str(tmp_path / "index")
    assert run.manifest["plan"]["threshold"] == 0.6


def test_documents_with_an_older_near_duplicate_go() -> None:
    older = {
        "b": "one two three four five six seven eight",
        "a": "one two three four five six seven",
    }
    new = {
        "first": "one two three four five six seven",
        "other": "nothing that anybody has seen before in this place",
        "again": "nothing that anybody has seen before in this place",
        "kept": "one two three four five six seven",
    }
    run = twinset.dedup(new, against=older, threshold=0.5, never_remove="kept")
    assert list(run.kept) == ["other", "again", "kept"]
    assert list(run.removed) == ["first"]
    assert run.mask.tolist() == [False, True, True, True]
    rows = run.to_pandas().to_dict("records")
    assert (rows[0]["kept_id"], rows[0]["score"]) == ("a", 1.0)
    assert run.documents["kept_because"].to_pylist() == ["equal features", None, None, None]
    assert (run.manifest["counts"]["kept"], run.manifest["counts"]["removed"]) == (3, 1)
    # both matches are listed, the best first
    assert run.pairs["right"].to_pylist()[:2] == ["a", "b"]


def test_what_is_in_the_index_itself_is_no_pair_and_goes(tmp_path: Path) -> None:
    text = "one two three four five six seven"
    with Index.create(tmp_path / "index") as index:
        index.add({"a": text, "b": text, "c": "eight nine ten eleven twelve thirteen"})
        new = {"b": text, "c": "Eight nine, ten eleven twelve thirteen!", "d": text}
        found = twinset.find(new, against=index)
        gone = twinset.dedup(new, against=index)
    # c has the same features and another text: it is an older version of the new one
    assert list(figures(found.pairs)) == [("b", "a"), ("c", "c"), ("d", "a"), ("d", "b")]
    assert found.manifest["against"]["already_there"] == 1
    assert gone.documents["kept_as"].to_pylist() == ["b", "c", "a"]
    assert gone.documents["kept_because"].to_pylist() == [
        "already there",
        "equal features",
        "equal features",
    ]
    assert gone.manifest["against"]["already_there"] == 1


def test_the_same_id_among_older_documents_is_another_document() -> None:
    text = "one two three four five six seven"
    run = twinset.find({"1": text}, against={"1": text})
    assert list(figures(run.pairs)) == [("1", "1")]


def test_any_number_of_threads_and_any_memory_give_the_same_bytes(tmp_path: Path) -> None:
    older, new = divided()
    files: dict[str, list[Path]] = {"old": [], "new": []}
    for name, texts in (("old", older), ("new", new)):
        rows = [json.dumps({"id": id, "text": text}) + "\n" for id, text in texts.items()]
        for part in range(3):  # each file is a batch at least
            files[name].append(tmp_path / f"{name}-{part}.jsonl")
            files[name][-1].write_text("".join(rows[part::3]), "utf-8")
    saved = []
    for threads, memory in ((1, None), (3, "200MB")):
        run = twinset.dedup(files["new"], against=files["old"], threads=threads, memory=memory)
        folder = run.save(tmp_path / f"{threads}")
        names = ("documents", "pairs", "clusters", "older")
        saved.append([(folder / f"{name}.parquet").read_bytes() for name in names])
        assert run.pairs.num_rows > 5
    assert saved[0] == saved[1]


def test_above_the_most_pairs_the_best_of_each_document_is_listed() -> None:
    older, new = divided()
    whole = twinset.find(new, against=older, threshold=0.3, exact=True)
    few = twinset.find(new, against=older, threshold=0.3, exact=True, max_pairs=7)
    best: dict[str, tuple[float, str]] = {}
    for row in whole.pairs.to_pylist():
        best.setdefault(row["left"], (row["score"], row["right"]))
    listed = {row["left"]: (row["score"], row["right"]) for row in few.pairs.to_pylist()}
    assert listed == best
    assert few.manifest["implied_pairs"] == whole.pairs.num_rows - len(best) > 0
    assert few.manifest["against"]["matched"] == whole.manifest["against"]["matched"]
    for id, rows in best.items():
        assert rows[0] == max(row["score"] for row in whole.pairs.to_pylist() if row["left"] == id)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"threshold": 0.7}, "has its own threshold: leave threshold out"),
        ({"exact": True}, "has its own exact: leave exact out"),
        ({"shingle": 3}, "has its own shingle: leave shingle out"),
        ({"preset": "copies"}, "leave preset out"),
        ({"repeated": "drop"}, "looks at a whole collection"),
        ({"keep": "longest"}, "the older document stays"),
        ({"clusters": "components"}, "there are no clusters"),
        ({"reference": ["old"]}, "give against alone"),
        ({"resume": "parts"}, "over one collection: leave it out"),
        ({"engine": "spark"}, "runs on this machine"),
    ],
    ids=str,
)
def test_options_that_an_index_does_not_have_are_refused(
    tmp_path: Path, options: dict[str, Any], sentence: str
) -> None:
    with (
        Index.create(tmp_path / "index") as index,
        pytest.raises(PlanError, match=sentence),
    ):
        twinset.find({"a": "one two three"}, against=index, **options)


def test_a_rule_that_bends_by_the_neighbours_in_a_collection_is_refused() -> None:
    with pytest.raises(PlanError, match="the preset text bends its rule by the neighbours"):
        twinset.find({"a": "one two"}, against={"b": "three four"}, preset="text")


@pytest.mark.parametrize("method", ["tfidfcosine:contained=0.9,least_terms=5", "lexrand:least=2"])
def test_words_are_weighed_by_the_counts_of_what_is_older(tmp_path: Path, method: str) -> None:
    older, new = divided()
    rows = (json.dumps({"id": id, "text": text}) for id, text in older.items())
    (tmp_path / "old.jsonl").write_text("\n".join(rows), "utf-8")
    options: dict[str, Any] = {"method": method}
    with Index.create(tmp_path / "i", statistics=str(tmp_path / "old.jsonl"), **options) as index:
        index.add(older)
        answers = index.query(new, top=0)
        asked = {(a.id, m.id): round(m.score, 12) for a in answers for m in a.matches}
        runs = [
            twinset.find(new, against=place, **given)
            for place, given in (
                (index, {}),
                (older, options),
                (str(tmp_path / "old.jsonl"), options),
            )
        ]
    assert len(asked) > 3
    for run in runs:
        pairs = run.pairs.to_pylist()
        assert {(row["left"], row["right"]): round(row["score"], 12) for row in pairs} == asked


def test_nothing_new_and_nothing_alike_are_no_faults() -> None:
    for new in ({}, {"a": ""}, {"a": "one two three four five six"}):
        run = twinset.dedup(new, against={"b": "seven eight nine ten eleven twelve"})
        assert run.pairs.num_rows == 0
        assert run.removed == {}


@pytest.mark.parametrize("run", [twinset.find, twinset.dedup])
def test_equal_new_documents_have_the_same_matches_but_for_themselves(
    tmp_path: Path, run: Any
) -> None:
    text, other = "one two three four five six seven", "eight nine ten eleven twelve thirteen"
    more = "fourteen fifteen sixteen seventeen eighteen nineteen"
    older = {"b": text, "a": text, "c": f"{text} eight", "d": other, "e": more, "f": more}
    new = {"c": text, "b": text, "x": text, "d": other, "a": f"{text} eight", "e": more}
    with Index.create(tmp_path / "index", threshold=0.5) as index:
        index.add(older)
        whole = run(new, against=index).pairs.to_pylist()
        best = run(new, against=index, max_pairs=0).pairs.to_pylist()
    listed = [(row["left"], row["right"]) for row in whole]
    if run is twinset.dedup:  # by score, then the same id, then by id
        assert [pair for pair in listed if pair[0] in "bd"] == [
            *[("b", "b"), ("b", "a"), ("b", "c")],
            ("d", "d"),
        ]
    else:
        assert [pair for pair in listed if pair[0] in "bd"] == [("b", "a"), ("b", "c")]
    assert listed[:3] == [("c", "a"), ("c", "b"), ("c", "c")]
    firsts: dict[str, Any] = {}
    for row in whole:
        firsts.setdefault(row["left"], row)
    assert best == list(firsts.values())


@examples(150)
@given(st.dictionaries(st.tuples(st.integers(0, 9), st.integers(0, 9)), st.integers(1, 6)))
def test_one_to_one_has_the_largest_sum_that_there_is(pairs: dict[tuple[int, int], int]) -> None:
    ordered = sorted(pairs, key=lambda pair: (pair[0], -pairs[pair], pair[1]))
    rows, places = np.array(ordered, np.int64).reshape(-1, 2).T
    scores = np.array([pairs[pair] / 6 for pair in ordered], float)
    ids = pa.array([f"old {place}" for place in places], pa.large_string())
    unknown, no = np.full(len(rows), -1), np.zeros(len(rows), bool)
    matches = against.Matches(rows, ids, scores, unknown, scores, scores, no)
    chosen, greedy = against.one_to_one(matches)
    table = np.zeros((10, 10))
    table[rows, places] = scores
    best = table[linear_sum_assignment(table, maximize=True)].sum()
    assert (greedy, chosen.score.sum()) == (0, pytest.approx(best, abs=1e-9))
    assert len(set(chosen.row)) == len(set(chosen.ids.to_pylist())) == len(chosen)
    assert {*zip(chosen.row, chosen.ids.to_pylist(), chosen.score, strict=True)} <= {
        *zip(rows, ids.to_pylist(), scores, strict=True)
    }


def test_match_one_pairs_every_document_once(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "one two three four five six seven eight nine ten"
    older = {"a": words, "b": f"{words} eleven", "c": "quite another text than all of"}
    new = {"m": f"{words} eleven twelve", "n": f"{words} eleven", "o": older["c"]}
    options: dict[str, Any] = {"against": older, "threshold": 0.3, "exact": True}
    every, one = (twinset.find(new, match=match, **options) for match in ("all", "one"))
    listed = figures(one.pairs)
    # n is nearest to b, as m is: only together they do best
    assert [*listed] == [("m", "a"), ("n", "b"), ("o", "c")]
    assert listed.items() <= figures(every.pairs).items()
    left_out = every.pairs.num_rows - one.pairs.num_rows
    assert one.manifest["pairs_left_out"] == [{"by": "match", "bound": 1, "pairs": left_out}]
    assert (one.manifest["plan"]["match"], one.manifest["against"]["matched"]) == ("one", 3)
    monkeypatch.setattr(against, "WEIGHED", 1)
    greedy = twinset.find(new, match="one", **options)
    assert (greedy.manifest["against"]["greedy"], figures(greedy.pairs)) == (2, listed)
    with pytest.raises(PlanError, match=r"there are 5: give max-pairs 5"):
        twinset.find(new, match="one", max_pairs=1, **options)
    with pytest.raises(PlanError, match="match one pairs two sources"):
        twinset.find(new, match="one")
    twice = [*older.items(), ("b", words)]
    assert figures(twinset.find(new, match="one", **(options | {"against": twice})).pairs)
