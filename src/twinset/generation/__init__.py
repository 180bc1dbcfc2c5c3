"""Test collections with known truth: near-duplicates made from the user's own documents.

`Recipe` edits one text in memory. The operations (``paragraphs``, ``words``, ``characters``,
``boilerplate``) are frozen dataclasses in the registry under the kind ``operation``; they edit a
`Sheet`, plain text or HTML laid open, with the random numbers of a `Draw` that depends on seed,
document, variant and operation alone.
"""

from twinset.generation.others import Others
from twinset.generation.recipe import Made, Recipe, Step
from twinset.generation.similarity import Similarity, similarities

__all__ = ["Made", "Others", "Recipe", "Similarity", "Step", "similarities"]
