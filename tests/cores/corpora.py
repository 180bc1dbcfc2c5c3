"""Small collections with everything that makes order and cutting matter: copies, crowds, faults."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

WORDS = [f"w{number}" for number in range(900)]


def texts(seed: int, count: int) -> list[str]:
    """Texts of which a third are edited copies, and some are pages of one template."""
    rng = random.Random(seed)
    made: list[str] = []
    template = rng.choices(WORDS, k=60)
    for _ in range(count):
        kind = rng.random()
        if made and kind < 0.3:
            words = rng.choice(made).split()
            for _ in range(rng.randrange(4)):
                words[rng.randrange(len(words))] = rng.choice(WORDS)
        elif kind < 0.5:
            words = template + rng.choices(WORDS, k=rng.randrange(4, 20))
        else:
            words = rng.choices(WORDS, k=rng.randrange(1, 120))
        made.append(" ".join(words))
    return made


def lines(seed: int, count: int) -> bytes:
    """JSON lines, with blank ones, broken ones, repeated and missing ids, and non-ASCII text."""
    rng = random.Random(seed)
    out = []
    for number, text in enumerate(texts(seed, count)):
        record: dict[str, object] = {"id": f"d{number // 2 if number % 50 == 0 else number}"}
        if number % 97 == 0:
            del record["id"]
        record["text"] = text if number % 11 else text.replace("w1", "ж1 \u00e9t\u00e9 ")
        out.append(json.dumps(record, ensure_ascii=bool(number % 3)))
        if rng.random() < 0.02:
            out.append(rng.choice(["", "  ", "{broken", '{"id": "x"}', "[1]", '{"text": 5}']))
    return "\n".join(out).encode() + b"\n" * (seed % 2)


def written(folder: Path, kind: str, seed: int, count: int) -> Path:
    """A collection of one kind in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [lines(seed + part, count // 3) for part in range(3)]
    if kind == "jsonl":
        (folder / "all.jsonl").write_bytes(b"\n".join(parts))
    elif kind == "gzip":
        for number, part in enumerate(parts):
            (folder / f"{number}.jsonl.gz").write_bytes(gzip.compress(part, 1))
    elif kind == "zstd":
        for number, part in enumerate(parts):
            (folder / f"{number}.jsonl.zst").write_bytes(zstandard.compress(part))
    elif kind == "parquet":
        for number in range(3):
            own = texts(seed + number, count // 3)
            ids = [f"{number}-{row}" for row in range(len(own))]
            pq.write_table(pa.table({"id": ids, "text": own}), folder / f"{number}.parquet", 64)
    elif kind == "files":
        for number, text in enumerate(texts(seed, count)):
            (folder / f"{number:04}.txt").write_text(text)
    elif kind == "pages":
        for number, text in enumerate(texts(seed, count)):
            page = f"<html><head><title>{number}</title></head><body><p>{text}</p></body></html>"
            (folder / f"{number:04}.html").write_text(page)
    return folder
