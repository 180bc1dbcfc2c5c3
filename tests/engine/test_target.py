"""``dedup --target``: the highest threshold that leaves no more, held against a run at each one."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import twinset
from twinset.errors import PlanError
from twinset.plan import Plan
from twinset.result.words import brief

GRID = [number / 100 for number in range(100, 50, -1)] + [0.5]


def collection(seed: int) -> dict[str, str]:
    """Families of edited copies of many similarities, equal ones among them."""
    rng, texts = random.Random(seed), dict[str, str]()
    for family in range(20):
        words = [f"w{rng.randrange(5000)}" for _ in range(60)]
        for copy in range(rng.randrange(1, 7)):
            for _ in range(rng.choice([0, 0, 1, 2, 4])):  # edits add up: copies of copies
                words[rng.randrange(60)] = f"z{rng.randrange(9999)}"
            texts[f"{family}.{copy}"] = " ".join(words)
    return texts


def stays(found) -> list[str]:
    rows = found.documents.select(["id", "kept_as"]).to_pylist()
    return [row["id"] for row in rows if row["kept_as"] is None]


@pytest.mark.parametrize("clusters", ["anchored", "components"])
def test_the_answer_is_that_of_the_highest_threshold_that_leaves_so_much(clusters: str) -> None:
    texts = collection(1)
    sizes = {id: len(text.encode()) for id, text in texts.items()}
    options = {"exact": True, "clusters": clusters, "keep": "longest"}
    plain = {t: twinset.dedup(texts, t, **options) for t in GRID}
    left = {t: stays(found) for t, found in plain.items()}
    assert len({len(ids) for ids in left.values()}) > 10
    total = len(texts)
    for amount in (0.9, 0.75, 0.6, 0.5, 0.4):
        most = int(amount * total)
        heavy = int(amount * sum(sizes.values()))
        for target, fits in (
            (most, lambda ids, most=most: len(ids) <= most),
            (f"{amount:.0%}", lambda ids, most=most: len(ids) <= most),
            (f"{heavy}b", lambda ids, heavy=heavy: sum(sizes[id] for id in ids) <= heavy),
        ):
            found = twinset.dedup(texts, 0.5, target=target, **options)
            threshold = next((t for t in GRID if fits(left[t])), 0.5)
            assert found.manifest["plan"]["threshold"] == threshold
            assert found.manifest["target"]["threshold"] == threshold
            assert (found.manifest["target"]["left"] <= found.manifest["target"]["most"]) == any(
                fits(ids) for ids in left.values()
            )
            assert stays(found) == left[threshold]
            for table in ("documents", "pairs", "clusters"):
                assert getattr(found, table).equals(getattr(plain[threshold], table)), table
            scores = found.documents["kept_score"].drop_null().to_pylist()
            assert all(score >= threshold for score in scores)


def test_it_says_what_was_reached() -> None:
    texts = collection(2)
    count = len(texts)
    found = twinset.dedup(texts, target=f"{count - 10}", exact=True)
    facts = found.manifest["target"]
    said = brief(found.manifest)
    left, threshold = facts["left"], facts["threshold"]
    assert f"Threshold {threshold:g} leaves {left} of {count} documents." in said
    assert any("highest between 0.8 and 1" in sentence for sentence in said)
    missed = brief(twinset.dedup(texts, target="1%", exact=True).manifest)
    assert any(
        "which no threshold between 0.8 and 1 meets; a lower one may: --threshold 0.7" in sentence
        for sentence in missed
    )
    idle = twinset.dedup(texts, target=count, exact=True)
    assert idle.manifest["target"]["threshold"] == 1
    assert any(f"The target of {count} is met with no removal" in s for s in brief(idle.manifest))


def test_a_reference_does_not_count_and_a_plan_found_is_found_again(tmp_path: Path) -> None:
    texts = collection(3)
    new, known = tmp_path / "new.jsonl", tmp_path / "known"
    known.mkdir()
    lines = [json.dumps({"id": id, "text": text}) + "\n" for id, text in texts.items()]
    new.write_text("".join(lines[::2]))
    (known / "old.jsonl").write_text("".join(lines[1::2]))
    found = twinset.dedup(new, target=12, reference=[str(known)], exact=True, threshold=0.5)
    facts = found.manifest["target"]
    assert facts["total"] == len(lines[::2])
    assert facts["left"] == len({*stays(found)} & {*list(texts)[::2]}) <= 12
    again = twinset.dedup(new, plan=Plan.from_dict(found.manifest["plan"]))
    assert again.manifest["plan"]["threshold"] == found.manifest["plan"]["threshold"]
    assert stays(again) == stays(found)


def test_kinds_of_files_are_kept_apart_at_every_threshold(tmp_path: Path) -> None:
    words = " ".join(f"Word{number}" for number in range(80))
    for number, end in enumerate(("", "", " for Anna Smith, 12 May", " for Bob Jones, 13 May")):
        (tmp_path / f"{number}.txt").write_text(words + end)
    options = {"exact": True, "kinds": "yes"}
    plain = twinset.dedup(tmp_path, 0.5, **options)
    found = twinset.dedup(tmp_path, 0.5, target=1, **options)
    assert found.manifest["target"]["left"] == len(stays(found)) == len(stays(plain)) > 1
    assert found.documents.equals(plain.documents)


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"target": "half"}, "target must be a number of documents .* not 'half'"),
        ({"target": "140%"}, "target must be a number of documents"),
        ({"target": "0"}, "target must be a number of documents"),
        ({"target": "9", "method": "md5"}, "the method md5 decides by itself"),
        ({"target": "9", "verify": "edit:0.9"}, "the check decides by itself"),
        ({"target": "9", "measure": "overlap", "threshold": 20}, "leave it out of a measure"),
        ({"target": "9", "level": "line"}, "target counts whole documents"),
        ({"target": "9", "against": ["older"]}, "no threshold is sought: leave target out"),
    ],
    ids=str,
)
def test_where_there_is_no_threshold_to_seek(options: dict, fault: str) -> None:
    with pytest.raises(PlanError, match=fault):
        twinset.dedup(["one text here"], **options)


def test_find_and_an_index_have_no_target(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="target says how much dedup leaves"):
        twinset.find(["a text"], target=3)
    with pytest.raises(PlanError, match="target is for dedup of one collection"):
        twinset.Index.create(tmp_path / "index", target=3)
