"""Compound files (OLE) made by hand, and letters of Outlook in them."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Union

Tree = Mapping[str, Union[bytes, "Tree"]]
_SECTOR, _SHORT, _CUTOFF = 512, 64, 4096
_END, _FREE, _NONE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFF


class _Writer:
    def __init__(self) -> None:
        self.sectors: list[bytes] = []
        self.chains: list[int] = []
        self.short = b""
        self.short_chains: list[int] = []
        self.entries: list[bytes] = []

    def chain(self, content: bytes) -> int:
        first = len(self.sectors)
        pieces = [content[at : at + _SECTOR] for at in range(0, len(content), _SECTOR)]
        self.sectors += [piece.ljust(_SECTOR, b"\0") for piece in pieces]
        self.chains += [*range(first + 1, first + len(pieces)), _END] if pieces else []
        return first if pieces else _END

    def stream(self, content: bytes) -> int:
        if len(content) >= _CUTOFF:
            return self.chain(content)
        first = len(self.short_chains)
        count = -(-len(content) // _SHORT)
        self.short += content.ljust(count * _SHORT, b"\0")
        self.short_chains += [*range(first + 1, first + count), _END] if count else []
        return first if count else _END

    def folder(self, tree: Tree) -> int:
        """The number of the first entry of a folder, whose entries follow one another."""
        first = following = _NONE
        for name, content in reversed(tree.items()):
            is_stream = isinstance(content, bytes)
            child = _NONE if is_stream else self.folder(content)  # type: ignore[arg-type]
            start = self.stream(content) if isinstance(content, bytes) else 0
            size = len(content) if is_stream else 0
            first = len(self.entries)
            self.entries.append(entry(name, 2 if is_stream else 1, following, child, start, size))
            following = first
        return first


def entry(name: str, kind: int, right: int, child: int, start: int, size: int) -> bytes:
    encoded = name.encode("utf-16-le")
    fields = struct.pack("<HBBIII", len(encoded) + 2, kind, 1, _NONE, right, child)
    return encoded.ljust(64, b"\0") + fields + bytes(36) + struct.pack("<IQ", start, size)


def compound(tree: Tree) -> bytes:
    """A compound file with these streams and folders."""
    writer = _Writer()
    writer.entries.append(b"")
    child = writer.folder(tree)
    root = writer.chain(writer.short)
    writer.entries[0] = entry("Root Entry", 5, _NONE, child, root, len(writer.short))
    short_table = writer.chain(_table(writer.short_chains))
    directory = writer.chain(b"".join(writer.entries))
    count = -(-(len(writer.chains) + 1) // 127)  # with room for its own sectors
    table = _table(writer.chains + [0xFFFFFFFD] * count)
    places = range(len(writer.sectors), len(writer.sectors) + count)
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHH", 62, 3, 0xFFFE)
    header += struct.pack("<HH", 9, 6) + bytes(6) + struct.pack("<III", 0, count, directory)
    header += struct.pack("<III", 0, _CUTOFF, short_table if writer.short else _END)
    header += struct.pack("<III", -(-len(writer.short_chains) // 128), _END, 0)
    listed = [*places, *[_FREE] * (109 - count)]
    return header + struct.pack("<109I", *listed) + b"".join(writer.sectors) + table[: count * 512]


def _table(chains: list[int]) -> bytes:
    size = -(-len(chains) // 128) * 128
    return struct.pack(f"<{size}I", *chains, *[_FREE] * (size - len(chains)))


def stream(property: int, value: str | bytes) -> tuple[str, bytes]:
    kind = "0102" if isinstance(value, bytes) else "001F"
    content = value if isinstance(value, bytes) else value.encode("utf-16-le")
    return f"__substg1.0_{property:04X}{kind}", content


def outlook(
    subject: str,
    body: str | bytes,
    attachments: Mapping[str, bytes | Tree] | None = None,
    header: int = 32,
    body_property: int = 0x1000,
) -> dict[str, bytes | Tree]:
    """A letter of Outlook as the tree of its file; an attachment may be such a tree."""
    tree: dict[str, bytes | Tree] = {"__properties_version1.0": bytes(header)}
    tree |= dict([stream(0x0037, subject), stream(body_property, body)])
    for number, (name, content) in enumerate((attachments or {}).items()):
        inner: dict[str, bytes | Tree] = {"__properties_version1.0": bytes(8)}
        inner |= dict([stream(0x3707, name)])
        if isinstance(content, bytes):
            inner |= dict([stream(0x3701, content)])
        else:
            inner["__substg1.0_3701000D"] = content
        tree[f"__attach_version1.0_#{number:08X}"] = inner
    return tree
