"""The words of every document, kept in a temporary file for judges that read texts."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence

import numpy as np

from twinset.model import Ints, offsets_of
from twinset.text.arrow import Texts
from twinset.text.tokens import WHOLE, Tokens


class TextStore:
    """Canonical texts (lower-case words joined by single spaces) by document number."""

    def __init__(self, folder: str) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self._ends: list[Ints] = []
        self._characters: list[Ints] = []
        self._size = 0

    def add(self, texts: Texts, threads: int) -> None:
        """Keep the documents of a batch."""
        self.add_words(WHOLE.tokens(texts, threads))

    def add_words(self, tokens: Tokens) -> None:
        """Keep documents whose words are at hand, all of them."""
        self._file.write(tokens.bytes.data)
        self._ends.append(tokens.text_offsets[1:] + self._size)
        self._size += len(tokens.bytes)
        letters = offsets_of(tokens.letters)
        spaces = np.maximum(tokens.lengths - 1, 0)
        self._characters.append(np.diff(letters[tokens.offsets]) + spaces)

    def finish(self) -> None:
        """Everything was added: texts may be asked for."""
        self._file.flush()
        self._bounds = np.concatenate([[0], *self._ends]).astype(np.int64)
        self.characters: Ints = np.concatenate([np.empty(0, np.int64), *self._characters])

    def text(self, document: int) -> str:
        """The canonical text of a document."""
        begin, end = int(self._bounds[document]), int(self._bounds[document + 1])
        return os.pread(self._file.fileno(), end - begin, begin).decode().rstrip(" ")

    def texts(self, documents: Sequence[int]) -> dict[int, str]:
        """The texts of these documents, each read once."""
        return {document: self.text(document) for document in dict.fromkeys(documents)}
