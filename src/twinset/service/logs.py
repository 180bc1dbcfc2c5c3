"""Lines of JSON on stderr: what was asked, by whom, and how long it took; no text of documents."""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from typing import Any


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
