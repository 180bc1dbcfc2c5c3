"""Named sets of keep policies, in ``priorities.json`` of the page's home folder.

A set is what `--keep` takes, in its order: the first policy that tells two files apart decides. It
can be chosen before a search, and applied to the list of a finished one.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from twinset.errors import PlanError, ReportError
from twinset.spec import make
from twinset.system.files import read_object, write_json

FILE = "priorities.json"
SETS_BYTES = 1 << 20
LONGEST_NAME = 80
OFFERED = (
    *("original-name", "newest", "oldest", "format"),
    *("folder", "longest", "shortest", "shortest-name"),
)
"""The policies that the page offers."""
PLACES = 4
"""Policies in a set that is made on the page."""


class PrioritySets:
    """The sets of one home folder; a file that is damaged counts as empty."""

    def __init__(self, home: Path) -> None:
        self.path = home / FILE
        self._lock = threading.Lock()

    def all(self) -> dict[str, tuple[str, ...]]:
        """The policies of each set, in the order in which the sets were saved."""
        entries = (read_object(self.path, SETS_BYTES) or {}).get("sets")
        if not isinstance(entries, dict):
            return {}
        sets = {name: _usable(texts) for name, texts in entries.items()}
        return {name: policies for name, policies in sets.items() if policies}

    def save(self, name: str, policies: Sequence[str]) -> None:
        """Keep a set under a name, instead of one that has it."""
        name = " ".join(name.split())
        if not 0 < len(name) <= LONGEST_NAME:
            raise PlanError([f"a set needs a name of 1 to {LONGEST_NAME} characters"])
        if not policies:
            raise PlanError([f"the set '{name}' is empty: name a policy, as newest"])
        policies_of(policies)
        with self._lock:
            rest = {known: texts for known, texts in self.all().items() if known != name}
            self._write({**rest, name: tuple(policies)})

    def forget(self, name: str) -> None:
        """Drop a set."""
        with self._lock:
            self._write({known: texts for known, texts in self.all().items() if known != name})

    def _write(self, sets: dict[str, tuple[str, ...]]) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_json(self.path, {"sets": sets}, indent=1)
        except OSError as fault:
            raise ReportError(
                f"{self.path}: the set was not saved ({fault.strerror}); "
                "check the free space and the rights"
            ) from None


def policies_of(texts: Sequence[str]) -> tuple[Any, ...]:
    """The policies that texts name, as in `--keep`; raises where one is none."""
    return tuple(make("keep", text) for text in texts)


def _usable(texts: object) -> tuple[str, ...]:
    """The policies of a set; nothing where one is not known, since the rest means another order."""
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return ()
    try:
        policies_of(texts)
    except PlanError:
        return ()
    return tuple(texts)
