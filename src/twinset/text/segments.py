"""The words of texts, for people and for what needs words themselves."""

from __future__ import annotations

from itertools import pairwise

from twinset import _kernels
from twinset.text.arrow import Texts, arrow_text

Words = list[str]


def words(texts: Texts, threads: int = 1) -> list[Words]:
    """The words of every text as the features see them: lower case, NFC, no punctuation."""
    raw, ends, documents = _kernels.words(*arrow_text(texts), threads)
    data = raw.tobytes()
    every = [data[begin:end].decode() for begin, end in pairwise(ends.tolist())]
    return [every[begin:end] for begin, end in pairwise(documents.tolist())]
