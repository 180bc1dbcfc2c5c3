"""What the methods over shingles of cleaned words have in common."""

from __future__ import annotations

from dataclasses import dataclass

from twinset.methods.base import Signature
from twinset.plan import shared
from twinset.spec import option


@dataclass(frozen=True, slots=True)
class Shingled(Signature):
    """Keys are made of shingles of words."""

    shingle: int = option(5, "Words in a shingle.", least=1, most=1000)
    seed: int = shared.seed()
