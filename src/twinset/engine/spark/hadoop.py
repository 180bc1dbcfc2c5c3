"""The file systems that Spark knows, by way of Hadoop."""

from __future__ import annotations

from typing import Any


def file_system(session: Any, address: str) -> tuple[Any, Any]:
    """The file system of an address, and the address as a path of it."""
    path = session._jvm.org.apache.hadoop.fs.Path(address)
    settings = session._jsparkSession.sessionState().newHadoopConf()
    return path.getFileSystem(settings), path


def remove_folder(session: Any, address: str) -> None:
    """Remove a folder with all that is in it; nothing is wrong if there is none."""
    system, path = file_system(session, address)
    system.delete(path, True)
