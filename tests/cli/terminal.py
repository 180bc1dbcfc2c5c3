"""A terminal of its own for a command: keys in, what the screen is sent out."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 60.0
COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass
class Terminal:
    """A command that runs on a terminal; ``screen`` is all that it has written."""

    process: subprocess.Popen[bytes]
    main: int
    screen: str = ""
    _seen: int = field(default=0, repr=False)

    def wait_for(self, text: str) -> str:
        """What was written since the last call, up to this text, without colours."""
        end = time.monotonic() + PATIENCE
        while (at := self.screen.find(text, self._seen)) < 0:
            assert self._read(max(0.0, end - time.monotonic())), (
                f"no {text!r} in {self.screen[self._seen :]!r}"
            )
        part = self.screen[self._seen : at + len(text)]
        self._seen = at + len(text)
        return part

    def press(self, keys: str) -> None:
        """Type, without Enter."""
        os.write(self.main, keys.encode())

    def ended(self) -> int:
        """The exit code, once all was read."""
        while self._read(PATIENCE):
            pass
        return self.process.wait(PATIENCE)

    def echoes(self) -> bool:
        """Whether the terminal shows what is typed, as a shell wants it."""
        return bool(termios.tcgetattr(self.main)[3] & termios.ECHO)

    def kill(self) -> None:
        """End it as nothing else does: it cannot tidy up."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def _read(self, seconds: float) -> bool:
        if not select.select([self.main], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.main, 1 << 16)
        except OSError:  # Linux says so when the other side is closed
            return False
        self.screen += COLOURS.sub("", data.decode("utf-8", "replace"))
        return bool(data)


@contextmanager
def on_terminal(
    command: Sequence[str],
    folder: Path,
    columns: int = 120,
    lines: int = 40,
    env: Mapping[str, str] | None = None,
) -> Iterator[Terminal]:
    """Run a command on a terminal of this size; it is ended in any case."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    environment = os.environ | {"TERM": "xterm-256color"} | dict(env or {})
    for name in ("COLUMNS", "LINES", *(() if env else ("NO_COLOR",))):
        environment.pop(name, None)
    process = subprocess.Popen(
        command,
        stdin=side,
        stdout=side,
        stderr=side,
        cwd=folder,
        env=environment,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(side)
    try:
        yield Terminal(process, main)
    finally:
        process.kill()
        process.wait()
        os.close(main)
