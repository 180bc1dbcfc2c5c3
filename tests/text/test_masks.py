"""``--mask``: what is left out of the comparison, and stays in the documents."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pyarrow as pa
import pytest

import twinset
from twinset.errors import PlanError
from twinset.finding.verify.diff import text_diff
from twinset.finding.verify.side_by_side import side_by_side
from twinset.index import Index
from twinset.plan import Plan
from twinset.plan.masks import MASKS, expressions
from twinset.result.passages import shared_text
from twinset.result.words import brief
from twinset.text.wording import hidden, rewriter_of

STAMPS = [
    *(
        "2026-11-12",
        "2026-11-12T10:11:12Z",
        "2026-11-12 10:11:12.5+01:00",
        "12.11.2026",
        "11/12/26",
    ),
    *("12 November 2026", "Nov 12, 2026", "Thu, 12 Nov 2026 10:11:12 +0100", "10:11", "9:05:07 pm"),
    *("12 ноября 2026", "November 3rd, 2025 at 23:59 UTC", "2026/11/12", "10:11:12 CET"),
]
WORDS = [f"word{number}x" for number in range(400)]


def stamped(seed: int, families: int = 30) -> dict[str, str]:
    """Families of texts that are equal but for their time stamps, one after every third word."""
    rng, texts = random.Random(seed), dict[str, str]()
    for family in range(families):
        words = [rng.choice(WORDS) for _ in range(12)]
        for copy in range(rng.randrange(1, 4)):
            written = [
                f"{w} {rng.choice(STAMPS)}" if n % 3 == 2 else w for n, w in enumerate(words)
            ]
            texts[f"{family}.{copy}"] = " ".join(written)
    return texts


def pairs(found) -> dict[tuple[str, str], float]:
    rows = found.pairs.to_pylist()
    return {tuple(sorted((row["left"], row["right"]))): row["score"] for row in rows}


def of_families(texts) -> set[tuple[str, str]]:
    ids = sorted(texts)
    return {(a, b) for a in ids for b in ids if a < b and a.split(".")[0] == b.split(".")[0]}


@pytest.mark.parametrize("text", STAMPS)
def test_dates_are_left_out_whole(text: str) -> None:
    masked, counts = rewriter_of(Plan.make(mask=["dates"])).masked([f"a {text} b", None or ""])
    assert (masked.to_pylist(), counts) == (["a   b", ""], {"dates": 1})


@pytest.mark.parametrize(
    ("mask", "text", "left"),
    [
        ("dates", "Decision 12, 2026-99-99 in version 1.2.3 by may 3", None),
        ("numbers", "1,234.50 or 12-13 of A4", "  or   of A "),
        ("urls", "see https://a.org/b?c=1). or www.d.org.", "see  ). or  ."),
        ("emails", "to a.b+c@d-e.co.uk, not x@y", "to  , not x@y"),
        (r"id=\d+", "id=12 id= id=7", "  id=  "),
    ],
)
def test_what_masks_match(mask: str, text: str, left: str | None) -> None:
    masked, _ = rewriter_of(Plan.make(mask=mask)).masked([text])
    assert masked.to_pylist() == [text if left is None else left]


def test_masks_are_applied_in_an_order_of_their_own() -> None:
    one, other = (
        Plan.make(mask=m) for m in (["numbers", "dates", "x 1+"], ["x 1+", "dates", "numbers"])
    )
    assert (
        list(expressions(one.mask)) == list(expressions(other.mask)) == ["x 1+", "dates", "numbers"]
    )
    text = "x 11 12 November 2026 12"
    assert rewriter_of(one).masked([text])[1] == {"x 1+": 1, "dates": 1, "numbers": 1}


@pytest.mark.parametrize("method", ["minhash", "exact", "md5", "simhash", "lexical", "bottom"])
def test_texts_equal_but_for_time_stamps_are_pairs(method: str) -> None:
    texts = stamped(1)
    found = twinset.find(texts, method=method, mask="dates", kinds="no")
    assert set(pairs(found)) == of_families(texts)
    assert set(pairs(found).values()) == {1.0}
    assert found.manifest["masked"] == {"dates": 4 * len(texts)}
    assert 1.0 not in pairs(twinset.find(texts, method=method, kinds="no")).values()


def test_documents_are_written_as_they_were(tmp_path: Path) -> None:
    lines = [json.dumps({"id": id, "text": text}) for id, text in stamped(2).items()]
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n")
    found = twinset.dedup(tmp_path / "in.jsonl", mask=["dates", r"word\d*3x"])
    folder = found.save(tmp_path / "out")
    kept = (folder / "kept.jsonl").read_text().splitlines()
    assert kept == [line for line in lines if '.0"' in line]
    own = sum(len(re.findall(r"word\d*3x", json.loads(line)["text"])) for line in lines)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["masked"] == {"dates": 4 * len(lines), r"word\d*3x": own}
    said = f"Left out of the comparison: {4 * len(lines)} dates, {own} matches of word\\d*3x."
    assert said in brief(manifest)
    assert said in (folder / "report.html").read_text()


@pytest.mark.parametrize("options", [{}, {"forms": "fold"}, {"verify": "edit:0.9"}], ids=str)
def test_any_batches_and_threads_give_the_same(options, tmp_path: Path, monkeypatch) -> None:
    texts, path = stamped(3), tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in texts.items()))
    first = twinset.dedup(path, mask="dates", threads=1, **options)
    monkeypatch.setattr("twinset.plan.resources.Resources.batch_bytes", 500)
    again = twinset.dedup(path, mask="dates", threads=3, **options)
    assert first.pairs.equals(again.pairs)
    assert first.manifest["masked"] == again.manifest["masked"] == {"dates": 4 * len(texts)}
    assert set(pairs(first)) == of_families(texts)


def test_a_plan_with_masks_is_written_and_read(tmp_path: Path) -> None:
    plan = Plan.make(mask=["dates", r'id="\d+, \[x\]"'], target=50)
    (tmp_path / "plan.toml").write_text(plan.as_toml())
    words = plan.arguments()
    assert words == ["--mask", "dates", "--mask", r'id="\d+, \[x\]"', "--target", "50"]
    assert Plan.make(plan=tmp_path / "plan.toml") == Plan.from_dict(plan.as_dict()) == plan


@pytest.mark.parametrize(
    ("mask", "fault"),
    [
        ("id=(a", r"mask 'id=\(a': missing \).* \(at character 4\): correct it"),
        ("(?<!x)y", r"invalid perl operator: \(\?<! \(at character 1\)"),
        ("x*", "also matches where nothing stands"),
        (r"\b|x", "also matches where nothing stands"),
        ("date", "did you mean 'dates'"),
        ("x" * 1001, "it has 1,001 characters: write at most 1,000"),
    ],
)
def test_masks_that_cannot_be(mask: str, fault: str) -> None:
    with pytest.raises(PlanError, match=fault):
        Plan.make(mask=[mask])


def test_raw_bytes_have_no_masks() -> None:
    with pytest.raises(PlanError, match="mask leaves text out, and the method compares raw bytes"):
        Plan.make(mask="dates", method="md5:of=bytes")


def test_an_index_and_older_documents_are_asked_with_masks(tmp_path: Path) -> None:
    texts = stamped(4)
    old = {id: text for id, text in texts.items() if id.endswith(".0")}
    new = {id: text for id, text in texts.items() if not id.endswith(".0")}
    expected = {pair for pair in of_families(texts) if pair[0] in old}
    with Index.create(tmp_path / "index", mask=["dates"]) as index:
        index.add(old)
        found = twinset.find(new, against=index)
        assert index.text("0.0") == old["0.0"]
    beside = twinset.find(new, against=old, mask=["dates"])
    assert pairs(found) == pairs(beside) == dict.fromkeys(expected, 1.0)
    assert found.manifest["masked"] == {"dates": 4 * len(new)}


def test_units_are_compared_without_what_is_masked() -> None:
    lines = "\n".join(stamped(5).values())
    found = twinset.find(
        {"a": lines, "b": "others are here"}, level="line:inside=yes", mask="dates"
    )
    assert found.manifest["masked"] == {"dates": 4 * len(lines.splitlines())}
    assert found.units["same_as"].null_count - 1 == 30
    assert any("Left out of the comparison" in sentence for sentence in found.said())


def test_files_that_differ_in_what_is_masked_are_copies(tmp_path: Path) -> None:
    words = " ".join(f"Word{number}" for number in range(60))
    for name, day in (("a", 11), ("b", 12)):
        (tmp_path / f"{name}.txt").write_text(f"Minutes of 2026-11-{day}. {words}")
    assert twinset.dedup(tmp_path, exact=True).manifest["counts"]["removed"] == 0
    masked = twinset.dedup(tmp_path, exact=True, mask="dates")
    assert masked.manifest["counts"]["removed"] == 1
    assert masked.manifest["kinds"]["pairs"] == {"equal-words": 1}


def test_what_is_hidden_is_what_is_left_out() -> None:
    rng = random.Random(6)
    pieces = [*STAMPS, *WORDS[:20], "a\0b", "\x01", "x@y.org", "7", "— é", "\n", "id=5"]
    plan = Plan.make(mask=[*MASKS, r"id=\S", r"\Sword"])
    for _ in range(200):
        text = "".join(rng.choice(pieces) + rng.choice([" ", ""]) for _ in range(30))
        shown = hidden(text, rewriter_of(plan).masks, "\0")
        assert len(shown) == len(text)
        assert all(new in ("\0", old, " ") for new, old in zip(shown, text, strict=True))
        [masked] = rewriter_of(plan).masked(pa.array([text]))[0].to_pylist()
        assert re.sub("\0+", " ", shown).split() == masked.split()


def test_masked_text_is_no_difference() -> None:
    masks = expressions(["dates"])
    left, right = "sent 12 November 2026 by us at 10:30, yes", "sent 2025-01-02 by us at, yes"
    side = side_by_side(left, right, masks)
    assert [(d.row, d.numbers_only) for d in side.differences] == [(0, False)]
    [row] = side.rows
    assert [left[p.start : p.end] for p in row.left if p.kind == "masked"] == [
        "12 November 2026",
        "10:30,",
    ]
    assert [right[p.start : p.end] for p in row.right if p.kind == "masked"] == ["2025-01-02"]
    alike = side_by_side("sent 12 November 2026 by us", "10:11 sent by us", masks)
    assert (alike.equal, alike.rows[0].differs, alike.masked) == (True, False, 2)
    assert side_by_side("ring (0)30, now", "ring now", expressions(["numbers"])).equal
    runs = [
        (run.change, run.words) for run in text_diff("a 1:20 b c", "a 12.11.2026 b d", masks).runs()
    ]
    assert runs == [
        ("same", ("a",)),
        ("masked", ("1:20",)),
        ("masked", ("12.11.2026",)),
        ("same", ("b",)),
        ("left", ("c",)),
        ("right", ("d",)),
    ]


def test_shared_passages_stand_where_they_are_in_the_text() -> None:
    words = " ".join(WORDS[:9])
    texts = {"a": f"on 12 November 2026 {words} is", "b": f"{words} 10:30 was"}
    found = twinset.find(texts, mask="dates", threshold=0.2, exact=True)
    assert shared_text(found, ["a", "b"]).passages == (words,)
