"""Text of PPT files, the presentations of PowerPoint 97 to 2003.

[MS-PPT]: records inside records. Text stands in the slides and once more in the outline, of which
the outline has the order of the slides; text of shapes that the outline leaves out follows it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from twinset.documents.compound import opened, stream_of

_STREAM = "PowerPoint Document"
_CONTAINER = 0xF
_DOCUMENT, _SLIDE, _OUTLINE = 1000, 1006, 4080
_WIDE, _NARROW = 4000, 4008
_BOX = 0xF00D  # the text of a shape
_SHOWN = str.maketrans({"\r": "\n", "\x0b": "\n"})


def ppt_text(raw: bytes) -> str:
    """The text of all slides, a line for each paragraph."""
    stream = stream_of(opened(raw), _STREAM)
    outline: list[str] = []
    shapes: list[str] = []
    for parents, type, begin, end in _records(stream):
        if type not in (_WIDE, _NARROW):
            continue
        encoding = "utf-16-le" if type == _WIDE else "latin-1"
        text = stream[begin:end].decode(encoding, "replace").translate(_SHOWN)
        if _OUTLINE in parents and _DOCUMENT in parents:
            outline.append(text)
        elif _SLIDE in parents and _BOX in parents:
            shapes.append(text)
    listed = set(outline)
    parts = outline + [text for text in shapes if text not in listed]
    return "".join(f"{text}\n" for text in parts)


def _records(stream: bytes) -> Iterator[tuple[tuple[int, ...], int, int, int]]:
    """All records: the types of those around, the type, where the content begins and ends."""
    waiting: list[tuple[tuple[int, ...], int, int]] = [((), 0, len(stream))]
    while waiting:
        parents, at, end = waiting.pop()
        if at + 8 > end:
            continue
        version, type, size = struct.unpack_from("<HHI", stream, at)
        begin, following = at + 8, at + 8 + size
        waiting.append((parents, following, end))
        if version & 0xF == _CONTAINER:
            waiting.append(((*parents, type), begin, min(end, following)))
        else:
            yield parents, type, begin, min(end, following)
