"""``--drop-boilerplate``: what is compared, told, written and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Twinset
from twinset import Index, find, open_report, read
from twinset.errors import PlanError
from twinset.plan import Plan
from twinset.result.words import summary
from twinset.review import opened
from twinset.review.texts import ReportTexts
from twinset.spark.checks import refusals

DISCLAIMER = "This message is " + " ".join(f"confidential{n}" for n in range(90))
FOOTER = "Sent from a telephone"


def body(number: int) -> str:
    return " ".join(f"word{number}x{place}" for place in range(5))


@pytest.fixture
def mails(tmp_path: Path) -> Path:
    """Eight mails with a disclaimer, of which two are the same, and two that are nothing else."""
    texts = {f"m{n}": f"{body(n % 7)}\n\n{DISCLAIMER}\n\n{FOOTER if n else ''}" for n in range(8)}
    texts |= {"e0": f"{FOOTER}\n\n{DISCLAIMER}", "e1": f"{FOOTER}!\n\n{DISCLAIMER}"}
    path = tmp_path / "mails.jsonl"
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in texts.items()))
    return path


def pairs_of(folder: Path) -> list[tuple[str, str, float]]:
    pairs = open_report(folder).pairs.select(["left", "right", "score"])
    return [tuple(row.values()) for row in pairs.to_pylist()]


def test_documents_are_compared_without_it(twinset: Twinset, mails: Path, tmp_path: Path) -> None:
    plain, folder = tmp_path / "plain", tmp_path / "out"
    twinset("find", mails, "-o", plain, "--exact")
    assert len(pairs_of(plain)) > 20
    twinset("dedup", mails, "-o", folder, "--exact", "--drop-boilerplate", "5")
    assert pairs_of(folder) == [("m0", "m7", 1.0), ("e0", "e1", 1.0)]
    lines = mails.read_text().splitlines(keepends=True)
    kept = [line for line in lines if '"m7"' not in line and '"e1"' not in line]
    assert (folder / "kept.jsonl").read_text() == "".join(kept)


def test_a_report_tells_what_was_left_out(twinset: Twinset, mails: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    twinset("find", mails, "-o", folder, "--drop-boilerplate", "0.5")
    report = opened(folder).report
    assert report.boilerplate is not None
    rows = report.boilerplate.drop_columns(["key"]).to_pylist()
    assert [(row["documents"], row["share"]) for row in rows] == [(10, 1.0), (9, 0.9)]
    assert rows[0]["paragraph"] == " ".join(DISCLAIMER.split())[:400]
    assert rows[0]["characters"] == 8 * len(DISCLAIMER + "\n\n")
    said = " ".join(summary(report.manifest))
    assert "8 were compared without paragraphs that many documents have" in said
    assert "15 such paragraphs were left out" in said
    assert "2 consist of such paragraphs and were compared whole" in said
    assert "Paragraphs left out of the comparison" in (folder / "report.html").read_text()


def test_what_is_shown_is_what_was_compared(twinset: Twinset, mails: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    twinset("find", mails, "-o", folder, "--drop-boilerplate", "5")
    index = opened(folder)
    assert index.report.texts(["m1", "e0"]) == {
        "m1": f"{body(1)}\n\n",
        "e0": f"{FOOTER}\n\n{DISCLAIMER}",
    }
    texts = ReportTexts.of(index)
    assert texts.text(1) == f"{body(1)}\n\n"
    assert DISCLAIMER in texts.text(1, original=True)
    findings = find(mails, drop_boilerplate=5)
    assert findings.texts(["m1"]) == {"m1": f"{body(1)}\n\n"}
    assert findings.heads(["m1"])["m1"].strip() == body(1)


@pytest.mark.parametrize("method", ["minhash", "tfidf", "md5"])
def test_memory_threads_and_data_in_memory_change_nothing(mails: Path, method: str) -> None:
    rows = [json.loads(line) for line in mails.read_text().splitlines()]
    runs = [
        find(mails, drop_boilerplate=5, method=method, threads=1),
        find(mails, drop_boilerplate=5, method=method, threads=4, memory="200MB"),
        find(read(mails), drop_boilerplate=5, method=method),
        find({row["id"]: row["text"] for row in rows}, drop_boilerplate=5, method=method),
    ]
    for run in runs:
        assert run.boilerplate is not None
        assert run.boilerplate.equals(runs[0].boilerplate)
        assert run.pairs.equals(runs[0].pairs)
        assert run.manifest["counts"]["boilerplate_paragraphs"] == 15


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("0", "drop-boilerplate must be above 0"),
        ("2.5", "a whole number of documents, or a share of them below 1, not 2.5"),
        ("nan", "drop-boilerplate"),
        ("many", "drop-boilerplate"),
    ],
)
def test_numbers_that_are_none_are_refused(
    twinset: Twinset, mails: Path, tmp_path: Path, value: str, fault: str
) -> None:
    run = twinset("find", mails, "-o", tmp_path / "out", "--drop-boilerplate", value)
    assert run.returncode == 2
    assert fault in run.stderr


def test_where_it_cannot_work_it_is_refused(mails: Path, tmp_path: Path) -> None:
    for options, fault in (
        ({"level": "line"}, "drop-boilerplate is for whole documents, and level line"),
        ({"method": "md5:of=bytes"}, "the method compares raw bytes"),
        ({"against": mails}, "leave it out with against"),
    ):
        with pytest.raises(PlanError, match=fault):
            find(mails, drop_boilerplate=5, **options)  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="leave it out of an index"):
        Index.create(tmp_path / "index", drop_boilerplate=5)
    assert "which Spark does not" in " ".join(refusals(Plan.make(drop_boilerplate=5)))
