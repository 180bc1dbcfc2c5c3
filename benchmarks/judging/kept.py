"""Figures that are computed once and kept beside the made collections."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any


def kept(home: Path, compute: Callable[[], Any]) -> Any:
    """What the file holds; where there is none, it is computed and written.

    Another process may be at the same: what stands under the name is always whole.
    """
    if not home.is_file():
        home.parent.mkdir(parents=True, exist_ok=True)
        part = home.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps(compute()) + "\n", "utf-8")
        part.rename(home)
    return json.loads(home.read_text("utf-8"))
