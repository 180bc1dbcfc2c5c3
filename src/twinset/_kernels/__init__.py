"""The compiled kernels: arrays in, arrays out. Headers hold the loops, ``bind_*.cpp`` the doors.

The best vector instructions of the processor are used. ``TWINSET_INSTRUCTIONS`` names others, to
measure or to compare them; no result depends on it.
"""

import os

from twinset._kernels._native import *  # noqa: F403
from twinset._kernels._native import StopFlag, instructions_here, use_instructions


def _use_instructions_asked_for() -> None:
    if not (name := os.environ.get("TWINSET_INSTRUCTIONS")):
        return
    try:
        use_instructions(name)
    except ValueError:
        from twinset.errors import PlanError

        known = ", ".join(instructions_here())
        message = f"TWINSET_INSTRUCTIONS={name}: this processor has {known}: give one, or none"
        raise PlanError([message]) from None


_use_instructions_asked_for()
StopFlag.__repr__ = lambda flag: f"StopFlag(set={flag.is_set()})"  # type: ignore
