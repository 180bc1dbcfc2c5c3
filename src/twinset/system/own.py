"""The folder of this user where twinset keeps its own files: searches, settings, journals."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def own_folder() -> Path:
    """Where this system keeps the state of programs; nothing is made here."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "twinset"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "twinset"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "twinset"
