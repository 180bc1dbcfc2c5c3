"""Opening a file of this machine in its own program, for a reader who sits in front of it.

Only where the server listens to this machine alone and has a desktop to open something on. What a
double click would run is never opened, only shown in its folder: a report may come from somebody
else.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from twinset.errors import TwinsetError
from twinset.system.bounded import open_regular
from twinset.web.settings import LOOPBACK, Settings, inside

# Suffixes that a desktop runs instead of showing.
PROGRAMS = """
app appimage application bat cmd com command cpl desktop dll exe gadget hta inf jar js jse lnk mjs
msc msi msp pif ps1 py pyw rb reg run scf scr scpt sh shb sys terminal tool url vb vbe vbs webloc
workflow ws wsf wsh xll
"""


# What desktops know by its content: programs, scripts, and files that name a program to run.
STARTS = re.compile(rb"(?s)\x7fELF|MZ.{0,60}\0|#!|.{0,256}\[(?:Desktop Entry|InternetShortcut)\]")


def can_open(settings: Settings) -> bool:
    """Whether files can be opened: the reader sits at this machine, and it has a desktop."""
    return settings.host in LOOPBACK and _opener() is not None


def is_program(path: Path) -> bool:
    """Whether opening the file would run it: by its name, or by how it begins."""
    if path.suffix.strip(". \t\r\n").lower() in PROGRAMS.split():
        return True
    try:
        return bool(STARTS.match(read_head(path)))
    except OSError:
        return False


def read_head(path: Path) -> bytes:
    """The first bytes of a regular file."""
    with open_regular(path) as file:
        return file.read(512)


def open_file(settings: Settings, path: Path) -> None:
    """Open a file inside the allowed folders in its own program."""
    file = _checked(settings, path)
    if is_program(file):
        raise TwinsetError(f"{path.name} is a program and is not opened from here; open its folder")
    _start(file)


def open_folder(settings: Settings, path: Path) -> None:
    """Show the folder of a file inside the allowed folders."""
    file = _checked(settings, path)
    if sys.platform == "darwin":
        _start(file, "-R")
    else:
        _start(inside(settings, file.parent))


def _checked(settings: Settings, path: Path) -> Path:
    file = inside(settings, path)
    if not can_open(settings):
        raise TwinsetError("files can be opened only on the machine that twinset runs on")
    if not file.is_file():
        raise TwinsetError(f"{path} is gone or is not a file any more; search again")
    return file


def _opener() -> str | None:
    """The program that opens what it is given as the desktop would."""
    if sys.platform == "darwin":
        return shutil.which("open")
    has_desktop = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return shutil.which("xdg-open") if has_desktop else None


def _start(path: Path, *options: str) -> None:
    """Start the program and go on; an absolute path is never taken for an option."""
    opener = _opener()
    assert opener is not None  # see _checked
    quiet = subprocess.DEVNULL
    subprocess.Popen(
        [opener, *options, str(path)],
        stdin=quiet,
        stdout=quiet,
        stderr=quiet,
        start_new_session=True,
    )
