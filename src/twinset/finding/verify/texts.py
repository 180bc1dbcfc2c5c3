"""The texts of all documents, kept in a temporary file for judges that read texts."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from twinset.model import Ints, offsets_of
from twinset.text.arrow import Texts, arrow_text

if TYPE_CHECKING:
    from twinset.text.tokens import Tokens

TextKind = Literal["words", "cleaned", "raw"]
"""``cleaned`` is without stop words and words of up to three letters, as in Zelenkov and Segalovich
2007."""


class TextStore:
    """Texts by document number: lower-case words joined by single spaces, or texts as they are.

    ``kind`` chooses all words, the cleaned ones, or the raw text. Unless they are ``counted``,
    ``characters`` of raw texts are their bytes.
    """

    def __init__(self, folder: str, kind: TextKind = "words", counted: bool = True) -> None:
        self._kind, self._counted = kind, counted
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        # Judges and kinds of pairs ask for texts up to the end of a run, whichever way it ends.
        weakref.finalize(self, self._file.close)
        self._ends: list[Ints] = []
        self._characters: list[Ints] = []
        self._size = 0

    def add(self, texts: Texts, threads: int) -> None:
        """Keep the documents of a batch."""
        if self._kind == "raw":
            self._add_raw(texts)
        else:
            from twinset.text.tokens import WHOLE, Cleaning

            cleaning = Cleaning() if self._kind == "cleaned" else WHOLE
            self.add_words(cleaning.tokens(texts, threads))

    def _add_raw(self, texts: Texts) -> None:
        data, offsets = arrow_text(texts)
        whole = data[offsets[0] : offsets[-1]]
        self._file.write(whole.data)
        self._ends.append(offsets[1:] - offsets[0] + self._size)
        self._size += len(whole)
        if not self._counted:
            self._characters.append(np.diff(offsets).astype(np.int64))
            return
        begins = offsets_of((whole & 0xC0) != 0x80)  # the bytes that begin a character
        self._characters.append(np.diff(begins[offsets - offsets[0]]))

    def skip(self, documents: int) -> None:
        """Go on with documents of which no text is kept."""
        self._ends.append(np.full(documents, self._size))
        self._characters.append(np.zeros(documents, np.int64))

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
        """The text of a document."""
        begin, end = int(self._bounds[document]), int(self._bounds[document + 1])
        text = os.pread(self._file.fileno(), end - begin, begin).decode(errors="replace")
        return text if self._kind == "raw" else text.rstrip(" ")

    def texts(self, documents: Sequence[int]) -> dict[int, str]:
        """The texts of these documents, each read once."""
        return {document: self.text(document) for document in dict.fromkeys(documents)}
