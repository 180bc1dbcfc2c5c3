"""Bad input of every kind: the run goes on and tells, or stops with file, line and remedy."""

from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.reading.helpers import gather, read
from tests.reading.samples import DOCS, PACKERS, RUSSIAN, jsonl, warc
from twinset.errors import ReadError
from twinset.reading import file_groups, open_inputs
from twinset.text.clean import html_to_text, too_deep


def test_a_missing_path_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"no such file or folder.*check the path"):
        open_inputs([tmp_path / "none.jsonl"])


def test_a_pattern_without_match(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="nothing matches this pattern"):
        open_inputs([str(tmp_path / "*.jsonl")])


@pytest.mark.parametrize("packing", sorted(PACKERS))
def test_what_a_truncated_file_holds_is_used(tmp_path: Path, packing: str) -> None:
    docs = [(str(i), f"{i} " * 300 + os.urandom(300).hex()) for i in range(3000)]
    path = tmp_path / f"x.jsonl.{packing}"
    whole = PACKERS[packing](jsonl(docs))
    path.write_bytes(whole[: len(whole) * 2 // 3])
    found = read(path)
    good = [text for text in found.texts if text is not None]
    assert 1000 < len(good) < 3000
    assert good == [text for _, text in docs[: len(good)]]
    kinds = [kind for _, kind in found.kinds]
    assert kinds.count("truncated") == 1
    assert set(kinds) <= {"truncated", "syntax"}
    with pytest.raises(ReadError, match=rf"x\.jsonl\.{packing}.*fetch the file again"):
        read(path, on_error="stop")


@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("name", ["x.txt", "x.html"])
def test_encodings(tmp_path: Path, encoding: str, name: str) -> None:
    (tmp_path / name).write_bytes(RUSSIAN.encode(encoding))
    found = read(tmp_path)
    assert found.texts == [RUSSIAN]
    assert found.faults == []


def test_broken_utf8_in_a_utf8_file_is_replaced_and_reported(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(RUSSIAN.encode() + b"\xff\xfe " + RUSSIAN.encode())
    found = read(tmp_path)
    assert found.texts == [f"{RUSSIAN}\ufffd\ufffd {RUSSIAN}"]
    assert [(fault.kind, fault.source) for fault in found.faults] == [
        ("encoding", str(tmp_path / "x.txt"))
    ]


def test_a_binary_file_among_texts(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("fine")
    (tmp_path / "b.txt").write_bytes(b"\x7fELF\0\0\1")
    (tmp_path / "c.bin").write_bytes(bytes(range(256)))
    found = read(tmp_path)
    assert found.ids == ["a.txt", "b.txt", "c.bin"]
    assert found.texts == ["fine", None, None]
    assert found.faults == []
    named = read(tmp_path / "b.txt", tmp_path / "c.bin")
    assert [fault.kind for fault in named.faults] == ["format", "binary"]
    with pytest.raises(ReadError, match=r"b\.txt: .*a program"):
        read(tmp_path / "b.txt", on_error="stop")


def test_a_directory_loop_is_reported_and_left(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (below / "x.txt").write_text("once")
    (below / "up").symlink_to(tmp_path / "a")
    found = read(tmp_path)
    assert found.ids == ["a/b/x.txt"]
    assert [fault.kind for fault in found.faults] == ["loop"]
    with pytest.raises(ReadError, match="contains itself"):
        read(tmp_path, on_error="stop")


@pytest.mark.parametrize("name", ["b.txt", "b.jsonl", "b.csv", "b.parquet", "b.warc"])
def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (tmp_path / "a.txt").write_text("fine")
    (tmp_path / name).write_bytes(b"PAR1" if name.endswith("parquet") else b"text\n")
    refuse(monkeypatch, tmp_path / name)
    found = read(tmp_path)
    assert found.texts == (["fine", None] if name == "b.txt" else ["fine"])
    assert [(fault.kind, fault.source) for fault in found.faults] == [
        ("unreadable", str(tmp_path / name))
    ]
    with pytest.raises(ReadError, match="permission"):
        read(tmp_path, on_error="stop")


def refuse(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Makes a file unreadable, for root and for kernels, too."""
    import builtins

    def guard(original: Any) -> Any:
        def opened(file: Any, *args: Any, **kwargs: Any) -> Any:
            if str(file) == str(path):
                raise PermissionError(13, "Permission denied", str(path))
            return original(file, *args, **kwargs)

        return opened

    monkeypatch.setattr(builtins, "open", guard(open))
    monkeypatch.setattr(file_groups, "is_named_plain", lambda name: name != str(path))
    monkeypatch.setattr(pq, "ParquetFile", guard(pq.ParquetFile))


def test_deeply_nested_html_neither_crashes_nor_stalls(tmp_path: Path) -> None:
    for tag in ("div", "b", "table"):
        page = f"<html><body>{f'<{tag}>' * 100_000}deep down{f'</{tag}>' * 100_000}</body></html>"
        assert too_deep(page)
        assert html_to_text(page).split() == ["deep", "down"]
    (tmp_path / "x.html").write_text("<div>" * 100_000 + "unclosed &amp; deep")
    assert read(tmp_path).texts == ["unclosed & deep"]


def test_a_file_beyond_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 101)
    (tmp_path / "b.txt").write_text("x" * 100)
    (tmp_path / "c.txt").write_bytes(gzip.compress(b"x" * 101))
    found = read(tmp_path, max_document_bytes=100)
    assert [text is None for text in found.texts] == [True, False, True]
    assert [fault.kind for fault in found.faults] == ["too-long", "too-long"]


def test_stdin_is_spooled_and_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe:
        buffer = io.BytesIO(gzip.compress(warc(DOCS)))

    monkeypatch.setattr(sys, "stdin", Pipe())
    inputs = open_inputs(["-", "-"])  # there is but one
    assert len(inputs.sources) == 1
    first = gather(inputs)
    assert first.ids == [id for id, _ in DOCS]
    assert gather(inputs) == first
    assert inputs.sources[0].name == "stdin"


def test_html_options(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_text("<p>one<p>two")
    (tmp_path / "y.txt").write_text("a <b>c</b>")
    (tmp_path / "z.jsonl").write_text(
        '{"text": "<div>x &lt; y</div>"}\n{"text": "x <b>y"}\n{"text": "<3 hearts"}\n'
    )
    assert read(tmp_path).texts == ["one\n\ntwo", "a <b>c</b>", "x < y", "x <b>y", "<3 hearts"]
    assert read(tmp_path, html="no").texts[0] == "<p>one<p>two"
    assert read(tmp_path, html="yes").texts[1] == "a c"
