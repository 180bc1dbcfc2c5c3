"""Test collections with known truth: near-duplicates made from the user's own documents.

`Recipe` edits one text in memory. `generate` (``api``) makes a whole collection: ``stream`` reads
and chooses documents, ``family`` makes the variants of one document, ``folder`` writes and reads
the result, with the documents in one of the ``formats``. The operations (``paragraphs``,
``keyblock``, ``words``, ``characters``, ``boilerplate``) are frozen dataclasses in the registry
under the kind ``operation``. They edit a `Sheet`, which is plain text or HTML opened for editing,
with random numbers from a `Draw` that depends only on seed, document, variant and operation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twinset.lab.generation.api import generate
    from twinset.lab.generation.family import Document, Similarity, TruePair, similarities
    from twinset.lab.generation.material import Others
    from twinset.lab.generation.recipe import Recipe, Step, Variant
    from twinset.lab.generation.result import Generated

_HOMES = {
    "Document": "family",
    "Generated": "result",
    "Variant": "recipe",
    "Others": "material",
    "Recipe": "recipe",
    "Similarity": "family",
    "Step": "recipe",
    "TruePair": "family",
    "generate": "api",
    "similarities": "family",
}
__all__ = [
    "Document",
    "Generated",
    "Others",
    "Recipe",
    "Similarity",
    "Step",
    "TruePair",
    "Variant",
    "generate",
    "similarities",
]


def __getattr__(name: str) -> Any:
    """Load the rest when it is used: the help of the command line needs the options alone."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
