"""What is cleaned as HTML and what is left: one decision for all readers, counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import twinset
from tests.reading.helpers import read
from twinset.result.words import summary
from twinset.text.pages import is_page

PROSE = "Some words about the tags that stand before them, and about nothing else at all. " * 6
SNIPPET = f'<div class="a"><span>x</span></div>\n\n{PROSE}'
README = f'<p align="center"><img src="logo.png" width="200"></p>\n\n# Title\n\n{PROSE}'
TAGS = "<head><title>x</title></head><body><p>"
FRAGMENT = "".join(f'<li class="entry"><a href="/page/{n}">page {n}</a></li>' for n in range(20))


def rows(folder: Path, *texts: str) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("<!doctype html><p>words", True),
        ("  <html lang=en>words", True),
        ("<!-- made by hand --><head><title>x</title>", True),
        ("<body bgcolor=white><p>words</p>", True),
        (FRAGMENT, True),
        (SNIPPET, False),
        (README, False),
        ("<body> a single tag of a notation of its own", False),
        (f"{PROSE}<html><body>{FRAGMENT}</body></html>", False),
        ("<template><my-list/></template>\n<script>let a = 1</script>", False),
        (f"\ufeff<!doctype html>{PROSE}", True),
        (f"HTTP/1.1 200 OK\r\nServer: nginx\r\n\r\n<html>{TAGS}{PROSE}</html>", True),
        (f'<doc url="x">\n<content><![CDATA[<html>{TAGS}{PROSE}</html>]]></content></doc>', True),
        (f'{{"url": "x", "status": 200}}\n<!DOCTYPE html>\n{TAGS}{PROSE}', True),
        (f"Saved by hand\n{FRAGMENT * 3}", True),
        (f"<div><p>{PROSE}</p><p>{PROSE}</p>" + "<p>a</p><p>b</p>" * 20 + "</div>", True),
        (f"{PROSE}\n{FRAGMENT}\n{PROSE}", False),
        ("From: a@b.example\nSubject: tags\n\nWrite <p> and </p> around a paragraph.", False),
        ("Use `<html>`, `<head>` and `<body>`:\n\n    <html><body><p>x</p></body></html>\n", False),
        ("# Tables\n\n| `<td>` | `<tr>` |\n\n<b>bold</b> and <i>italic</i> " + PROSE, False),
        ("#include <a>\nstd::vector<p> x; if (a < b && c > d) { y<i>(); }\n" * 20, False),
        ('print("<p class=\\"a\\">" + x + "</p>")\n' * 20, False),
    ],
)
def test_a_page_is_distinguished_from_a_text_with_mark_up(
    tmp_path: Path, text: str, page: bool
) -> None:
    assert is_page(text) is page
    assert (read(rows(tmp_path, text)).texts != [text]) is page


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_both_are_counted_in_the_report(tmp_path: Path, suffix: str) -> None:
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    texts = [SNIPPET, README, FRAGMENT, f"<html>{PROSE}</html>", f"  {PROSE}", PROSE]
    table = pa.table({"id": [str(n) for n in range(len(texts))], "text": texts})
    path = tmp_path / f"rows.{suffix}"
    if suffix == "parquet":
        pa.parquet.write_table(table, path)
    elif suffix == "csv":
        pa.csv.write_csv(table, path)
    else:
        rows(tmp_path, *texts)
    manifest = twinset.find(path).manifest
    assert manifest["counts"]["html_cleaned"] == 2
    assert manifest["counts"]["markup_left"] == 2
    told = " ".join(summary(manifest))
    assert "2 were HTML pages and were cleaned" in told
    assert "2 begin with mark-up, but are not pages and were left unchanged" in told
    never = twinset.find(path, html="no").manifest["counts"]
    assert (never["html_cleaned"], never["markup_left"]) == (0, 0)
