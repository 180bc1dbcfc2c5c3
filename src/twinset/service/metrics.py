"""Figures for Prometheus, in its text format; those of several processes are put together.

Each process writes its own to a file that the others read. The files of processes that have ended
stay, so that counts never fall.
"""

from __future__ import annotations

import json
import os
import time
from bisect import bisect_left
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper ends of durations in seconds."""
SILENT = 10.0
"""Seconds after which a process that writes nothing has ended."""
METHODS = ("GET", "POST", "DELETE")
KIND = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counts of requests and of documents, and how long requests take; used by one thread."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self.requests: dict[str, int] = {}
        self.documents: dict[str, int] = {}
        self.durations: dict[str, list[float]] = {}

    def count_request(self, method: str, path: str, status: int, seconds: float) -> None:
        """One request that was answered; ``path`` is that of the route, not of a document."""
        method = method if method in METHODS else "other"
        labels = f'method="{method}",path="{path}",status="{status}"'
        self.requests[labels] = self.requests.get(labels, 0) + 1
        row = self.durations.setdefault(f'path="{path}"', [0.0] * (len(BUCKETS) + 2))
        row[bisect_left(BUCKETS, seconds)] += 1
        row[-1] += seconds

    def count_documents(self, work: str, count: int) -> None:
        """Documents that were added, asked about or removed."""
        labels = f'work="{work}"'
        self.documents[labels] = self.documents.get(labels, 0) + count

    def _as_dict(self, waiting: Mapping[str, int]) -> dict[str, Any]:
        return {
            "requests": self.requests,
            "documents": self.documents,
            "durations": self.durations,
            "waiting": {f'queue="{name}"': count for name, count in waiting.items()},
        }

    def share(self, waiting: Mapping[str, int]) -> None:
        """Let the other processes know, where there are any."""
        if self._folder is None:
            return
        path = self._folder / f"{os.getpid()}.json"
        with suppress(OSError):
            path.with_suffix(".new").write_text(json.dumps(self._as_dict(waiting)), "utf-8")
            path.with_suffix(".new").replace(path)

    def _of_others(self) -> list[dict[str, Any]]:
        found = []
        for path in sorted(self._folder.glob("*.json")) if self._folder else ():
            if path.stem != str(os.getpid()):
                with suppress(OSError, ValueError):
                    values: dict[str, Any] = json.loads(path.read_text("utf-8"))
                    if abs(time.time() - path.stat().st_mtime) > SILENT:
                        values["waiting"] = {}
                    found.append(values)
        return found

    def text(self, documents: int, waiting: Mapping[str, int]) -> str:
        """All figures; ``documents`` are in the index, requests wait in the queues."""
        total: dict[str, dict[str, Any]] = {}
        for values in [self._as_dict(waiting), *self._of_others()]:
            for name, rows in values.items():
                _include(total.setdefault(name, {}), rows)
        lines = [
            *_head("twinset_documents", "gauge", "Documents in the index."),
            f"twinset_documents {documents}",
            *_head("twinset_waiting_requests", "gauge", "Requests that wait in a queue."),
            *_lines("twinset_waiting_requests", total["waiting"]),
            *_head("twinset_requests_total", "counter", "Requests that were answered."),
            *_lines("twinset_requests_total", total["requests"]),
            *_head("twinset_work_documents_total", "counter", "Documents by what was done."),
            *_lines("twinset_work_documents_total", total["documents"]),
            *_head("twinset_request_seconds", "histogram", "How long requests took."),
        ]
        for labels, row in sorted(total["durations"].items()):
            count = 0
            for end, number in zip((*BUCKETS, "+Inf"), row, strict=False):
                count += int(number)
                lines.append(f'twinset_request_seconds_bucket{{{labels},le="{end}"}} {count}')
            lines.append(f"twinset_request_seconds_sum{{{labels}}} {row[-1]:.6f}")
            lines.append(f"twinset_request_seconds_count{{{labels}}} {count}")
        return "\n".join(lines) + "\n"


def _include(total: dict[str, Any], rows: Mapping[str, Any]) -> None:
    for labels, value in rows.items():
        if isinstance(value, list):
            before = total.get(labels, [0.0] * len(value))
            total[labels] = [a + b for a, b in zip(before, value, strict=True)]
        else:
            total[labels] = total.get(labels, 0) + value


def _head(name: str, kind: str, sentence: str) -> list[str]:
    return [f"# HELP {name} {sentence}", f"# TYPE {name} {kind}"]


def _lines(name: str, rows: Mapping[str, int]) -> list[str]:
    return [f"{name}{{{labels}}} {value}" for labels, value in sorted(rows.items())]
