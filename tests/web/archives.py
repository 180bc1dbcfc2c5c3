"""Archives as a visitor would send them."""

from __future__ import annotations

import io
import zipfile


def zipped(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for path, content in files.items():
            file.writestr(path, content)
    return packed.getvalue()
