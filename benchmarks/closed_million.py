"""Closed sets of a million documents beside the time it takes to sketch as many, and a whole run.

    python benchmarks/closed_million.py                          # contexts of mine/generated.py
    python benchmarks/closed_million.py --corpus c200k.jsonl     # sketching of real text, and a run

Sketching is what makes images of texts: words, shingles, the 100 least of them (``bottom``), or a
hundred minima (``minwise``). The made documents of the contexts have 400 shingles, so their texts
have 404 words; a hundred thousand are drawn at random and sketched ten times. With ``--corpus``
the texts of a file are sketched instead, as many times as a million takes. CPU seconds of one
thread, the best of some runs, each in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import closed_sets
import measure
from twinset.finding.features.shingles import Shingles
from twinset.plan import spec as parts
from twinset.reading import open_inputs

RESULTS = Path(__file__).parent / "results" / "closed_million.json"
MILLION = 1_000_000
WORDS, AT_ONCE, AGAIN = 404, 10_000, 10


def made_texts() -> Iterator[pa.Array]:
    """Texts of 404 words from a vocabulary with the word lengths of English."""
    rng = np.random.default_rng(1)
    letters = np.frombuffer(b"etaoinshrdlucmfwypvbgkjqxz", np.uint8)
    lengths = 1 + rng.poisson(3.7, 50_000)
    vocabulary = [rng.choice(letters, size).tobytes().decode() for size in lengths]
    places = range(MILLION // (AT_ONCE * AGAIN))
    drawn = (rng.integers(0, len(vocabulary), (AT_ONCE, WORDS)).tolist() for _ in places)
    texts = [
        pa.array([" ".join([vocabulary[word] for word in row]) for row in rows], pa.large_string())
        for rows in drawn
    ]
    for _ in range(AGAIN):
        yield from texts


def real_texts(corpus: str) -> Iterator[pa.Array]:
    """The texts of a file, from the beginning again until there are a million."""
    left = MILLION
    while left > 0:
        for batch in open_inputs([corpus]).batches():
            yield batch.texts.slice(0, left)
            left -= len(batch)
            if left <= 0:
                return


def sketch(kind: str, corpus: str) -> None:
    """Sketches a million texts and prints what that took, without making or reading them."""
    image, shingles = parts.make("image", f"{kind}:size=100"), Shingles(5)
    cpu, count, size = 0.0, 0, 0
    for texts in real_texts(corpus) if corpus else made_texts():
        begun = time.thread_time()
        features, units = shingles.extract(texts, 1)
        (image.image if image.shape == "set" else image.sketch)(features, 1)
        cpu += time.thread_time() - begun
        count, size = count + len(texts), size + int(units.sum())
    memory = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3)
    told = {"cpu": round(cpu, 2), "documents": count, "words": size, "megabytes": memory}
    print(json.dumps(told))


def best(times: int, command: list[str]) -> dict[str, Any]:
    """The run of least CPU time."""
    runs = [
        json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(times)
    ]
    return dict(min(runs, key=lambda run: float(run["cpu"])))


def sets(kind: str, k: int, longest: int, times: int) -> dict[str, Any]:
    """Our search with its default bounds on a made context of a million documents."""
    with tempfile.TemporaryDirectory() as folder:
        made = [folder, str(MILLION), kind, "1", str(longest)]
        subprocess.run([sys.executable, closed_sets.__file__, "--make", *made], check=True)
        child = [sys.executable, closed_sets.__file__, "--child", folder]
        found = best(times, [*child, "twinset, capped", str(k), "1"])
    return {"kind": kind, "k": k, "longest": longest, **found}


def whole_run(corpus: str) -> dict[str, Any]:
    """The papers' experiment in one line, from a file to a report."""
    line = "--clusters closed --k 85 --image bottom:size=100 --shingle 20 -q --force"
    with tempfile.TemporaryDirectory() as folder:
        tool = str(Path(sys.executable).with_name("twinset"))
        cost = measure.measure([tool, "find", corpus, *line.split(), "-o", f"{folder}/out"])
        manifest = json.loads(Path(folder, "out", "manifest.json").read_text())
    figures = {
        "cpu": round(cost.cpu, 1),
        "wall": round(cost.wall, 1),
        "peak_mb": round(cost.peak_mb),
    }
    told = {name: manifest["counts"][name] for name in ("documents", "pairs", "clusters")}
    return {**figures, **told, "closed": manifest["closed"], "timings": manifest["timings"]}


def main() -> None:
    """Measure and keep the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--corpus", default="", help="JSON lines to sketch and to run on")
    parser.add_argument("--kind", choices=("bottom", "minwise"), default="bottom")
    parser.add_argument("--times", type=int, default=2)
    options = parser.parse_args()
    told = {"machine": f"{platform.machine()}, {os.cpu_count()} cores", "load": os.getloadavg()[0]}
    entry = f"{options.kind}, {(options.corpus and Path(options.corpus).name) or 'made'}"
    child = [sys.executable, __file__, "--sketch", options.kind, options.corpus]
    result = {**told, "sketching": best(options.times, child)}
    if options.corpus:
        result["run"] = whole_run(options.corpus)
    else:
        asked = [(k, longest) for longest in (15, 20) for k in (95, 85)]
        result["sets"] = [sets(options.kind, k, longest, options.times) for k, longest in asked]
        for one in result["sets"]:
            one["times_sketching"] = round(one["cpu"] / result["sketching"]["cpu"], 2)
    print(json.dumps({entry: result}, indent=1))
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    RESULTS.write_text(json.dumps(kept | {entry: result}, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sketch"]:
        sketch(sys.argv[2], sys.argv[3])
    else:
        main()
