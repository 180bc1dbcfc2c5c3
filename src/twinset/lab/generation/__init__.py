"""Test collections with known truth: near-duplicates made from the user's own documents.

`Recipe` edits one text in memory. `generate` makes a whole collection: ``stream`` reads and
chooses, ``family`` makes the variants of one document, ``result``, ``log`` and ``write`` write.
The operations (``paragraphs``, ``words``, ``characters``, ``boilerplate``) are frozen dataclasses
in the registry under the kind ``operation``; they edit a `Sheet`, plain text or HTML laid open,
with the random numbers of a `Draw` that depends on seed, document, variant and operation alone.
"""

from twinset.lab.generation.api import generate
from twinset.lab.generation.family import Document, Similarity, TruePair, similarities
from twinset.lab.generation.material import Others
from twinset.lab.generation.recipe import Made, Recipe, Step
from twinset.lab.generation.result import Generated

__all__ = [
    "Document",
    "Generated",
    "Made",
    "Others",
    "Recipe",
    "Similarity",
    "Step",
    "TruePair",
    "generate",
    "similarities",
]
