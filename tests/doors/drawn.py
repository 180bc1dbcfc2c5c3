"""Drawn collections in every format, written and read by other libraries than ours.

A record is a mapping with an ``id``, a ``text`` and more fields, which no output may change.
"""

from __future__ import annotations

import bz2
import csv
import datetime as dt
import gzip
import io
import json
import lzma
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from fastwarc.warc import ArchiveIterator
from hypothesis import strategies as st

Record = dict[str, Any]
ADDED = ("twinset_cluster", "twinset_keep", "twinset_kept_id", "twinset_score")
PACKERS: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    "": (bytes, bytes),
    ".gz": (gzip.compress, gzip.decompress),
    ".bz2": (bz2.compress, bz2.decompress),
    ".xz": (lzma.compress, lzma.decompress),
    ".zst": (
        zstandard.ZstdCompressor().compress,
        lambda raw: zstandard.ZstdDecompressor().decompressobj().decompress(raw),
    ),
}
BASES = (
    "the contract begins on the first day of march and ends when either party says so in writing "
    "with three months of notice given to the other at the address below",
    "Мороз и солнце день чудесный ещё ты дремлешь друг прелестный пора красавица проснись открой "
    "сомкнуты негой взоры навстречу северной авроры звездою севера явись",
    "a recipe for four people takes two onions some oil a tin of tomatoes salt pepper and half an "
    "hour of patience while everything cooks slowly on a small flame",
)
ENDINGS = ("", " and so on", " ещё раз", ', he said "twice"')
IDS = st.text("abcdeё -_1234567890", min_size=1, max_size=6).map(str.strip).filter(bool)
# No surrogates: files cannot hold them. No control characters that a CSV reader would take away.
WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]) | st.sampled_from('\n\t",;'),
    max_size=12,
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """One of few texts, so that equal and nearly equal ones meet."""
    return draw(st.sampled_from(BASES)) + draw(st.sampled_from(ENDINGS))


@st.composite
def records(
    draw: st.DrawFn, fields: dict[str, st.SearchStrategy[Any]], least: int = 1
) -> list[Record]:
    """Records with distinct ids and these further fields."""
    ids = draw(st.lists(IDS, min_size=least, max_size=8, unique=True))
    return [
        {"id": id, "text": draw(texts()), **{name: draw(values) for name, values in fields.items()}}
        for id in ids
    ]


@dataclass(frozen=True)
class DrawnFormat:
    """A format as other libraries write and read it; ``fields`` are the further ones."""

    suffix: str
    write: Callable[[Sequence[Record]], bytes]
    read: Callable[[bytes], list[Record]]
    fields: dict[str, st.SearchStrategy[Any]]
    packings: tuple[str, ...] = tuple(PACKERS)

    def save(self, path: Path, rows: Sequence[Record]) -> Path:
        """A file with these records; its packing is that of its name."""
        pack = PACKERS[path.suffix if path.suffix in PACKERS else ""][0]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pack(self.write(rows)))
        return path

    def load(self, path: Path) -> list[Record]:
        """The records of a file."""
        unpack = PACKERS[path.suffix if path.suffix in PACKERS else ""][1]
        return self.read(unpack(path.read_bytes()))


def write_jsonl(rows: Sequence[Record]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def read_jsonl(data: bytes) -> list[Record]:
    return [json.loads(line) for line in data.decode().split("\n") if line.strip()]


def write_csv(rows: Sequence[Record], delimiter: str = ",") -> bytes:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def read_csv(data: bytes, delimiter: str = ",") -> list[Record]:
    rows = csv.DictReader(io.StringIO(data.decode(), newline=""), delimiter=delimiter)
    return [dict(row) for row in rows]


SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("text", pa.large_string()),
        pa.field("n", pa.int32()),
        pa.field("score", pa.float64()),
        pa.field("tags", pa.list_(pa.string())),
        pa.field("meta", pa.struct([("url", pa.string()), ("depth", pa.int64())])),
        pa.field("when", pa.timestamp("us", tz="UTC")),
        pa.field("raw", pa.binary()),
    ],
    metadata={"made by": "a crawler"},
)


def write_parquet(rows: Sequence[Record]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows), SCHEMA), out, row_group_size=3)
    return out.getvalue()


def read_parquet(data: bytes) -> list[Record]:
    rows: list[Record] = pq.read_table(io.BytesIO(data)).to_pylist()
    return rows


def write_warc(rows: Sequence[Record]) -> bytes:
    parts = [b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 4\r\n\r\nx: y\r\n\r\n"]
    for row in rows:
        body = row["text"].encode()
        head = (
            f"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: {row['id']}\r\n"
            f"WARC-Date: {row['date']}\r\nX-Crawler: {row['crawler']}\r\n"
            f"Content-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        parts.append(head.encode() + body + b"\r\n\r\n")
    return b"".join(parts)


def read_warc(data: bytes) -> list[Record]:
    rows = []
    for record in ArchiveIterator(io.BytesIO(data)):
        headers = dict(record.headers.items())
        if headers["WARC-Type"] != "conversion":
            continue
        row = {
            "id": headers["WARC-Target-URI"],
            "text": record.reader.read().decode(),
            "date": headers["WARC-Date"],
            "crawler": headers["X-Crawler"],
        }
        row.update({name: headers[name] for name in ADDED if name in headers})
        rows.append(row)
    return rows


TIMES = st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(2030, 1, 1), timezones=st.just(dt.UTC))
NOT_EMPTY = st.text("abc ё,;\"'\n", max_size=8)
FORMATS = {
    "jsonl": DrawnFormat(".jsonl", write_jsonl, read_jsonl, {"n": VALUES, "meta": VALUES}),
    "csv": DrawnFormat(".csv", write_csv, read_csv, {"n": NOT_EMPTY, "note, more": NOT_EMPTY}),
    "tsv": DrawnFormat(
        ".tsv",
        lambda rows: write_csv(rows, "\t"),
        lambda data: read_csv(data, "\t"),
        {"n": NOT_EMPTY},
    ),
    "parquet": DrawnFormat(
        ".parquet",
        write_parquet,
        read_parquet,
        {
            "n": st.none() | st.integers(-(2**31), 2**31 - 1),
            "score": st.none() | st.floats(allow_nan=False),
            "tags": st.none() | st.lists(st.none() | WORDS, max_size=2),
            "meta": st.none()
            | st.fixed_dictionaries(
                {"url": st.none() | WORDS, "depth": st.none() | st.integers(0, 9)}
            ),
            "when": st.none() | TIMES,
            "raw": st.none() | st.binary(max_size=6),
        },
    ),
    "warc": DrawnFormat(
        ".warc",
        write_warc,
        read_warc,
        {
            "date": st.sampled_from(["2026-01-01T00:00:00Z", "2025-12-31T23:59:59Z"]),
            "crawler": st.sampled_from(["a/1.0", "b; c"]),
        },
    ),
}
