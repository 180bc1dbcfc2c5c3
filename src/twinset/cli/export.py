"""``twinset export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from twinset.cli.options import Json, Language, Quiet
from twinset.cli.output import print_json, say
from twinset.cli.parameters import argument, option
from twinset.errors import PlanError
from twinset.review import opened
from twinset.review.export import write_page, write_zip


def command(
    folder: Annotated[
        str,
        argument(metavar="DIR", help="Folder or address of a report."),
    ],
    out: Annotated[
        str,
        option("--out", "-o", metavar="FILE", help="The file to write, .html or .zip."),
    ],
    language: Language = "en",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write a report as one HTML page, or its folder as a ZIP file.

    The page is self-contained. It shows the decisions and the differences of the largest clusters,
    and so contains parts of the documents.

    \b
    Example:
      twinset export report -o report.html
      twinset export report -o report.zip
    """
    suffix = Path(out).suffix.lower()
    if suffix not in (".html", ".htm", ".zip"):
        raise PlanError([f"'{out}' is neither .html nor .zip; use one of these suffixes"])
    index = opened(folder)
    written = write_zip(index, out) if suffix == ".zip" else write_page(index, out, language)
    if json:
        print_json({"file": str(written)})
    else:
        say(f"Written: {written}")
