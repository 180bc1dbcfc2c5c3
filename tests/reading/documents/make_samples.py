"""Saves the samples that are one XML file (a text, a table, a talk) in every format by LibreOffice.

Run ``python -m tests.reading.documents.make_samples`` where LibreOffice is installed. The samples
are kept in the repository, so that the tests do not need it.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLES = Path(__file__).parent / "samples"
WRITTEN = (".fodt", ".fods", ".fodp")
"""What the samples are saved from, which itself is not read."""
SAVED_AS = {
    "lease.fodt": ("odt", "docx", "rtf", "doc", "pdf", "txt:Text (encoded):UTF8", "html", "epub"),
    "traced.fodt": ("odt", "docx", "rtf", "doc"),
    "rents.fods": ("ods", "xlsx", "xls"),
    "talk.fodp": ("odp", "pptx", "ppt"),
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, formats in SAVED_AS.items():
            for format in formats:
                command = ["soffice", "--headless", "--convert-to", format, "--outdir", folder]
                subprocess.run([*command, str(SAMPLES / name)], check=True, stdout=sys.stderr)
                saved = (Path(folder) / name).with_suffix(f".{format.partition(':')[0]}")
                content = saved.read_bytes()
                # The presentation of the nineties is nearly empty, and large.
                is_large = saved.suffix == ".ppt"
                target = SAMPLES / (f"{saved.name}.gz" if is_large else saved.name)
                target.write_bytes(gzip.compress(content, mtime=0) if is_large else content)


if __name__ == "__main__":
    main()
