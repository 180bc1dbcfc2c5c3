"""Papers of ten languages that differ in facts alone, and versions of documents; see the table."""

from __future__ import annotations

import re
from pathlib import Path

from twinset.plan import tomllib

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
FACTS: dict[str, dict[str, str]] = _TABLE["facts"]
VERSIONS: dict[str, dict[str, str]] = _TABLE["versions"]


def filled(text: str) -> tuple[str, str]:
    """The first and the second paper of a template."""
    choice = r"\{([^|{}]*)\|([^|{}]*)\}"
    return re.sub(choice, r"\1", text), re.sub(choice, r"\2", text)
