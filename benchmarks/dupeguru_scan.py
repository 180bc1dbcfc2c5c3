"""The scanner of dupeGuru without its window, for ``folders.py``; run by the system's Python.

    python3 benchmarks/dupeguru_scan.py FOLDER contents|filename

Needs Debian's package dupeguru. Prints each file that dupeGuru would mark, with its reference.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

INSTALLED = "/usr/share/dupeguru"


def scan(folder: Path, kind: str) -> dict[str, str]:
    """Each file to remove with the one that dupeGuru keeps, by their paths below the folder."""
    sys.path.insert(0, INSTALLED)
    from core import fs
    from core.scanner import ScanType
    from core.se.scanner import ScannerSE

    fs.filesdb.connect(":memory:")
    scanner: Any = ScannerSE()
    # What its window sets before a scan, at its defaults.
    usual = {
        "scan_type": getattr(ScanType, kind.upper()),
        "min_match_percentage": 80,
        "match_similar_words": False,
        "word_weighting": True,
        "mix_file_kind": True,
        "size_threshold": 0,
        "large_size_threshold": 0,
        "big_file_size_threshold": 0,
        "ignore_hardlink_matches": False,
        "include_exists_check": True,
        "scanned_tags": set(),
    }
    for name, value in usual.items():
        setattr(scanner, name, value)
    files = [fs.File(path) for path in sorted(folder.rglob("*")) if path.is_file()]
    for file in files:
        file.is_ref = False

    def name(file: Any) -> str:
        return str(file.path.relative_to(folder))

    groups = scanner.get_dupe_groups(files)
    return {name(file): name(group.ref) for group in groups for file in group.dupes}


if __name__ == "__main__":
    print(json.dumps(scan(Path(sys.argv[1]), sys.argv[2])))
