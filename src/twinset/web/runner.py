"""The process of a job (see ``jobs``): runs the command, and writes how it ended.

Started as ``python -m twinset.web.runner FOLDER LOCK`` as the leader of a process group, with
the job's lock inherited as the file of that number.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from twinset.system.children import environment_of_child

GRACE = 10  # seconds between SIGTERM and SIGKILL
COMMAND = """
from twinset.system.children import follow_parent
from twinset.cli import main
follow_parent()
main()
"""
"""``twinset`` as a child that ends with its parent, so that no command runs on unattended."""
SAID = 6000  # characters of stderr that are kept, the last ones


def main(folder: Path, lock: int) -> None:
    """Run the job in this folder to its end; the command gets every SIGTERM as well."""
    signal.signal(signal.SIGTERM, lambda number, frame: signal.alarm(GRACE))
    about = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    command = [sys.executable, "-c", COMMAND, "--progress", str(folder / "progress.json")]
    with open(folder / "output", "wb") as output:
        run = subprocess.Popen(
            [*command, *about["command"]],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            env=environment_of_child(),
            pass_fds=[lock],
        )
    signal.signal(signal.SIGALRM, lambda number, frame: run.kill())
    if (folder / "cancel").exists():  # asked for before the command was there to hear it
        run.terminate()
    said = _last_words(run)
    _write_end(folder, {"exit": run.wait(), "said": said})


def _last_words(run: subprocess.Popen[bytes]) -> str:
    """The end of what the command writes on stderr, read in full so that it never blocks."""
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
