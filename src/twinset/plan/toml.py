"""The reader of TOML, loaded when there is something to read.

It is part of Python from 3.11 on; before, a package of the same interface.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(import_module("tomllib" if sys.version_info >= (3, 11) else "tomli"), name)
