"""Runs a plan: streams batches through the rooms, on this machine."""

from twinset.engine.findings import Findings
from twinset.engine.local import run
from twinset.engine.progress import Progress, Silent

__all__ = ["Findings", "Progress", "Silent", "run"]
