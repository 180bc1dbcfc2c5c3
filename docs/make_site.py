"""What mkdocs needs to be told about this repository; ``make docs`` uses it.

Pages link to files beside ``docs/``. On GitHub such a link leads to the file. In the site it leads
to a copy, at the place that the file has in the repository. A link to a folder, which no site can
show, stays as words. A notebook is a page. And examples in docstrings, which are plain ``>>>``
lines, are shown as code.
"""

from __future__ import annotations

import os
import posixpath
import re
import sys
from pathlib import Path
from typing import Any

import griffe
from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))  # mkdocs runs this file by its path
import notebook_pages

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "src" / "twinset" / "pages" / "static"
BESIDE = (
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "benchmarks/README.md",
    "benchmarks/results/papers_tables.md",
    "examples/README.md",
)
"""Pages of the site that do not stand in ``docs/``."""
EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\n).*)*", re.MULTILINE)
DIALOG = 'data-md-component="search" role="dialog"'
ASKED = 'return t.trim().split(/"'
WITHOUT_HYPHENS = 'return t.replace(/(^|\\s)-+/g,"$1").trim().split(/"'
FETCHED = "https://unpkg.com/iframe-worker/shim"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages beside ``docs/``, those of notebooks, and all files that some page links to."""
    linked = {
        target
        for path in [*BESIDE, *(f"docs/{file.src_uri}" for file in files.documentation_pages())]
        for target in _linked(path)
        if not target.startswith("docs/") and (ROOT / target).is_file()
    }
    colours = (PAGES / "style.css").read_text(encoding="utf-8").partition("}")[0] + "}"
    files.append(File.generated(config, "assets/colours.css", content=colours))
    files.append(File.generated(config, "assets/icon.svg", abs_src_path=str(PAGES / "icon.svg")))
    for path in sorted(linked | set(BESIDE)):
        files.append(File(path, str(ROOT), config.site_dir, config.use_directory_urls))
    for file in list(files):
        if file.src_uri.endswith(notebook_pages.SUFFIX):
            text = notebook_pages.markdown_of(Path(file.abs_src_path))
            files.append(File.generated(config, f"{file.src_uri}.md", content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links lead to places of the site."""
    here = page.file.src_uri
    path = here if here in BESIDE else f"docs/{here}"

    def linked(match: re.Match[str]) -> str:
        image, text, target, anchor = match.groups(default="")
        if _is_elsewhere(target):
            return match[0]
        full = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if (ROOT / full).is_dir():
            return text
        place = posixpath.relpath(full.removeprefix("docs/"), posixpath.dirname(here) or ".")
        place += ".md" if place.endswith(notebook_pages.SUFFIX) else ""
        return f"{image}[{text}]({place}{anchor})"

    return LINK.sub(linked, markdown)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Let keys scroll a table, and put the outputs of a notebook into its page."""
    html = html.replace("<table>", '<table tabindex="0">')
    notebook = page.file.src_uri.removesuffix(".md")
    if not notebook.endswith(notebook_pages.SUFFIX):
        return html
    return notebook_pages.filled(html, ROOT / "docs" / notebook)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Take the part of the search that the theme would fetch from elsewhere from this site."""
    place = posixpath.relpath("assets/iframe-worker.js", posixpath.dirname(page.url) or ".")
    return output.replace(FETCHED, place).replace(DIALOG, f'{DIALOG} aria-label="Search"')


def on_post_template(output_content: str, template_name: str, **_: Any) -> str:
    """Do the same on the page for addresses that are not there."""
    output = output_content.replace(FETCHED, "assets/iframe-worker.js")
    return output.replace(DIALOG, f'{DIALOG} aria-label="Search"')


def on_post_build(config: Any, **_: Any) -> None:
    """Let the search take the hyphens of an option, as of --threshold, for no sign of its own."""
    for worker in Path(config["site_dir"]).glob("assets/javascripts/workers/search.*.js"):
        script = worker.read_text(encoding="utf-8")
        worker.write_text(script.replace(ASKED, WITHOUT_HYPHENS), encoding="utf-8")


def _linked(path: str) -> list[str]:
    """The files of the repository that a page links to."""
    text = (ROOT / path).read_text(encoding="utf-8")
    targets = (match[3] for match in LINK.finditer(text) if not _is_elsewhere(match[3]))
    return [os.path.normpath(os.path.join(os.path.dirname(path), target)) for target in targets]


def _is_elsewhere(target: str) -> bool:
    return "://" in target or target.startswith("mailto:")


class FencedExamples(griffe.Extension):
    """Puts examples of docstrings between fences."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """See every object of the package."""
        if obj.docstring is not None:
            text = obj.docstring.value
            obj.docstring.value = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", text)
