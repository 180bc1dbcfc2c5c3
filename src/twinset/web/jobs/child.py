"""The process of a job: runs the command, and writes down how it ended.

Started as ``python -m twinset.web.jobs.child FOLDER LOCK`` as the leader of a process group, with
the job's lock inherited as the file of that number.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType

GRACE = 10.0  # seconds between a polite end and a rough one
SAID = 6000  # characters of what the command said that are kept


def main(folder: Path, lock: int) -> None:
    """Run the job in this folder to its end."""
    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: asked.append(number))
    told = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    command = [sys.executable, "-m", "twinset.cli", "--progress", str(folder / "progress.json")]
    with open(folder / "output", "wb") as output:
        run = subprocess.Popen(
            [*command, *told["command"]],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            pass_fds=[lock],
        )
    _end_if_asked(run, asked)
    said = _last_words(run)
    code = run.wait()
    _write_end(folder, {"exit": code, "cancelled": bool(asked), "said": said})


def _end_if_asked(run: subprocess.Popen[bytes], asked: list[int]) -> None:
    """The command gets a SIGTERM as well; one that does not heed it is ended after a while."""

    def wait_a_while(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        signal.setitimer(signal.ITIMER_REAL, GRACE)

    signal.signal(signal.SIGALRM, lambda number, frame: run.kill())
    signal.signal(signal.SIGTERM, wait_a_while)
    if asked:  # before the command was there to hear it
        run.terminate()
        wait_a_while(asked[0], None)


def _last_words(run: subprocess.Popen[bytes]) -> str:
    """The end of what the command says on stderr, read in full so that it never blocks."""
    assert run.stderr is not None
    said = b""
    while piece := run.stderr.read1(1 << 16):  # type: ignore[attr-defined]
        said = (said + piece)[-4 * SAID :]
    return said.decode("utf-8", "replace")[-SAID:]


def _write_end(folder: Path, end: dict[str, object]) -> None:
    """Overwrite the reserved room in place: this works on a full disk, too."""
    file = os.open(folder / "end.json", os.O_WRONLY)
    os.write(file, json.dumps(end).encode())
    os.fsync(file)
    os.close(file)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
