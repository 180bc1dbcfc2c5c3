"""Do all formats gain from more cores? Makes the same documents in each, and times `twinset find`.

The documents are made of sentences of a seed, a quarter of them edited copies. Formats: JSON lines,
packed by gzip and zstd, Parquet, CSV, HTML pages in JSON lines and in WARC files, and small text
files. ``python benchmarks/formats.py --work DIR`` makes them once and measures 1, 2, 4, ...
threads. What pairs of files are to each other is not asked, as that is no reading, unless it is
with ``--kinds auto``, as a run over a folder does by itself.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import multiprocessing
import os
import platform
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from measure import measure
from scaling_corpus import edited_copy

SHARDS = 32
"""Files of each format, but for the small text files and the single WARC file."""

ENOUGH = 20
"""Seconds after which a run is not repeated: what takes long varies little."""

_LETTERS = (
    "ka",
    "to",
    "ri",
    "ne",
    "so",
    "lu",
    "mi",
    "pe",
    "da",
    "vo",
    "sha",
    "gre",
    "in",
    "or",
    "st",
)


def sentences(seed: int, count: int = 20_000) -> list[list[str]]:
    """Sentences of made-up words, frequent and rare ones as in a language."""
    chance = random.Random(seed)
    words = ["".join(chance.choices(_LETTERS, k=chance.randrange(1, 5))) for _ in range(30_000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    lengths = [chance.randrange(6, 26) for _ in range(count)]
    drawn = chance.choices(words, weights, k=sum(lengths))
    ends = itertools.accumulate(lengths, initial=0)
    return [drawn[begin:end] for begin, end in itertools.pairwise(ends)]


def documents(shard: int, count: int, stock: list[list[str]]) -> Iterator[tuple[str, str]]:
    """Ids and texts of a shard: one in four is an edited copy of an earlier one."""
    chance = random.Random(shard)
    earlier: list[list[str]] = []
    for number in range(count):
        if earlier and chance.random() < 0.25:
            words = edited_copy(earlier, chance)
        else:
            words = [
                word for drawn in chance.choices(stock, k=chance.randrange(8, 45)) for word in drawn
            ]
            earlier.append(words)
        yield f"{shard}-{number}", " ".join(words)


def page(id: str, text: str) -> str:
    """A page as sites make them: scripts, navigation, the text in paragraphs, related links."""
    words = text.split()
    paragraphs = [" ".join(words[at : at + 40]) for at in range(0, len(words), 40)]
    links = "".join(
        f'<li class="menu-item item-{n}">'
        f'<a href="/section/{n}/index.html" title="Go to {n}">Section {n}</a></li>'
        for n in range(24)
    )
    body = "".join(
        f'<p class="text-block" id="p{n}">{part} '
        f'<a href="/see/{id}/{n}">see <em>this</em></a></p>\n'
        for n, part in enumerate(paragraphs)
    )
    script = (
        "window.dataLayer=window.dataLayer||[];function push(){dataLayer.push(arguments);}\n" * 12
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Page {id}</title>'
        f'<link rel="stylesheet" href="/style.css"><script>{script}</script></head><body>'
        f'<header class="site-header"><nav class="navbar"><ul>{links}</ul></nav></header>'
        f'<div class="wrapper"><main><article><h1>Page {id}</h1>{body}</article></main>'
        f'<aside class="sidebar"><h2>Related</h2><ul>{links}</ul></aside></div>'
        f'<footer class="footer"><ul>{links}</ul><p>All rights reserved</p></footer></body></html>'
    )


def line(id: str, text: str) -> bytes:
    """A document as a line of JSON."""
    return json.dumps({"id": id, "text": text}).encode() + b"\n"


def write_lines(path: Path, rows: Iterator[tuple[str, str]]) -> None:
    """Plain or packed lines, by the suffix."""
    data = b"".join(line(*row) for row in rows)
    if path.suffix == ".gz":
        data = gzip.compress(data, 6, mtime=0)
    elif path.suffix == ".zst":
        import zstandard

        data = zstandard.ZstdCompressor().compress(data)
    path.write_bytes(data)


def write_parquet(path: Path, rows: Iterator[tuple[str, str]]) -> None:
    """A table of two columns, in row groups of 2,000."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    ids, texts = zip(*rows, strict=True)
    pq.write_table(pa.table({"id": ids, "text": texts}), path, row_group_size=2_000)


def write_csv(path: Path, rows: Iterator[tuple[str, str]]) -> None:
    """A table with a header."""
    path.write_text("id,text\n" + "".join(f'{id},"{text}"\n' for id, text in rows))


def write_pages(path: Path, rows: Iterator[tuple[str, str]]) -> None:
    """Pages in lines of JSON."""
    path.write_bytes(b"".join(line(id, page(id, text)) for id, text in rows))


def write_warc(path: Path, rows: Iterator[tuple[str, str]]) -> None:
    """Pages as responses of a web server."""
    records = []
    for id, text in rows:
        http = (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
            + page(id, text).encode()
        )
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:{id}>\r\n"
            f"WARC-Target-URI: http://example.org/{id}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(http)}\r\n\r\n"
        )
        records.append(head.encode() + http + b"\r\n\r\n")
    path.write_bytes(b"".join(records))


def write_files(folder: Path, rows: Iterator[tuple[str, str]]) -> None:
    """A text file for each document."""
    folder.mkdir()
    for id, text in rows:
        (folder / f"{id}.txt").write_text(text)


Write = Callable[[Path, Iterator[tuple[str, str]]], None]
# format -> how a shard is written, its name, and which share of the documents it has
FORMATS: dict[str, tuple[Write, str, float]] = {
    "jsonl": (write_lines, "{:03}.jsonl", 1),
    "gzip": (write_lines, "{:03}.jsonl.gz", 1),
    "zstd": (write_lines, "{:03}.jsonl.zst", 1),
    "parquet": (write_parquet, "{:03}.parquet", 1),
    "csv": (write_csv, "{:03}.csv", 1),
    "html": (write_pages, "{:03}.jsonl", 0.25),
    "warc": (write_warc, "{:03}.warc", 0.25),
    "files": (write_files, "{:03}", 0.25),
}
_stock: list[list[str]] = []


def write_shard(job: tuple[str, Path, int, int]) -> None:
    """One shard of one format."""
    format, folder, shard, count = job
    write, name, share = FORMATS[format]
    write(folder / name.format(shard), documents(shard, int(count * share), _stock))


def make(format: str, work: Path, total: int) -> Path:
    """The folder of a format, made where it is not there."""
    folder = work / f"{format}-{total}"
    if folder.exists():
        return folder
    begun = folder.with_name(f"{folder.name}.begun")
    begun.mkdir(parents=True)
    _stock[:] = _stock or sentences(7)
    jobs = [(format, begun, shard, total // SHARDS) for shard in range(SHARDS)]
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:  # they share the stock
        pool.map(write_shard, jobs, chunksize=1)
    begun.rename(folder)
    return folder


def size_of(folder: Path) -> int:
    """Bytes of all files below."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def counts_up_to(most: int) -> list[int]:
    """1, 2, 4, ... and the greatest."""
    counts = [1]
    while counts[-1] * 2 <= most:
        counts.append(counts[-1] * 2)
    return counts if counts[-1] == most else [*counts, most]


def main() -> None:
    """Make, measure, print, and write the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path(".bench"), help="folder of the corpora")
    parser.add_argument(
        "--documents",
        type=int,
        default=400_000,
        help="documents of the formats (a quarter for pages and files)",
    )
    parser.add_argument("--formats", nargs="*", choices=list(FORMATS), default=list(FORMATS))
    parser.add_argument("--threads", type=int, nargs="*", default=counts_up_to(os.cpu_count() or 1))
    parser.add_argument("--memory", default="8GB")
    parser.add_argument("--kinds", default="no", help="the option of find")
    parser.add_argument("--reps", type=int, default=2, help="runs of which the best counts")
    parser.add_argument("--out", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    twinset = Path(sys.executable).with_name("twinset")
    figures = []
    print(
        f"{'format':8} {'MB':>7} {'threads':>7} {'wall':>7} {'CPU':>7} {'MB/s':>7} "
        f"{'times':>6} {'peak MB':>8}"
    )
    for format in arguments.formats:
        folder = make(format, arguments.work, arguments.documents)
        megabytes, alone = size_of(folder) / 1e6, 0.0
        for threads in arguments.threads:
            report = arguments.work / "report"
            command = [twinset, "find", folder, "-o", report, "--force", "--quiet"]
            command += ["--threads", str(threads), "--memory", arguments.memory]
            command += ["--kinds", arguments.kinds]
            costs = [measure(command)]
            while len(costs) < arguments.reps and sum(cost.wall for cost in costs) < ENOUGH:
                costs.append(measure(command))
            if failed := next((cost for cost in costs if not cost.finished), None):
                raise SystemExit(failed.errors)
            best = min(costs, key=lambda cost: cost.wall)
            alone = alone or best.wall
            row = {
                "format": format,
                "megabytes": round(megabytes, 1),
                "threads": threads,
                "wall": round(best.wall, 3),
                "cpu": round(best.cpu, 3),
                "megabytes_per_second": round(megabytes / best.wall, 1),
                "times_as_fast": round(alone / best.wall, 2),
                "peak_mb": round(best.peak_mb),
            }
            figures.append(row)
            print(
                "{:8} {:7.0f} {:7} {:7.2f} {:7.2f} {:7.0f} {:6.2f} {:8}".format(*row.values()),
                flush=True,
            )
    if arguments.out:
        machine = {
            "machine": platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
        }
        arguments.out.write_text(json.dumps({**machine, "figures": figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
