"""A run that is to be made: a plan by name, and the digest of all that decides its result."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from twinset._version import VERSION
from twinset.lab.evaluation.findings import By
from twinset.plan import Plan


@dataclass(frozen=True)
class PlannedRun:
    """A plan by the user's name for it; ``by`` says which of its tables holds the found pairs."""

    name: str
    plan: Plan
    by: By = "pairs"

    def key(self, digest: str, raw_digest: str = "") -> str:
        """A digest of what decides the result: the plan, the documents and the version."""
        decisive = {"plan": self.plan.as_dict(), "documents": digest, "twinset": VERSION}
        if self.by != "pairs":
            decisive["by"] = self.by
        if self.plan.read.raw:
            decisive["raw"] = raw_digest
        text = json.dumps(decisive, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]
