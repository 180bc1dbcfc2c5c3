"""How long each stage of a run took."""

from __future__ import annotations

import time
from dataclasses import field

from twinset.lazy_dataclass import dataclass


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
