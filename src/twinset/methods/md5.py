"""MD5 of the whole document (A0): exact duplicates.

Zelenkov, Segalovich 2007, section 4.1.
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from twinset.methods.base import About, Signature
from twinset.model import FeatureLists
from twinset.spec import option
from twinset.text.statistics import Statistics
from twinset.text.tokens import Tokens, one_key


@dataclass(frozen=True, slots=True)
class MD5(Signature):
    """A0: a checksum of the whole cleaned document.

    ``digest`` is md5, sha1 or crc32; of the first two the leading 64 bits are kept. With crc32
    about n²/2³³ pairs of n documents share a key by chance, 116 in a million documents.
    """

    digest: Literal["md5", "sha1", "crc32"] = option("md5", "Digest of the text.")
    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A0",
        named="MD5",
        cost="linear, one pass, the cheapest",
        use="copies that differ only in case, punctuation, stop words or mark-up",
        avoid="documents that may differ in a word",
        published="ROMIP: recall .23, precision 1.0, F .38",
    )

    def keys(self, tokens: Tokens, statistics: Statistics) -> FeatureLists:
        """One key for each document that has words."""
        there = tokens.lengths > 0
        keys = np.zeros(len(tokens), np.uint64)
        for document in np.flatnonzero(there):
            keys[document] = self._sum(tokens.text(int(document)))
        return one_key(keys, there)

    def _sum(self, text: bytes) -> int:
        if self.digest == "crc32":
            return zlib.crc32(text)
        whole = hashlib.new(self.digest, text, usedforsecurity=False)
        return int.from_bytes(whole.digest()[:8], "big")
