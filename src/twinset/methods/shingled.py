"""What the methods over shingles of cleaned words have in common."""

from __future__ import annotations

from dataclasses import dataclass

from twinset.methods.base import Cleaned, Signature


@dataclass(frozen=True, slots=True)
class Shingled(Signature):
    """A shingle has ``shingle`` words; everything random comes from ``seed``."""

    shingle: int = 5
    seed: int = 1

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        found = Cleaned.faults(self)
        if not 1 <= self.shingle <= 1000:
            found.append(f"a shingle has between 1 and 1000 words, not {self.shingle}")
        return (
            found if self.seed >= 0 else [*found, f"seed must not be negative, as {self.seed} is"]
        )
