"""From text to words, sentences and paragraphs.

`arrow_text` lays an Arrow array open for the kernels; `words`, `sentences` and `paragraphs` show
what the kernels see, for people and for the methods that need words and not only hashes.
"""

from twinset.text.arrow import Texts, arrow_text
from twinset.text.sentences import paragraphs, sentences
from twinset.text.words import words

__all__ = ["Texts", "arrow_text", "paragraphs", "sentences", "words"]
