"""How a long run tells what it is doing."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Protocol


@dataclass
class Clock:
    """Wall seconds of each stage."""

    seconds: dict[str, float] = field(default_factory=dict)
    _last: float = field(default_factory=time.perf_counter)

    def lap(self, stage: str) -> None:
        """The time since the last lap belongs to this stage."""
        now = time.perf_counter()
        self.seconds[stage] = round(now - self._last, 4)
        self._last = now


class Progress(Protocol):
    """A listener to a run: stages with a total (None when unknown), and steps within them."""

    def stage(self, name: str, total: float | None) -> None:
        """A new stage begins; the one before is finished."""
        ...

    def advance(self, amount: float, at: str = "") -> None:
        """So much more of the stage is done; ``at`` names the file that is being read."""
        ...

    def close(self) -> None:
        """The run is over, well or not."""
        ...


class Silent:
    """Progress that nobody watches."""

    def stage(self, name: str, total: float | None) -> None:
        """Do nothing."""

    def advance(self, amount: float, at: str = "") -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""
