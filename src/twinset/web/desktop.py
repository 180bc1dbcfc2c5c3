"""The page as an application: an entry in the desktop's menu, and a window of its own.

The entry follows the Desktop Entry Specification of freedesktop.org, and the icon its icon theme.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from twinset.errors import TwinsetError
from twinset.pages.engine import STATIC
from twinset.pages.language import LANGUAGES, say
from twinset.system.files import write_file

ENTRY = Path("applications") / "twinset.desktop"
ICON = Path("icons") / "hicolor" / "scalable" / "apps" / "twinset.svg"
CHROMIUM = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "brave-browser",
)
FIREFOX = ("firefox", "firefox-esr")
# Characters that the value of Exec must have behind a backslash, inside quotes.
RESERVED = '"`$\\'


def data_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of this user's applications and icons."""
    named = environment.get("XDG_DATA_HOME", "")
    return Path(named) if os.path.isabs(named) else Path.home() / ".local" / "share"


def install_entry(data: Path) -> list[Path]:
    """Write the entry and its icon; the files that are there now."""
    if sys.platform in ("darwin", "win32"):
        raise TwinsetError(
            "desktop entries exist on Linux and other free desktops only; start 'twinset ui --app' "
            "instead"
        )
    files = {ENTRY: entry().encode(), ICON: (STATIC / "icon.svg").read_bytes()}
    for name, content in files.items():
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        write_file(data / name, content)
    return [data / name for name in files]


def remove_entry(data: Path) -> list[Path]:
    """Delete the entry and its icon; the files that were there."""
    files = [data / name for name in (ENTRY, ICON) if (data / name).is_file()]
    for file in files:
        file.unlink()
    return files


def entry(python: str = sys.executable) -> str:
    """The text of the entry, which starts the page by the Python that runs now."""
    command = " ".join(map(_quoted, (python, "-m", "twinset", "ui", "--app")))
    lines = ["[Desktop Entry]", "Type=Application", "Version=1.5", "Name=twinset"]
    for language in LANGUAGES:
        suffix = "" if language == "en" else f"[{language}]"
        lines += [
            f"GenericName{suffix}={say(language, 'desktop.generic')}",
            f"Comment{suffix}={say(language, 'desktop.comment')}",
            f"Keywords{suffix}={say(language, 'desktop.keywords')}",
        ]
    lines += [f"Exec={command}", "Icon=twinset", "Terminal=false", "StartupWMClass=twinset"]
    return "\n".join([*lines, "Categories=Utility;FileTools;", ""])


def _quoted(argument: str) -> str:
    """An argument of Exec; a percent sign would begin a field code."""
    escaped = "".join(f"\\{mark}" if mark in RESERVED else mark for mark in argument)
    # The value as a whole is a string, in which a backslash stands behind another one.
    return f'"{escaped}"'.replace("\\", "\\\\").replace("%", "%%")


def open_window(address: str, home: Path) -> subprocess.Popen[bytes] | None:
    """A window without tabs or address bar, as long as it is open; None without such a browser.

    It has a profile of its own, so that the process ends with its window even where the user has
    the same browser open.
    """
    for names, arguments in ((CHROMIUM, _chromium), (FIREFOX, _firefox)):
        browser = next((path for name in names if (path := shutil.which(name))), None)
        if browser is not None:
            profile = home / "window" / Path(browser).name
            profile.mkdir(parents=True, exist_ok=True, mode=0o700)
            return subprocess.Popen(
                [browser, *arguments(address, profile)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
    return None


def _chromium(address: str, profile: Path) -> list[str]:
    own = [f"--user-data-dir={profile}", "--class=twinset", "--no-first-run"]
    return [f"--app={address}", *own, "--no-default-browser-check", "--window-size=1280,860"]


def _firefox(address: str, profile: Path) -> list[str]:
    # Firefox has no window without its bars; a profile of its own keeps it apart at least.
    return ["--no-remote", "--profile", str(profile), "--class", "twinset", "--new-window", address]
