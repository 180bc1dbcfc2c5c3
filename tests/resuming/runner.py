"""Runs a command again and again, killed on the way, in forked children of one process.

Python and its libraries are loaded once. What differs between two runs by nature (times, memory)
is fixed, so that reports can be compared byte for byte. A step is a moment at which a kill may
leave something half done: around every file that is kept, taken in, renamed or removed.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import json
import os
import signal
import sys
import threading
import time
import traceback
from pathlib import Path
from types import SimpleNamespace
from typing import Any

STEPS = (
    "run.parts:_digest_of",
    "run.parts:PartsFolder.keep",
    "run.parts:write_file",
    "run.parts:PartsFolder.begin",
    "run.parts:PartsFolder.remove",
    "run.streaming:Collector.take",
    "run.streaming:Collector.finish",
    "run.local:pair",
    "run.local:expand",
    "run.local:manifest",
    "result.staging:_put_in_place",
    "result.staging:_sync",
)
LOADED = (
    "twinset.api",
    "twinset.cli.answer",
    "twinset.cli.dedup",
    "twinset.cli.find",
    "twinset.run.resuming",
    "twinset.result.page",
    "pyarrow.compute",
    "pyarrow.parquet",
)
PART_BYTES, BATCH_BYTES = 40_000, 6_000


def main() -> None:
    job = json.loads(sys.argv[1])
    _fix(job.get("part_bytes", PART_BYTES), job.get("batch_bytes", BATCH_BYTES))
    command = job["command"]
    results: dict[str, Any] = {"plain": _forked([*command, "-o", "plain"], 0, 0.0)}
    started = time.monotonic()
    results["counted"] = _forked([*command, "-o", "counted", "--resume"], -1, 0.0)
    seconds = time.monotonic() - started
    results["steps"] = steps = int(Path("steps").read_text())
    results["left"] = []
    for share in job["kills"]:
        step = max(1, int(share * steps)) if not job.get("by_time") else 0
        after = share * seconds if job.get("by_time") else 0.0
        status = _forked(
            [*command, *job.get("change", ()), "-o", "resumed", "--resume"], step, after
        )
        parts = Path("resumed.parts")
        results["left"].append([status, sorted(os.listdir(parts)) if parts.is_dir() else None])
        if job.get("damage") and parts.is_dir():
            _damage(parts, job["damage"])
        is_complete = Path("resumed/manifest.json").exists() and not parts.is_dir()
        if is_complete and status != 0:  # killed behind the last step
            results["left"].append([0, None])
        if is_complete:
            break
    else:
        results["left"].append([_forked([*command, "-o", "resumed", "--resume"], 0, 0.0), None])
    print(json.dumps(results))


def _fix(part_bytes: int, batch_bytes: int) -> None:
    """Small parts, and nothing in a report that depends on the clock or the machine."""
    from twinset.plan import Resources
    from twinset.run import local, manifest
    from twinset.run import resuming as passes

    for name in LOADED:
        importlib.import_module(name)
    passes.MOST_BYTES = part_bytes
    Resources.batch_bytes = property(lambda self: batch_bytes)  # type: ignore[method-assign, assignment]
    local.Clock.lap = lambda self, stage: self.seconds.update({stage: 0.0})  # type: ignore[method-assign]
    for name in ("cpu_seconds", "peak_memory"):
        if hasattr(manifest, name):
            setattr(manifest, name, lambda: 0.0)
    manifest.time = SimpleNamespace(process_time=lambda: 0.0)  # type: ignore[attr-defined, assignment]
    now = SimpleNamespace(isoformat=lambda timespec: "2026-01-01T00:00:00+00:00")
    zone = SimpleNamespace(utc=None)
    clock = SimpleNamespace(datetime=SimpleNamespace(now=lambda zone: now), timezone=zone)
    manifest.datetime = clock  # type: ignore[attr-defined, assignment]


def _forked(arguments: list[str], kill_at: int, after: float) -> int:
    """The exit status, negative where a signal has ended it; steps are counted for -1."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            code = _run(arguments, kill_at, after)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _run(arguments: list[str], kill_at: int, after: float) -> int:
    counter = itertools.count(1)
    if kill_at:
        for name in STEPS:
            _wrap(name, counter, kill_at)
    if after:
        threading.Timer(after, os.kill, [os.getpid(), signal.SIGKILL]).start()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    from twinset.cli import main as command

    sys.argv = ["twinset", *arguments, "-q"]
    try:
        command()
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    if kill_at < 0:
        Path("steps").write_text(str(next(counter) - 1))
    return code


def _wrap(name: str, counter: itertools.count[int], kill_at: int) -> None:
    module, _, path = name.partition(":")
    owner: Any = importlib.import_module(f"twinset.{module}")
    *outer, last = path.split(".")
    for part in outer:
        owner = getattr(owner, part)
    function = getattr(owner, last)

    @functools.wraps(function)
    def step(*args: Any, **options: Any) -> Any:
        if next(counter) == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        result = function(*args, **options)
        if next(counter) == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, last, step)


def _damage(parts: Path, kind: str) -> None:
    files = sorted(parts.glob("*.part"))
    if not files:
        return
    file = files[len(files) // 2]
    content = bytearray(file.read_bytes())
    if kind == "cut":
        del content[len(content) * 2 // 3 :]
    else:
        content[len(content) // 3] ^= 4
    file.write_bytes(content)


if __name__ == "__main__":
    main()
