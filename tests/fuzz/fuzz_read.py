"""Random and mutated bytes for every reader: none may crash, hang or hand on what is not UTF-8.

``TARGETS`` are (name, function of bytes); a driver feeds them as long as it likes, starting from
``seeds(name)``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from tests.read.samples import DOCS, FORMATS, PACKERS
from twinset import registry
from twinset.plan import ReadOptions
from twinset.read import open_inputs, split
from twinset.read.encoding import decode
from twinset.text.clean import html_to_text, strip_tags

LIMIT = 1 << 16


def read_bytes(suffix: str, data: bytes) -> None:
    """Reads the bytes as a file of this name, twice with other batches, and splits them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{suffix}"
        path.write_bytes(data)
        options = ReadOptions(max_document_bytes=LIMIT, order="n")
        texts = [_texts(path, options, size) for size in (len(data) % 97 + 1, 1 << 20)]
        assert texts[0] == texts[1], "the batch size changed the documents"
        keep = np.arange(len(texts[0])) % 2 == 0
        inputs = open_inputs([path], options)
        split(inputs, keep, Path(folder) / "kept", Path(folder) / "removed")


def _texts(path: Path, options: ReadOptions, batch_bytes: int) -> list[str | None]:
    texts: list[str | None] = []
    for batch in open_inputs([path], options, batch_bytes=batch_bytes).batches():
        batch.ids.validate(full=True)
        batch.texts.validate(full=True)
        assert len(batch.ids) == len(batch.texts) == len(batch.places)
        texts += batch.texts.to_pylist()
    return texts


def clean_bytes(data: bytes) -> None:
    """Decodes the bytes and strips mark-up in both ways."""
    text = decode(data, html=True).text
    text.encode("utf-8")
    html_to_text(text).encode("utf-8")
    strip_tags(text).encode("utf-8")


def seeds(name: str) -> list[bytes]:
    """Well-formed input for a target, to be mutated."""
    if name in FORMATS:
        data = FORMATS[name][1](DOCS)
        return [data, *(pack(data) for pack in PACKERS.values())]
    return [f"<html><body><p>{text}</body>".encode() for _, text in DOCS]


TARGETS: list[tuple[str, Callable[[bytes], None]]] = [
    *(
        (name, partial(read_bytes, registry.load("reader", name).suffixes[0]))
        for name in registry.names("reader")
    ),
    ("unnamed", partial(read_bytes, "")),
    ("clean", clean_bytes),
]
