"""The service under load: CPU of a question, and 64 clients that add and ask at the same time.

The server is a process of its own; its CPU time and memory are those that Linux counts for it. The
clients are threads of this process, each with one connection. Prints a table, and writes
``results/service.json``.

    python benchmarks/service.py [--documents 100000] [--clients 64] [--seconds 60] [--workers 1]
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import platform
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from scaling_corpus import EDITS, paragraphs

RESULTS = Path(__file__).parent / "results" / "service.json"
TICK = os.sysconf("SC_CLK_TCK")
HEADERS = {"Content-Type": "application/json"}


def make_text(chance: random.Random) -> str:
    """A text of about 2 KB that no other resembles by chance."""
    words: list[str] = []
    for _ in range(chance.randint(1, 10)):
        words += chance.choice(paragraphs())
    chance.shuffle(words)
    return " ".join(words)


def edited(text: str, chance: random.Random) -> str:
    """The text with three words replaced."""
    words = text.split()
    for _ in range(3):
        words[chance.randrange(len(words))] = chance.choice(EDITS)
    return " ".join(words)


class Client:
    """One connection."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def post(self, path: str, value: Any) -> tuple[int, bytes]:
        """The status and the body of an answer."""
        self._connection.request("POST", path, json.dumps(value).encode(), HEADERS)
        answer = self._connection.getresponse()
        return answer.status, answer.read()


class Server:
    """A process of ``twinset serve``."""

    def __init__(self, folder: Path, workers: int) -> None:
        command = [sys.executable, "-m", "twinset", "serve", str(folder), "--port", "0"]
        command += ["--workers", str(workers)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout is not None
        found = re.search(r":(\d+)$", self.process.stdout.readline().strip())
        assert found is not None
        self.port = int(found.group(1))
        while True:
            try:
                Client(self.port).post("/query", [{"text": "is it there?"}])
                return
            except OSError:
                time.sleep(0.1)

    def processes(self) -> list[int]:
        """The process and its children."""
        own = self.process.pid
        listed = Path(f"/proc/{own}/task/{own}/children").read_text().split()
        return [own, *map(int, listed)]

    def cpu(self) -> float:
        """Seconds of CPU that it has used."""
        total = 0
        for process in self.processes():
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICK

    def memory(self) -> dict[str, float]:
        """MB that it holds: of its own, and in all (with pages of the index in the file cache)."""
        sums: Counter[str] = Counter()
        for process in self.processes():
            for line in Path(f"/proc/{process}/status").read_text().splitlines():
                if line.startswith(("RssAnon", "VmRSS")):
                    name, amount, _ = line.split()
                    sums[{"RssAnon:": "own_mb", "VmRSS:": "all_mb"}[name]] += int(amount) / 1024
        return {name: round(value, 1) for name, value in sums.items()}

    def end(self) -> int:
        """End it, as an operator does; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


def create(folder: Path, documents: int, chance: random.Random) -> list[str]:
    """An index of so many documents; some of their texts."""
    from twinset.index import Index

    texts: list[str] = []
    with Index.create(folder, threshold=0.8) as index:
        for first in range(0, documents, 5000):
            some = [make_text(chance) for _ in range(min(5000, documents - first))]
            index.add_texts([f"d{first + row}" for row in range(len(some))], some)
            texts = texts or some
    return texts


def ask_alone(server: Server, texts: list[str], chance: random.Random) -> dict[str, float]:
    """CPU of the server for one question after another, and for batches of 100."""
    client = Client(server.port)
    asked = [edited(text, chance) for text in texts[:1000]]
    for text in asked[:100]:
        client.post("/query", [{"text": text}])
    results = {}
    for name, size in (("single", 1), ("batch_of_100", 100)):
        best = float("inf")
        for _ in range(3):
            before, matched = server.cpu(), 0
            for first in range(0, len(asked), size):
                body = [{"text": text} for text in asked[first : first + size]]
                status, answer = client.post("/query", body)
                assert status == 200, answer
                matched += sum(bool(each["matches"]) for each in json.loads(answer))
            assert matched > 0.7 * len(asked), matched
            best = min(best, (server.cpu() - before) / len(asked) * 1000)
        results[f"{name}_cpu_ms"] = round(best, 3)
    return results


def load(
    server: Server, clients: int, seconds: float, adds: float, texts: list[str]
) -> dict[str, Any]:
    """Clients that ask, and in a share of their requests add, as fast as they are answered."""
    statuses: Counter[str] = Counter()
    times: dict[str, list[float]] = {"/query": [], "/documents": []}
    guard = threading.Lock()
    until = time.monotonic() + seconds

    def work(number: int) -> None:
        chance = random.Random(number)
        client = Client(server.port)
        mine: Counter[str] = Counter()
        taken: dict[str, list[float]] = {"/query": [], "/documents": []}
        count = 0
        while time.monotonic() < until:
            text = edited(chance.choice(texts), chance)
            path = "/documents" if chance.random() < adds else "/query"
            count += 1
            begun = time.perf_counter()
            try:
                status, _ = client.post(path, [{"id": f"c{number}-{count}", "text": text}])
            except (OSError, http.client.HTTPException) as fault:
                mine[type(fault).__name__] += 1
                client = Client(server.port)
                continue
            taken[path].append(time.perf_counter() - begun)
            mine[str(status)] += 1
            if status == 429:
                time.sleep(0.05)
        with guard:
            statuses.update(mine)
            for path, values in taken.items():
                times[path] += values

    before = server.cpu()
    threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    time.sleep(min(10.0, seconds / 2))
    early = server.memory()
    for thread in threads:
        thread.join()
    late = server.memory()
    total = sum(map(len, times.values()))
    results: dict[str, Any] = {
        "statuses": dict(statuses),
        "requests_per_second": round(total / seconds),
        "cpu_ms_per_request": round((server.cpu() - before) / max(total, 1) * 1000, 3),
        "memory_after_10_s": early,
        "memory_at_the_end": late,
    }
    every = [value for values in times.values() for value in values]
    for path, values in {"all": every, **times}.items():
        values.sort()
        for name, place in (("p50", 0.5), ("p99", 0.99), ("max", 1.0)):
            at = min(len(values) - 1, int(place * len(values)))
            results[f"{path}_{name}_ms"] = round(values[at] * 1000, 1) if values else None
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--adds", type=float, default=0.2, help="share of requests that add")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="twinset-service-"))
    try:
        texts = create(folder / "index", options.documents, random.Random(1))
        results: dict[str, Any] = {
            "machine": {"cpus": os.cpu_count(), "python": platform.python_version()},
            "options": vars(options),
            "others_before": os.getloadavg()[0],  # a machine in use makes every figure worse
        }
        server = Server(folder / "index", options.workers)
        try:
            results["alone"] = ask_alone(server, texts, random.Random(2))
            results["load"] = load(server, options.clients, options.seconds, options.adds, texts)
        finally:
            results["exit_code"] = server.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(results, indent=2))
    RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
