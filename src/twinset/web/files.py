"""Files of a folder as answers: to keep, or to look at without their being able to do anything."""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass
from pathlib import Path

from fastapi.responses import FileResponse

from twinset.web.faults import GoneError

# A page or a picture of ours brings its style along; nothing else of it is to work.
SEALED = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
LOOKED_AT = (".html", ".svg", ".png")


@dataclass(frozen=True, slots=True)
class Listed:
    """A file to offer."""

    name: str
    bytes: int


def listed(folder: Path) -> list[Listed]:
    """The plain files of a folder, by name."""
    if not folder.is_dir():
        return []
    plain = [p for p in folder.iterdir() if p.is_file() and not p.is_symlink()]
    return [Listed(p.name, p.stat().st_size) for p in sorted(plain) if p.name[0] != "."]


def answer(folder: Path, name: str, *, keep: bool = False) -> FileResponse:
    """A file that `listed` names; ``keep`` makes the browser save it."""
    if name not in {file.name for file in listed(folder)}:
        raise GoneError(f"there is no file {name} in {folder} any more")
    path = folder / name
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    to_look_at = not keep and path.suffix in LOOKED_AT
    made = FileResponse(
        path,
        media_type=kind,
        filename=name,
        content_disposition_type="inline" if to_look_at else "attachment",
    )
    made.headers["content-security-policy"] = SEALED
    return made
