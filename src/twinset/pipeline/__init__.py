"""Runs a plan: streams batches through the rooms, on this machine."""

from twinset.pipeline.engine import run
from twinset.pipeline.findings import Findings
from twinset.pipeline.progress import Progress, Silent

__all__ = ["Findings", "Progress", "Silent", "run"]
