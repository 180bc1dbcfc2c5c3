"""What a run may use: no result depends on it."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass

from twinset.errors import PlanError
from twinset.plan.spec import bytes_in, checked_values, option, options_of

OWN_MEMORY = 200 << 20
"""What a run takes whatever it is given: Python and its libraries, and the batches, tables and
sorting room without which nothing moves. A smaller ``memory`` could not be kept."""

PROGRAM = 110 << 20
"""The share of Python and its libraries in `OWN_MEMORY`."""

MEMORY_OF_PROCESS = 128 << 20
"""So much memory must be given for every process, or writer of tables, beside the first."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What a run may use; it never changes the result.

    Files that the plan names (a model, word counts) must lie in one of ``within``, if any.
    """

    threads: int = option(
        0, "Number of threads; 0 uses all processors.", group="Resources", metavar="N", least=0
    )
    memory: int = option(
        2 << 30,
        "Memory to use, at least 200MB.",
        group="Resources",
        metavar="SIZE",
        least=0,
        size=True,
    )
    folder: str = ""
    within: tuple[str, ...] = ()

    @classmethod
    def make(
        cls, threads: int | None = None, memory: int | str | None = None, folder: str = ""
    ) -> Resources:
        """Fill in what is not given: all cores, and the system's folder for temporary files."""
        if isinstance(memory, str):
            memory = parse_bytes(memory)
        usual = cls()
        asked = checked_values(
            cls(
                usual.threads if threads is None else threads,
                usual.memory if memory is None else memory,
            )
        )
        if asked.memory < OWN_MEMORY:
            shown = options_of(cls)["memory"].shown
            raise PlanError(
                [
                    f"memory {shown(asked.memory)} is below what the program itself needs, "
                    f"{shown(OWN_MEMORY)}: give that or more"
                ]
            )
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        return cls(asked.threads or cores or 1, asked.memory, folder or tempfile.gettempdir())

    @property
    def room(self) -> int:
        """The memory that is left for documents: what holds many of them takes a share of it."""
        return max(self.memory - PROGRAM, self.memory // 4)

    @property
    def features_bytes(self) -> int:
        """How much of the feature lists of all documents is held."""
        return self.room // 3

    @property
    def keys_bytes(self) -> int:
        """How much is held of what candidates are found by: rows of keys, or images."""
        return self.room // 6

    @property
    def batches(self) -> int:
        """The batches that are reckoned with: some are parsed, some prepared, some wait."""
        return self.threads + 3

    @property
    def batch_bytes(self) -> int:
        """How much input a batch holds.

        With texts, features and keys it takes up to six times the input; together batches take
        half of the room at most, and mostly much less.
        """
        return min(max(self.room // (12 * self.batches), 1 << 18), 16 << 20)

    @property
    def document_bytes(self) -> int:
        """The largest document that is read: parsing and comparing one takes six times its size."""
        return self.room // 6

    @property
    def ahead_bytes(self) -> int:
        """How much of the files that come next is held while others are read."""
        return self.room // 8

    @property
    def processes(self) -> int:
        """How many other processes, or writers of tables, may work at the same time."""
        return max(1, min(self.threads, self.memory // MEMORY_OF_PROCESS))


def parse_bytes(text: str) -> int:
    """``2GB``, ``500MB``, ``1.5g`` or a plain number of bytes."""
    try:
        return bytes_in(text)
    except ValueError as fault:
        raise PlanError([str(fault)]) from None
