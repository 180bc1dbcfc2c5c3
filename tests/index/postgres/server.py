"""A real PostgreSQL server of the tests: in a folder of its own, reached by a socket there."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

PATIENCE = 60.0
ROOM = 1 << 30
SETTINGS = """
listen_addresses = ''
fsync = on
max_connections = 40
shared_buffers = 32MB
max_wal_size = 128MB
"""
ACCESS = """
local all guarded scram-sha-256
local all all trust
"""


def programs() -> Path | None:
    """The folder with the newest server's programs; None where there is none."""
    folders = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name)
    )
    found = [str(folder) for folder in reversed(folders)] + [os.environ.get("PATH", "")]
    initdb = shutil.which("initdb", path=os.pathsep.join(found))
    return None if initdb is None else Path(initdb).parent


class Server:
    """Started when it is made; `address` is that of an empty database."""

    def __init__(self, folder: Path) -> None:
        # Names of sockets are short; a kill loses nothing of a folder in memory, which is quick.
        self._folder = Path(tempfile.mkdtemp(prefix="twinset-pg-", dir=_memory()))
        self._programs = folder
        self.user = _user()
        if self.user is not None:
            shutil.chown(self._folder, self.user)
        self.data = self._folder / "data"
        self._run(
            *("initdb", "--no-sync", "--auth=trust", "--username=twinset", "--encoding=UTF8"),
            *("--no-locale", "--wal-segsize=1", "-D", str(self.data)),
        )
        with (self.data / "postgresql.conf").open("a") as file:
            file.write(SETTINGS)
        (self.data / "pg_hba.conf").write_text(ACCESS)
        self.start()

    def _run(self, *command: str) -> str:
        done = subprocess.run(
            [self._programs / command[0], *command[1:]],
            **self._options(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _options(self) -> dict[str, object]:
        # A server refuses to run as root, and nobody else may need to look into this folder.
        options: dict[str, object] = {"cwd": self._folder}
        return options | ({} if self.user is None else {"user": self.user, "group": self.user})

    def address(self, database: str = "postgres", index: str = "", user: str = "twinset") -> str:
        """The address of an index in a database."""
        name = f"&index={index}" if index else ""
        return f"postgresql://{user}@/{database}?host={self._folder}{name}"

    def start(self) -> None:
        """Start, and wait until questions are answered."""
        until = time.monotonic() + PATIENCE
        while not self._started():
            assert time.monotonic() < until, (self._folder / "log").read_text()[-2000:]

    def _started(self) -> bool:
        with (self._folder / "log").open("a") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self.data, "-k", self._folder],
                **self._options(),
                stdout=log,
                stderr=log,
            )
        while self._process.poll() is None:
            ready = subprocess.run(
                [self._programs / "pg_isready", "-q", "-h", self._folder], check=False
            )
            if ready.returncode == 0:
                return True
            time.sleep(0.02)
        time.sleep(0.1)  # processes of one that was killed are still there
        return False

    def kill(self) -> None:
        """End the server's first process at once; the others notice it."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(PATIENCE)

    def stop(self) -> None:
        """End it without a checkpoint, connections and all, and remove everything."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(PATIENCE)
        shutil.rmtree(self._folder, ignore_errors=True)


def _memory() -> str | None:
    """A folder in memory with room for a server; None where there is none."""
    folder = "/dev/shm"
    roomy = os.path.isdir(folder) and shutil.disk_usage(folder).free > ROOM
    return folder if roomy and os.access(folder, os.W_OK) else None


def _user() -> str | None:
    """Whom the server runs as where the tests run as root."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
