"""``--level``: what find and dedup say and write about units, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Twinset

TEXTS = ["Menu\nFirst words\n", "menu\nSecond words\n", "Third"]


@pytest.fixture
def pages(corpus: Path) -> Path:
    """A file of records in the working folder."""
    lines = [
        json.dumps({"id": name, "text": text}) for name, text in zip("abc", TEXTS, strict=True)
    ]
    path = Path("pages.jsonl")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_units_are_counted_and_listed(twinset: Twinset, pages: Path) -> None:
    done = twinset("find", pages, "-o", "out", "--level", "line", "-q")
    assert done.returncode == 0
    assert "1 repeated line in 2 places\n" in done.stdout
    assert "12.5\xa0% of the text would go" in done.stdout
    rows = pq.read_table("out/units.parquet").to_pylist()
    assert [(row["id"], row["start"], row["end"], row["same_as"]) for row in rows][:3] == [
        ("a", 0, 5, None),
        ("a", 5, 17, None),
        ("b", 0, 5, 0),
    ]
    assert "Menu" in Path("out/report.html").read_text("utf-8")
    assert not list(Path("out").glob("cleaned*"))
    assert "open its report.html" in twinset("show", "out").stderr


def test_documents_are_written_without_repeated_units(twinset: Twinset, pages: Path) -> None:
    done = twinset("dedup", pages, "-o", "out", "--level", "line", "-q", "--json")
    assert json.loads(done.stdout)["totals"]["dropped_characters"] == 5
    assert Path("out/cleaned.jsonl").read_text("utf-8") == pages.read_text("utf-8").replace(
        "menu\\n", ""
    )


def test_documents_without_words_left_and_broken_lines_are_said(
    twinset: Twinset, pages: Path
) -> None:
    with pages.open("a") as file:
        file.write('{"id": "d", "text": "\\nThird"}\nbroken\n')
    done = twinset("dedup", pages, "-o", "out", "--level", "line", "-q")
    assert "1 document has no words left.\n" in done.stdout
    assert "pages.jsonl:5: the line is not JSON" in done.stdout
    assert '"text": "\\n"' in Path("out/cleaned.jsonl").read_text("utf-8")


def test_the_page_speaks_russian(twinset: Twinset, pages: Path) -> None:
    twinset("find", pages, "-o", "out", "--level", "line", "-q", "--language", "ru")
    assert "1 повторяющаяся строка" in Path("out/report.html").read_text("utf-8")


def test_what_has_no_meaning_is_said_together_before_the_work(
    twinset: Twinset, pages: Path
) -> None:
    more = ("--to", "csv", "--resume")
    done = twinset("dedup", pages, "-o", "-", "--level", "paragraph", *more)
    assert done.returncode == 2
    assert "leave annotate, no-split, to and shards out" in done.stderr
    assert "name a folder with -o" in done.stderr
    assert "leave it out with level paragraph" in done.stderr
    done = twinset("find", pages, "-o", "out", "--level", "line", "--engine", "spark")
    assert "level line is for one machine" in done.stderr
    done = twinset("dedup", pages, "-o", "out", "--level", "line", "--html", "yes")
    assert "nothing can be cut out of the text of pages" in done.stderr
    twinset("lab", "images", pages, "-o", "pages.fps")
    done = twinset("find", "pages.fps", "-o", "out", "--level", "line")
    assert "pages.fps holds images, not texts: leave out level" in done.stderr
    assert not Path("out").exists()
