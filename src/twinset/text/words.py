"""The canonical words of texts."""

from __future__ import annotations

import itertools

from twinset import _kernels
from twinset.text.arrow import Texts, arrow_text


def words(texts: Texts, threads: int = 1) -> list[list[str]]:
    """The words of every text as the features see them: lower case, NFC, no punctuation."""
    raw, ends, documents = _kernels.words(*arrow_text(texts), threads)
    data, places = raw.tobytes(), ends.tolist()
    every = [data[a:b].decode() for a, b in itertools.pairwise(places)]
    bounds = documents.tolist()
    return [every[a:b] for a, b in itertools.pairwise(bounds)]
