"""What whoever runs the service sees: lines of JSON on stderr, and figures for Prometheus.

Lines say what was asked, by whom, and how long it took, and hold no text of documents. Several
processes put their figures together in a folder of files.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import traceback
from collections.abc import Mapping
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable by which the library is told of the folder, before it is imported."""
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper ends of durations in seconds."""
METHODS = ("GET", "POST", "DELETE")
KIND = "text/plain; version=0.0.4; charset=utf-8"


def write_line(level: str, event: str, **facts: Any) -> None:
    """One line, written at once."""
    now = time.time()
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03}Z"
    line = json.dumps({"time": moment, "level": level, "event": event} | facts)
    try:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):  # nobody reads them: no reason to stop
        pass


def places_of(fault: BaseException) -> list[str]:
    """Where a fault comes from; what it says is left out, since it may quote a document."""
    frames = traceback.extract_tb(fault.__traceback__)[-8:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


class JsonHandler(logging.Handler):
    """What libraries log, as lines of the same kind."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        facts: dict[str, Any] = {"message": record.getMessage()}
        if record.exc_info and record.exc_info[1] is not None:
            fault = record.exc_info[1]
            facts |= {"fault": type(fault).__name__, "places": places_of(fault)}
        write_line(record.levelname.lower(), record.name, **facts)


def log_libraries() -> None:
    """Let warnings of the server's own library come as lines of JSON."""
    logger = logging.getLogger("uvicorn")
    logger.handlers, logger.propagate = [JsonHandler(logging.WARNING)], False
    logger.setLevel(logging.WARNING)


class Metrics:
    """Counts of requests and of documents, and how long requests take."""

    def __init__(self) -> None:
        disable_created_metrics()
        own = self._registry = CollectorRegistry()
        labels = ["method", "path", "status"]
        self._requests = Counter(
            "twinset_requests", "Requests that were answered.", labels, registry=own
        )
        self._work = Counter(
            "twinset_work_documents", "Documents by what was done.", ["work"], registry=own
        )
        self._seconds = Histogram(
            "twinset_request_seconds",
            "How long requests took.",
            ["path"],
            buckets=BUCKETS,
            registry=own,
        )
        self._waiting = Gauge(
            "twinset_waiting_requests",
            "Requests that wait in a queue.",
            ["queue"],
            registry=own,
            multiprocess_mode="livesum",
        )
        self._documents = Gauge(
            "twinset_documents",
            "Documents in the index.",
            registry=own,
            multiprocess_mode="mostrecent",
        )

    def count_request(self, method: str, path: str, status: int, seconds: float) -> None:
        """One request that was answered; ``path`` is that of the route, not of a document."""
        known = method if method in METHODS else "other"
        self._requests.labels(known, path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def count_documents(self, work: str, count: int) -> None:
        """Documents that were added, asked about or removed."""
        self._work.labels(work).inc(count)

    def note_waiting(self, waiting: Mapping[str, int]) -> None:
        """How many requests wait in each queue."""
        for queue, count in waiting.items():
            self._waiting.labels(queue).set(count)

    def text(self, documents: int) -> str:
        """All figures; ``documents`` are in the index."""
        self._documents.set(documents)
        registry = self._registry
        if FOLDER in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)
        text: bytes = generate_latest(registry)
        return text.decode()
