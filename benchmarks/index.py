"""What does an index cost: adding, asking, space; beside datasketch and gaoya on the same texts.

    python benchmarks/index.py CORPUS... --work DIR [--before OTHER/bin/twinset]

CORPUS are files of JSON lines with id and text; the first ``--few`` documents go to the peers,
which keep theirs in memory (datasketch also in Redis, where its server and Python package are).
Each step is a process of its own, whose CPU time is that of all its threads; steps that build
something are charged with the reading of their documents as well. Questions are documents of the
index themselves, one at a time; their times are CPU times of the asking thread. ``--before`` names
a twinset whose ``find`` over all documents is run beside the adding. Recall and precision are held
against ``find --exact`` over the first ``--judged`` documents.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from measure import Cost, measure
from table import machine

RESULTS = Path(__file__).resolve().parent / "results" / "index.json"
THRESHOLD, RECALL, PERMUTATIONS = 0.8, 0.99, 128
ASKED = 2000
REDIS_FEW = 1000


def documents(paths: list[str], most: int) -> list[tuple[str, str]]:
    """The first documents of the files."""
    lines = itertools.chain.from_iterable(map(open, paths))
    rows = (json.loads(line) for line in itertools.islice(lines, most))
    return [(str(row["id"]), row["text"]) for row in rows]


def spread(seconds: list[float]) -> dict[str, float]:
    """Percentiles in milliseconds."""
    ordered = sorted(seconds)
    places = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
    return {
        name: round(ordered[int(share * (len(ordered) - 1))] * 1000, 4)
        for name, share in places.items()
    }


def timed(questions: list[Any], ask: Callable[[Any], Any]) -> list[float]:
    """CPU times of the questions; the first hundred only warm up."""
    for question in questions[:100]:
        ask(question)
    times = []
    for question in questions:
        begun = time.thread_time()
        ask(question)
        times.append(time.thread_time() - begun)
    return times


# steps: each runs in a process of its own and prints JSON


def add(place: str, paths: list[str], kept: str) -> dict[str, Any]:
    """A new index of all documents."""
    from twinset import Index

    with Index.create(place, threshold=THRESHOLD, recall=RECALL, kept=kept) as index:
        index.add([Path(path) for path in paths])
        info = index.info()
    return {name: info[name] for name in ("documents", "bytes", "key_files")}


def ask(place: str, paths: list[str]) -> dict[str, Any]:
    """Questions one at a time and a hundred at a time."""
    from twinset import Index

    questions = documents(paths[-1:], ASKED)
    with Index.open(place) as index:
        matches = 0

        def one(question: tuple[str, str]) -> None:
            nonlocal matches
            [answer] = index.query_texts([question[0]], [question[1]])
            matches += len(answer.matches)

        single = spread(timed(questions, one))
        begun = time.thread_time()
        for at in range(0, len(questions), 100):
            ids, texts = zip(*questions[at : at + 100], strict=True)
            index.query_texts(ids, texts)
        batched = (time.thread_time() - begun) / len(questions)
    return {"ms": single, "batched_ms": round(batched * 1000, 4), "matches": matches}


def judge(place: str, paths: list[str], most: int) -> dict[str, Any]:
    """Recall and precision against an exact run over the same documents."""
    import twinset

    some = dict(documents(paths, most))
    exact = twinset.find(some, THRESHOLD, exact=True, kinds="no", repeated="keep", dense=1 << 30)
    sides = exact.pairs["left"].to_pylist(), exact.pairs["right"].to_pylist()
    true = {frozenset(pair) for pair in zip(*sides, strict=True)}
    with twinset.Index.create(place, threshold=THRESHOLD, recall=RECALL) as index:
        index.add(some)
        found = {
            frozenset((answer.id, match.id))
            for answer in index.query(some, top=0)
            for match in answer.matches
        }
    return {
        "documents": len(some),
        "pairs": len(true),
        "recall": round(len(found & true) / max(len(true), 1), 5),
        "precision": round(len(found & true) / max(len(found), 1), 5),
    }


def shingles(text: str) -> Iterator[bytes]:
    """Five words, as all contenders compare them."""
    words = text.lower().split()
    for at in range(max(len(words) - 4, 1)):
        yield " ".join(words[at : at + 5]).encode()


def datasketch(paths: list[str], most: int, redis: str) -> dict[str, Any]:
    """Its own index, in memory or in Redis; candidates are not verified."""
    from datasketch import MinHash, MinHashLSH

    def sketch(text: str) -> Any:
        made = MinHash(PERMUTATIONS)
        made.update_batch(list(shingles(text)))
        return made

    storage = None
    if redis:
        storage = {"type": "redis", "redis": {"unix_socket_path": redis}}
    some = documents(paths, most)
    begun = time.process_time()
    index = MinHashLSH(THRESHOLD, PERMUTATIONS, storage_config=storage)
    for name, text in some:
        index.insert(name, sketch(text))
    added = time.process_time() - begun
    times = timed(some[:ASKED], lambda each: index.query(sketch(each[1])))
    return {"documents": len(some), "add_cpu": round(added, 2), "ms": spread(times)}


def gaoya(paths: list[str], most: int) -> dict[str, Any]:
    """Its own index, in memory, by all cores; candidates are not verified."""
    from gaoya.minhash import MinHashStringIndex

    some = documents(paths, most)
    begun = time.process_time()
    shape = (None, None, PERMUTATIONS, "word", True, (5, 5), "smallvec")
    index = MinHashStringIndex(32, THRESHOLD, *shape)
    names, texts = zip(*some, strict=True)
    index.par_bulk_insert_docs(list(range(len(names))), list(texts))
    added = time.process_time() - begun
    times = timed(some[:ASKED], lambda each: index.query(each[1]))
    return {"documents": len(some), "add_cpu": round(added, 2), "ms": spread(times)}


STEPS = {step.__name__: step for step in (add, ask, judge, datasketch, gaoya)}


class Race:
    """Runs the steps one after the other and keeps what they say."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.asked, self.result = asked, {"machine": machine(), "steps": {}}
        self.paths = [str(path) for path in asked.corpus]

    def run(self, name: str, *arguments: Any, step: str, python: str = sys.executable) -> Cost:
        """A step in a process of its own."""
        command = [python, __file__, "--step", json.dumps([step, *arguments])]
        cost = measure(command, 7200)
        told: dict[str, Any] = {"cpu": round(cost.cpu, 2), "wall": round(cost.wall, 2)}
        told["peak_mb"] = round(cost.peak_mb)
        if cost.finished:
            told |= json.loads(cost.output.splitlines()[-1])
        else:
            told["fault"] = (cost.errors.strip().splitlines() or ["it ended"])[-1][:200]
        self.result["steps"][name] = told
        print(name, told, file=sys.stderr, flush=True)
        return cost

    def ours(self) -> None:
        """Adding and asking at several sizes, and what is kept."""
        work = Path(self.asked.work)
        size = sum(os.path.getsize(path) for path in self.paths)
        for kept in self.asked.kept:
            place = work / f"index-{kept}"
            shutil.rmtree(place, ignore_errors=True)
            self.run(f"add {kept}", str(place), self.paths, kept, step="add")
            told = self.result["steps"][f"add {kept}"]
            told["bytes_per_input_byte"] = round(told.get("bytes", 0) / size, 3)
            self.run(f"ask {kept}", str(place), self.paths, step="ask")
            shutil.rmtree(place, ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=work) as folder:
            place = str(Path(folder, "index"))
            self.run("quality", place, self.paths, self.asked.judged, step="judge")

    def before(self) -> None:
        """``find`` of another version over the same documents."""
        report = Path(self.asked.work) / "report"
        command = [self.asked.before, "find", *self.paths, "-o", report, "--force", "--quiet"]
        cost = measure([str(word) for word in command], 7200)
        self.result["steps"]["find before"] = {"cpu": round(cost.cpu, 2), "wall": cost.wall}
        print("find before", self.result["steps"]["find before"], file=sys.stderr, flush=True)
        shutil.rmtree(report, ignore_errors=True)

    def peers(self) -> None:
        """The same documents in other tools' indexes, and in ours."""
        few, work = self.asked.few, Path(self.asked.work)
        with tempfile.TemporaryDirectory(dir=work) as folder:
            corpus = Path(folder, "few.jsonl")
            with corpus.open("w", encoding="utf-8") as file:
                for name, text in documents(self.paths, few):
                    print(json.dumps({"id": name, "text": text}), file=file)
            self.run("few: twinset add", str(Path(folder, "i")), [str(corpus)], "texts", step="add")
            self.run("few: twinset ask", str(Path(folder, "i")), [str(corpus)], step="ask")
        self.run("few: datasketch", self.paths, few, "", step="datasketch")
        if self.asked.gaoya:
            self.run("few: gaoya", self.paths, few, step="gaoya", python=self.asked.gaoya)
        if shutil.which("redis-server"):
            with tempfile.TemporaryDirectory() as folder:
                socket = str(Path(folder, "redis"))
                command = ["redis-server", "--port", "0", "--unixsocket", socket, "--save", ""]
                server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
                try:
                    time.sleep(1)
                    name = "few: datasketch in Redis"
                    self.run(name, self.paths, REDIS_FEW, socket, step="datasketch")
                finally:
                    server.terminate()
                    server.wait()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", nargs="*", type=Path)
    parser.add_argument("--work", default=tempfile.gettempdir(), help="where indexes are made")
    parser.add_argument("--few", type=int, default=20_000, help="documents for the peers")
    parser.add_argument("--judged", type=int, default=20_000, help="documents for the recall")
    parser.add_argument("--kept", nargs="*", default=["texts", "sketches"])
    parser.add_argument("--before", help="another twinset, whose find is run beside")
    parser.add_argument("--gaoya", help="a Python that has gaoya")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--step", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.step:
        name, *arguments = json.loads(asked.step)
        print(json.dumps(STEPS[name](*arguments)))
        return
    race = Race(asked)
    race.ours()
    if asked.before:
        race.before()
    race.peers()
    asked.out.write_text(json.dumps(race.result, indent=1) + "\n")


if __name__ == "__main__":
    main()
