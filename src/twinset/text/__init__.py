"""From text to words, sentences and paragraphs.

``arrow`` lays an Arrow array open for the kernels; ``segments`` shows the words, sentences and
paragraphs that they see. ``clean`` turns mark-up into text, ``repeated`` finds what the
pages of a site repeat. For the methods that weigh words:
``tokens`` has cleaned words as arrays, ``stopwords`` what is left out, ``terms`` counts and weighs
(tf, df, idf), ``statistics`` keeps the counts of a collection, ``vectors`` are weighted terms.
``wording`` writes texts anew in the ``forms`` (by ``languages``) and synonyms (``word_files``) that
are compared.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twinset.text.arrow import Texts, arrow_text
    from twinset.text.segments import paragraphs, sentences, words

__all__ = ["Texts", "arrow_text", "paragraphs", "sentences", "words"]
_HOMES = {"Texts": "arrow", "arrow_text": "arrow"}


def __getattr__(name: str) -> Any:
    """The functions are loaded when they are used: who cleans pages needs no arrays."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'segments')}"), name)
