"""The differences of two texts, worked out in a process that ends with the time of its request.

It imports this file and nothing else of the service, since to begin takes of that time, too.
"""

from __future__ import annotations

import os
import signal
import time
from typing import Any

from twinset.finding.verify.diff import text_diff
from twinset.finding.verify.kinds import kind_of
from twinset.finding.verify.side_by_side import lay_out


def differences(left: str, right: str, until: float, owner: int) -> dict[str, Any]:
    """What differs; a process other than ``owner`` is ended when the clock is at ``until``."""
    if os.getpid() != owner:
        signal.setitimer(signal.ITIMER_REAL, max(0.001, until - time.monotonic()))
    diff = text_diff(left, right)
    side = lay_out(diff)
    answer = {
        "equal": left == right,
        "kind": kind_of(left, right),
        "differences": len(side.differences),
        "numbers_only": side.numbers_only,
        "moved": len(side.moved),
        "cut": diff.cut,
        "diff": [{"change": run.change, "words": run.words} for run in diff.runs()],
    }
    if os.getpid() != owner:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return answer
