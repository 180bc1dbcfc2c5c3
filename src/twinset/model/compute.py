"""Arrow's functions on columns, loaded when the first of them is called.

``pyarrow.compute`` describes some three hundred functions while it loads, which takes longer than
to search a few documents; methods of arrays such as ``cast``, ``take`` and ``filter`` load it, too.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    import pyarrow.compute as pc

    return getattr(pc, name)
