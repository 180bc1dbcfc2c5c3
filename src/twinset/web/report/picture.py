"""Pictures of a report's files: small ones in the list of what can go, both where two are compared.

The browser draws them itself, from the bytes of the file. A report may come from somebody else and
name any file: only what is a picture by its first bytes and lies in an allowed folder is given out,
under a policy by which it can load and run nothing. SVG, which can, is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from fastapi import APIRouter, Request, Response

from twinset.review.cleaning.files import FolderFiles
from twinset.system.bounded import lies_within, open_regular
from twinset.web.render import GoneError
from twinset.web.reports import view

router = APIRouter(prefix="/report/{name}/picture")
MOST_BYTES = 32 << 20
"""Of a picture that is shown: a photo of 50 megapixels takes half of it."""
SHOWN = (".jpg", ".jpeg", ".png", ".gif", ".webp")
NOT_SHOWN = (".tif", ".tiff", ".heic", ".heif")
SEALED = "default-src 'none'; sandbox"
_MAGIC = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def preview(path: Path, size: int, within: Sequence[str]) -> Literal["", "picture", "none"]:
    """Whether a file is shown as a picture, or is one that is not drawn or must not be opened."""
    suffix = path.suffix.lower()
    if suffix in SHOWN:
        is_open = size <= MOST_BYTES and lies_within(path.resolve(), within)
        return "picture" if is_open else "none"
    return "none" if suffix in NOT_SHOWN else ""


@router.get("/{document}")
def picture(request: Request, name: str, document: int) -> Response:
    """The picture that a document of the report is, as long as it is the same size."""
    index, bounds = view(request, name).index, request.app.state.settings.bounds
    files = index.kept("files", lambda: FolderFiles.of(index))
    if files is None or not 0 <= document < len(files) or not files.whole[document]:
        raise GoneError(f"there is no file {document} in this report")
    try:
        with open_regular(files.path_of(document), bounds, MOST_BYTES) as file:
            raw = file.read()
    except OSError:
        raise GoneError("this picture is gone, or too large to be shown") from None
    kind = next((kind for magic, kind in _MAGIC if raw.startswith(magic)), None)
    if raw.startswith(b"RIFF") and raw.startswith(b"WEBP", 8):
        kind = "image/webp"
    if kind is None or len(raw) != files.bytes[document]:
        raise GoneError("this file is no picture that is shown, or has changed since the search")
    return Response(raw, media_type=kind, headers={"content-security-policy": SEALED})
