"""Texts that meet every path of the tokeniser, and their packing as the kernels take it."""

from __future__ import annotations

import itertools
import unicodedata

import numpy as np
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset import _kernels

SAME_UNICODE = unicodedata.unidata_version == _kernels.unicode_version

relaxed = examples(200)

SAMPLES = (
    "abcXYZ 019_-.,!?\n\r\t\x0b\x0c'\"",
    "äöüÄÖÜßẞéÉçñøŁłİıǅǆȺⱥﬁſ",
    "ёйЁЙжЖщЩґҐ",
    "όΌσςΣϊΐᾳᾼὈᾳ\u0345",
    "שלוםאּבּ",
    "مرحبابِِّ؟۔ـ",
    "हिन्दीक़क्षड़।॥",
    "한글각가\u1100\u1161\u11a8\u1109",
    "漢字々〇神\ufa19豈⼀かがガｶﾞー。、！？．",
    "ไทยกำลังຂໍ້ខ្មែរមြန်မာကို",
    "👍🏽❤️👨\u200d👩\u200d👧🇺🇦☃①²½Ⅷ",
    "\u05b0\u05bc\u05c1\u064e\u0651\u0e38\u0e48\u094d\u093c",
    "\u0300\u0301\u0307\u0308\u0316\u0323\u0327\u0338\u034f\u3099\u0f71\u0f72",
    "\u00ad\u200b\u200c\u200d\u2028\u2029\u0085\u00a0\ufeff\u2026\u2024\ufffd",
    "KÅΩ𝐀𝟎𐐀𐐨Ａｂ１\U000e0101\U0010ffff",
)
alphabet = st.sampled_from("".join(SAMPLES))
characters = st.one_of(alphabet, st.characters()) if SAME_UNICODE else alphabet

BROKEN = "80 bfbf c0af c1bf c3 e08080 e282 eda080 edbfbf f0808080 f09f91 f4908080 f888808080 fffe"
broken = st.sampled_from([bytes.fromhex(raw) for raw in BROKEN.split()])
PROSE = "One two, three-4 FIVE six_seven (eight) nine. Ten eleven12 thirteen; fourteen! x y " * 3
# Runs of every length: text is read by blocks of 64 bytes, and by 8 near other characters.
ascii_run = st.one_of(
    st.text("aZ09 ._", min_size=1, max_size=20).map(str.encode),
    st.tuples(st.integers(0, 80), st.integers(1, 150)).map(
        lambda cut: PROSE[cut[0] : cut[0] + cut[1]].encode()
    ),
)
script_run = st.text(characters, min_size=1, max_size=20).map(
    lambda text: text.encode("utf-8", "surrogatepass")
)
fragment = st.one_of(ascii_run, script_run, script_run, broken, st.binary(max_size=6))
document = st.lists(fragment, max_size=8).map(b"".join)
documents = st.lists(document, max_size=4)


def pack(
    texts: list[bytes], before: bytes = b"", after: bytes = b""
) -> tuple[np.ndarray, np.ndarray]:
    """The texts as data and offsets; ``before`` and ``after`` lie around them as in a slice."""
    data = np.frombuffer(before + b"".join(texts) + after, dtype=np.uint8).copy()
    offsets = np.cumsum([len(before), *map(len, texts)], dtype=np.int64)
    return data, offsets


def split(values: np.ndarray, offsets: np.ndarray) -> list[list[int]]:
    return [values[a:b].tolist() for a, b in itertools.pairwise(offsets)]
