"""MD5 of the whole document (A0): exact duplicates.

Zelenkov, Segalovich 2007, section 4.1.
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from typing import ClassVar, Literal, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.finding.candidates.base import Goal
from twinset.finding.methods.base import About
from twinset.finding.methods.keys import KeySearch, Signature
from twinset.model import FeatureLists, Features, Ints, Ragged
from twinset.plan import Resources
from twinset.plan.spec import option
from twinset.text.arrow import arrow_text
from twinset.text.statistics import Statistics
from twinset.text.tokens import WHOLE, Tokens


@dataclass(frozen=True, slots=True)
class MD5(Signature):
    """A0: a checksum of the whole document, of its cleaned words, of its text or of its raw bytes.

    The text is what was read, with its case, punctuation and blanks, as UTF-8: of a plain text file
    in UTF-8 the very bytes, of a record the bytes of its field. Mark-up is removed before, unless
    the option of reading ``html`` is no. The raw bytes are those before anything was done to them:
    of a file that is one document the whole file, unpacked if it is packed; of a record the value
    of its field, mark-up included. A document without words then counts as long as it has bytes.
    Stop words and letters have no effect on either.

    ``digest`` is md5, sha1, crc32 or sum; of the first two the leading 64 bits are kept. With crc32
    about n²/2³³ pairs of n documents share a key by chance, 116 in a million documents. The sum of
    the bytes [Yang 2022] does not even tell the order of words.
    """

    digest: Literal["md5", "sha1", "crc32", "sum"] = option("md5", "Digest of the document.")
    of: Literal["words", "text", "bytes"] = option(
        "words",
        "What the digest is made of: the cleaned words, the text exactly as it was read, or the "
        "raw bytes, mark-up included.",
    )
    one_key: ClassVar[bool] = True
    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A0",
        named="MD5",
        cost="linear, one pass, the cheapest",
        use="copies that differ only in case, punctuation, stop words or mark-up",
        avoid="documents that may differ in a word",
        published="ROMIP: recall .23, precision 1.0, F .38",
    )

    @property
    def by_bytes(self) -> bool:
        """Whether the search asks for the raw bytes of the documents."""
        return self.of == "bytes"

    def keys(self, tokens: Tokens, statistics: Statistics) -> FeatureLists:
        """One key for each document that has words."""
        there = tokens.lengths > 0
        begins = tokens.starts[tokens.offsets[:-1][there]]
        ends = tokens.ends[tokens.offsets[1:][there] - 1]
        return Ragged.from_lengths(self.checksums(tokens.bytes, begins, ends), there)

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> KeySearch:
        """Begin a run."""
        kind = KeySearch if self.of == "words" else DigestSearch
        return kind(self, goal, resources, known)

    def checksums(self, data: NDArray[np.uint8], begins: Ints, ends: Ints) -> Features:
        """The digests of stretches of bytes as keys."""
        if self.digest == "sum":
            sums = np.concatenate([[0], np.cumsum(data, dtype=np.uint64)])
            summed: Features = sums[ends] - sums[begins]
            return summed
        raw, stretches = data.data, zip(begins.tolist(), ends.tolist(), strict=True)
        if self.digest == "crc32":
            return np.array([zlib.crc32(raw[begin:end]) for begin, end in stretches], np.uint64)
        digest = getattr(hashlib, self.digest)
        whole = (digest(raw[begin:end], usedforsecurity=False) for begin, end in stretches)
        return np.frombuffer(b"".join(each.digest()[:8] for each in whole), ">u8").astype(np.uint64)


class DigestSearch(KeySearch):
    """Keys of the texts themselves, of which words say which are empty, or of the raw bytes."""

    @property
    def by_bytes(self) -> bool:  # type: ignore[override]
        """Whether the raw bytes are digested, which are the units as well."""
        return cast("MD5", self.method).by_bytes

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """One key for each document that has words, or bytes."""
        data, offsets = arrow_text(texts)
        units = np.diff(offsets) if self.by_bytes else WHOLE.tokens(texts, threads).lengths
        there = units > 0
        keys = cast("MD5", self.method).checksums(data, offsets[:-1][there], offsets[1:][there])
        return Ragged.from_lengths(keys, there), units
