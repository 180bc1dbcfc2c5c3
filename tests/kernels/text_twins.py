"""Plain Python twins of the text kernels: ``unicodedata`` and ``re``, nothing shared with C++."""

from __future__ import annotations

import re
import unicodedata

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
SHINGLE = 0xD6E8FEB86659FD95

SOLO_BLOCKS = [
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3031, 0x3035),
    (0x3038, 0x303B),
    (0x3041, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x16FE3, 0x16FE3),
    (0x1AFF0, 0x1B16F),
    (0x20000, 0x3FFFD),
]
PICTURE_BLOCKS = [
    (0x231A, 0x231B),
    (0x2328, 0x2328),
    (0x23CF, 0x23CF),
    (0x23E9, 0x23FA),
    (0x2600, 0x27BF),
    (0x2B1B, 0x2B1C),
    (0x2B50, 0x2B50),
    (0x2B55, 0x2B55),
    (0x2E80, 0x2FD5),  # radicals
    (0x1F000, 0x1FAFF),
]
INVISIBLE = re.compile("[\u00ad\u200c\u200d\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def within(char: str, blocks: list[tuple[int, int]]) -> bool:
    return any(low <= ord(char) <= high for low, high in blocks)


def letter_of(char: str) -> str:
    """w: builds a word, o: is one, m: mark, d: dropped, s: separates."""
    category = unicodedata.category(char)
    if INVISIBLE.match(char):
        return "d"
    if category.startswith("M"):
        return "m"
    if category == "So" and within(char, PICTURE_BLOCKS):
        return "o"
    if category[0] not in "LN":
        return "s"
    return "o" if category != "Nd" and within(char, SOLO_BLOCKS) else "w"


def canonical(raw: str) -> str:
    small = "".join(char.lower() for char in unicodedata.normalize("NFD", INVISIBLE.sub("", raw)))
    return unicodedata.normalize("NFC", small.replace("ς", "σ"))


def spans(text: str) -> list[tuple[int, int]]:
    letters = "".join(map(letter_of, text))
    return [found.span() for found in re.finditer("w[wmd]*|o[md]*", letters)]


def readable(data: bytes) -> str:
    """Broken bytes become U+FFFD, which separates words."""
    return data.decode("utf-8", "replace")


def words(data: bytes) -> list[str]:
    text = readable(data)
    return [canonical(text[a:b]) for a, b in spans(text)]


def mix(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def hash_word(word: str) -> int:
    data = word.encode()
    state = len(data) * GOLDEN & MASK
    for at in range(0, len(data), 16):
        low = int.from_bytes(data[at : at + 8], "little")
        high = int.from_bytes(data[at + 8 : at + 16], "little")
        product = (low ^ 0xA0761D6478BD642F ^ state) * (high ^ 0xE7037ED1A0B428DB)
        state = (product & MASK) ^ (product >> 64)
    return mix(state)


def units(data: bytes, unit: str) -> list[int]:
    if unit == "char":
        return [mix((ord(char) * GOLDEN + 1) & MASK) for char in " ".join(words(data))]
    if unit == "sentence":
        return [shingle([hash_word(word) for word in sentence]) for sentence in sentences(data)]
    return [hash_word(word) for word in words(data)]


def shingle(hashes: list[int]) -> int:
    n = len(hashes)
    total = sum(one * pow(SHINGLE, n - 1 - i, 1 << 64) for i, one in enumerate(hashes)) & MASK
    return mix(total ^ (n * GOLDEN & MASK))


def shingles(data: bytes, length: int, step: int, unit: str = "word") -> list[int]:
    hashes = units(data, unit)
    if not hashes:
        return []
    if len(hashes) < length:
        return [shingle(hashes)]
    starts = range(0, len(hashes) - length + 1, step)
    return sorted({shingle(hashes[at : at + length]) for at in starts})


LINE = "[\n\r\x85\u2028]"
BLANK = "[ \t\x0b\xa0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff]"
PARAGRAPH_END = re.compile(f"{LINE}{BLANK}*{LINE}|[\x0c\u2029]")
LOOSE = ".!?․‥…．"
FIRM = "։؝؞؟۔܀܁܂߹।॥။።፧፨᙮។៕᠃᠉‼‽⁇⁈⁉⸮。﹒﹖﹗！？｡"


def pieces(text: str) -> list[str]:
    """Paragraphs; nothing of the blank lines is lost for words, which they separate anyway."""
    return PARAGRAPH_END.split(text.replace("\r\n", "\n"))


def paragraphs(data: bytes) -> list[list[str]]:
    found = [words(piece.encode()) for piece in pieces(readable(data))]
    return [one for one in found if one]


def cut_sentences(piece: str) -> list[str]:
    found, start = [], 0
    for at, char in enumerate(piece):
        rest = piece[at + 1 :]
        # Ends run together; marks and invisible characters after them do not count.
        follower = next((c for c in rest if c not in LOOSE and letter_of(c) not in "md"), " ")
        if char in FIRM or (char in LOOSE and letter_of(follower) != "w"):
            found.append(piece[start : at + 1])
            start = at + 1
    return [*found, piece[start:]]


def sentences(data: bytes) -> list[list[str]]:
    cut = [one for piece in pieces(readable(data)) for one in cut_sentences(piece)]
    found = [words(one.encode()) for one in cut]
    return [one for one in found if one]


def is_valid(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def head(data: bytes, width: int) -> bytes:
    cut = data[:width]
    if len(data) > width:
        for back in range(4):
            at = width - back
            if at >= 0 and data[at] & 0xC0 != 0x80:
                cut = data[:at]
                break
    return cut.ljust(width, b"\0")
