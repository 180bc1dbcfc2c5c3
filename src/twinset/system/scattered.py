"""A file elsewhere that is read at several places in turn, as the columns of a table are."""

from __future__ import annotations

from typing import Any

from twinset.system.fetching import RangedFile, SeekableFile, ensure_unchanged
from twinset.system.remote import RemotePath

PLACES = 8
"""Places that are remembered, each with the piece that was fetched there."""
AHEAD = 1


class ScatteredFile(SeekableFile):
    """A file whose reader jumps: what follows each of the last few places is fetched ahead."""

    def __init__(self, path: RemotePath) -> None:
        super().__init__(path, path.status().bytes or 0)
        self._places: list[RangedFile] = []  # the one that was used last is the last

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer, unless the file ends."""
        near = next((place for place in self._places if place.has(self._at)), None)
        if near is None:
            near = RangedFile(self.path, self.size, AHEAD)
            self._places = self._places[1 - PLACES :]
        else:
            self._places.remove(near)
        self._places.append(near)
        near.seek(self._at)
        count = near.readinto(buffer)
        self._at += count
        return count

    def close(self) -> None:
        """Forget what was fetched."""
        self._places.clear()
        super().close()

    def ensure_unchanged(self) -> None:
        """Raise where the file is not the one that was opened."""
        ensure_unchanged(self.path)
