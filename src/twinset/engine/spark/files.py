"""Small files beside the tables, by the file systems that Spark knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from twinset.engine.spark.hadoop import file_system, remove_folder


class SparkFolder:
    """A folder of any file system: tables are written by Spark, small files here."""

    def __init__(self, session: Any, address: str) -> None:
        self.session, self.address = session, address.rstrip("/")

    def path(self, name: str) -> str:
        """The address of a file or table in it."""
        return f"{self.address}/{name}"

    def write(self, name: str, data: bytes) -> None:
        """Write a file; one of this name is replaced."""
        if self.address.startswith("file:"):
            # Hadoop would put a file with its checksum beside it.
            Path(self.path(name).removeprefix("file:")).write_bytes(data)
            return
        system, path = file_system(self.session, self.path(name))
        stream = system.create(path, True)
        try:
            stream.write(bytearray(data))
        finally:
            stream.close()

    def clear(self) -> None:
        """Remove the folder with all that is in it."""
        remove_folder(self.session, self.address)
