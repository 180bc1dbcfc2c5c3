"""Lists that are not as they should be: told with the remedy, counted right where possible."""

from __future__ import annotations

from pathlib import Path

import pytest

import twinset
from twinset.errors import TwinsetError

FOUND = [("a", "b", 0.9)]


@pytest.fixture
def truth(tmp_path: Path) -> Path:
    return tmp_path / "truth.csv"


def told(result: twinset.Evaluation) -> str:
    return " | ".join(result.notes)


def test_unknown_ids_are_counted_and_the_first_listed(truth: Path) -> None:
    lines = "".join(f"a,nobody{number}\n" for number in range(8))
    truth.write_text("left,right\na,b\n" + lines)
    report = twinset.find({"a": "one two three four five", "b": "one two three four five"})
    result = twinset.evaluate(report, truth)
    assert "no document has: 8 (" in told(result)
    assert "nobody0, nobody1, nobody2, nobody3, nobody4, ..." in told(result)
    assert "their pairs counted as not found: 8 (--only-known" in told(result)
    assert (result.reference, result.common) == (9, 1)
    known = twinset.evaluate(report, truth, only_known=True)
    assert (known.reference, known.common, known.recall) == (1, 1, 1.0)
    assert "their pairs left out: 8" in told(known)


def test_pairs_given_twice_or_reversed_count_once() -> None:
    result = twinset.evaluate(FOUND, [("a", "b"), ("b", "a"), ("a", "b"), ("c", "d")])
    assert result.reference == 2
    assert "counted once: 2" in told(result)
    twice = twinset.evaluate([*FOUND, ("b", "a", 0.95)], [("a", "b")])
    assert twice.found == 1
    assert twice.curve is not None
    assert twice.curve["threshold"].to_pylist() == [0.95]


def test_pairs_of_a_document_with_itself_are_left_out() -> None:
    result = twinset.evaluate(FOUND, [("a", "a"), ("a", "b")])
    assert result.reference == 1
    assert "with itself, left out: 1" in told(result)


@pytest.mark.parametrize(
    "header",
    ["left,right", "id1,id2", "ID_A,ID_B", "a,b", "doc1,doc2", "doc_a,doc_b", "Left ID,Right ID",
     "x,y", "first,second", "original,copy", "document1,document2", "source,id"],
)  # fmt: skip
def test_the_usual_names_of_columns(header: str, truth: Path) -> None:
    truth.write_text(f"{header}\na,b\n")
    result = twinset.evaluate(FOUND, truth)
    assert (result.reference, result.common) == (1, 1)
    assert result.notes == ()


@pytest.mark.parametrize("header", ["id,cluster", "doc_id,group", "Document,Family"])
def test_the_usual_names_of_clusters(header: str, truth: Path) -> None:
    truth.write_text(f"{header}\na,1\nb,1\nc,2\n")
    assert twinset.evaluate(FOUND, truth).reference == 1


def test_other_names_are_reported_with_the_remedy(truth: Path) -> None:
    truth.write_text("foo,bar\na,b\n")
    with pytest.raises(TwinsetError, match="--truth-columns foo,bar"):
        twinset.evaluate(FOUND, truth)
    assert twinset.evaluate(FOUND, truth, truth_columns="foo,bar").common == 1
    truth.write_text("first one,second one\na,b\n")
    with pytest.raises(TwinsetError, match="--truth-columns 'first one,second one'"):
        twinset.evaluate(FOUND, truth)


def test_no_header_but_ids_of_documents(truth: Path) -> None:
    truth.write_text("a,b\nc,d\n".replace("a,b", "a,z"))
    result = twinset.evaluate([("a", "z"), ("c", "d")], truth)
    assert result.common == 2
    assert "no header" in told(result)


def test_an_empty_truth(truth: Path) -> None:
    truth.write_text("")
    with pytest.raises(TwinsetError, match="is empty: list pairs in it, or a header alone"):
        twinset.evaluate(FOUND, truth)
    truth.write_text("left,right\n")
    assert twinset.evaluate(FOUND, truth).reference == 0


def test_an_empty_file_of_found_pairs_is_nothing_found(tmp_path: Path) -> None:
    empty = tmp_path / "duplicates.txt"
    empty.write_text("")
    result = twinset.evaluate(empty, [("a", "b")])
    assert (result.found, result.recall) == (0, 0.0)
    assert "nothing was found" in told(result)


def test_json_lines_are_read_by_the_names_of_their_fields(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    path.write_text(
        '{"left": "b", "right": "a", "by": "eve"}\n\n{"right": 7, "left": 8, "by": 1}\n'
    )
    with pytest.raises(TwinsetError, match="cannot read"):
        twinset.evaluate(FOUND, path)  # a column of texts and numbers
    path.write_text('{"left": "b", "right": "a"}\n{"right": "7", "left": "8", "more": 1}\n')
    result = twinset.evaluate(FOUND, path)
    assert (result.reference, result.common) == (2, 1)
    path.write_text('{"id": 3, "cluster": "x"}\n{"id": 4, "cluster": "x"}\n')
    assert sorted(twinset.evaluate(FOUND, path).missed()) == [("3", "4")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"left": "a"', "line 1 of .* is no JSON object with left, right"),
        (
            '{"left": "a", "left": "b", "right": "c"}',
            "is no JSON object with left, right, each once",
        ),
        ('{"left": "a", "right": "b"}\n{"left": "c"}', "line 2 of .* with left, right"),
        ('{"left": "a", "right": "b"}\n{"left": "c", "ri', "line 2 of .* with left, right"),
        ('{"left": "a", "right": "b"}\n["c", "d"]', "line 2 of .* with left, right"),
        ('{"first_paper": "a", "second_paper": "b"}', "truth-columns"),
        ('{"left": "a", "answer": "yes"}\n', "line 1 of .* is no answer"),
    ],
)
def test_json_lines_that_hold_no_pair_are_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "truth.jsonl").write_text(text)
    with pytest.raises(TwinsetError, match=said):
        twinset.evaluate(FOUND, tmp_path / "truth.jsonl")


REFUSED = {
    "foo,bar\na,b\n": "--truth-columns foo,bar",
    "id\na\n": "one column",
    "left,right\na,b\nc\n": r"cannot read .*give CSV, Parquet",
    "left,right,grade\na,b,3\na,c,x\n": r"column 'grade' of .* must hold numbers: .* 'x'",
    "id_a,id_b,label\na,b,4\nc,d,2\n": r"grades from 2 to 4.*--grade 4",
    "a b 3\nc d e\n": r"line 2 of .*end each line with a whole number",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_list_is_refused_with_the_remedy(tmp_path: Path, text: str) -> None:
    path = tmp_path / ("truth.csv" if "," in text or text.startswith("id") else "truth.txt")
    path.write_text(text)
    with pytest.raises(TwinsetError, match=REFUSED[text]):
        twinset.evaluate(FOUND, path)


REFUSED_VALUES = [
    (3, {}, "cannot take pairs from int"),
    ([("a", "b"), "ab"], {}, "entry 2 is 'ab'"),
    ([("a", "b")], {"grade": 3}, "no column of grades"),
    ([("a", "b", 1), ("b", "c", 3)], {"grade": 9}, "grades go from 1 to 3"),
    ({"a": 1}, {"grade": 3}, "holds clusters"),
    ([("a", "b")], {"ignore": {"a": 1, "b": 1}}, "takes pairs"),
    ([("a", "b")], {"only_known": True}, "needs a report"),
    (FOUND, {"by": "pages"}, "by must be auto, pairs or clusters"),
]


@pytest.mark.parametrize(("truth", "options", "said"), REFUSED_VALUES)
def test_values_and_options_that_do_not_fit_are_refused(truth, options, said) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TwinsetError, match=said):
        twinset.evaluate(FOUND, truth, **options)
