"""The same documents in every format: what the contract of the readers is tried on."""

from __future__ import annotations

import base64
import bz2
import csv
import gzip
import io
import json
import lzma
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

Docs = Sequence[tuple[str, str]]

RUSSIAN = "Это страница в старой кодировке, и она должна читаться верно, слово за словом."
DOCS: Docs = (
    ("a1", "The quick brown fox jumps over the lazy dog."),
    ("b,2", 'She said "yes", then\nleft; nobody knew\twhy.'),
    ("в-3", "Быстрая лиса прыгает через ленивую собаку, снова и снова."),
    ("d4", "日本語の文章。 emoji 😀 \u00e9 e\u0301"),
    ("e5", "last one, no surprises " * 40),
)


def jsonl(docs: Docs) -> bytes:
    lines = [json.dumps({"n": i, "id": id, "text": text}) for i, (id, text) in enumerate(docs)]
    return ("\n".join(lines) + "\n").encode()


def delimited(docs: Docs, delimiter: str) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(["n", "id", "text", "more"])
    writer.writerows([i, id, text, "x"] for i, (id, text) in enumerate(docs))
    return out.getvalue().encode()


def parquet(docs: Docs) -> bytes:
    table = pa.table(
        {
            "n": pa.array(range(len(docs)), pa.int64()),
            "id": pa.array([id for id, _ in docs], pa.string()),
            "text": pa.array([text for _, text in docs], pa.string()),
        }
    )
    out = io.BytesIO()
    pq.write_table(table, out, row_group_size=2)
    return out.getvalue()


def romip(docs: Docs, encoding: str = "utf-8") -> bytes:
    parts = ['<?xml version="1.0"?>\n<romip:dataset xmlns:romip="http://www.romip.ru/data/common">']
    for id, text in docs:
        page = f"<html><body><p>{_escaped(text)}</p></body></html>".encode(encoding)
        url = base64.b64encode(f"http://example.org/{id}".encode()).decode()
        parts.append(
            f"<document>\n<docID>{_escaped(id)}</docID>\n<docURL>{url}</docURL>\n"
            f'<content encoding="base64">{base64.encodebytes(page).decode()}</content>\n</document>'
        )
    return ("\n".join(parts) + "\n</romip:dataset>\n").encode()


def warc_record(kind: str, uri: str, body: bytes, content_type: str) -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:0-{len(body)}>\r\n"
        f"WARC-Target-URI: {uri}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body + b"\r\n\r\n"


def http(body: bytes, content_type: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def warc(docs: Docs) -> bytes:
    parts = [warc_record("warcinfo", "x", b"software: test\r\n", "application/warc-fields")]
    for i, (id, text) in enumerate(docs):
        if i % 2:
            parts.append(warc_record("conversion", id, text.encode(), "text/plain"))
            continue
        page = f"<html><body><p>{_escaped(text)}</p></body></html>".encode()
        parts.append(warc_record("request", id, b"GET / HTTP/1.1\r\n\r\n", "application/http"))
        answer = http(page, "text/html; charset=utf-8")
        parts.append(warc_record("response", id, answer, "application/http; msgtype=response"))
        image = http(b"\x89PNG\0\0", "image/png")
        parts.append(warc_record("response", "img", image, "application/http; msgtype=response"))
    return b"".join(parts)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


# reader -> (file name, bytes from documents)
FORMATS: dict[str, tuple[str, Callable[[Docs], bytes]]] = {
    "jsonl": ("docs.jsonl", jsonl),
    "csv": ("docs.csv", lambda docs: delimited(docs, ",")),
    "tsv": ("docs.tsv", lambda docs: delimited(docs, "\t")),
    "parquet": ("docs.parquet", parquet),
    "romip": ("docs.xml", romip),
    "warc": ("docs.warc", warc),
}
# reader -> the id that a document gets there, or None, where that is not its own id
IDS: dict[str, Callable[[str], str | None]] = {"files": lambda id: f"{id}.txt"}

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda data: (
        gzip.compress(data[: len(data) // 2]) + gzip.compress(data[len(data) // 2 :])
    ),
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.compress,
}


def unpack(data: bytes, packing: str | None) -> bytes:
    if packing == "zst":
        return zstandard.ZstdDecompressor().decompressobj().decompress(data)
    unpackers = {"gz": gzip.decompress, "bz2": bz2.decompress, "xz": lzma.decompress}
    return unpackers[packing](data) if packing else data


def write(folder: Path, reader: str, docs: Docs = DOCS, packing: str | None = None) -> Path:
    """The documents as a file of this format; for plain files a folder."""
    if reader == "files":
        root = folder / "docs"
        for id, text in docs:
            path = root / f"{id}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            data = text.encode()
            path.write_bytes(PACKERS[packing](data) if packing else data)
        return root
    name, make = FORMATS[reader]
    data = make(docs)
    path = folder / (f"{name}.{packing}" if packing else name)
    path.write_bytes(PACKERS[packing](data) if packing else data)
    return path
