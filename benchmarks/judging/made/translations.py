"""Manual pages in three languages and in two releases: a translation is not a copy.

True: the page in the same language of the other release. Hard ones: the same page in another
language, which shares names, options and examples; and pages of which a quarter was translated,
against the whole translation. A page of which three quarters were translated counts neither way
against the translation, as people could say either.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from judging import roff
from judging.builder import Builder
from judging.labelled import Collection
from judging.material import files

LANGUAGES = ("de", "fr", "es")
PAGES = 150
PARTLY = 60
LEAST = 100  # words
LONGEST = 30_000  # characters


def make(seed: int = 1) -> Collection:
    """Pages that are there in at least two languages, with partly translated ones."""
    why = "The same page in the same language; neither its translation nor one partly translated."
    builder = Builder("translations", "translations", why, seed=seed)
    rng = builder.rng
    older, newer = (
        {language: _pages(release, language) for language in LANGUAGES}
        for release in ("bullseye", "bookworm")
    )
    known = {language: older[language].keys() & newer[language].keys() for language in LANGUAGES}
    everywhere = sorted(
        page for page in known["de"] if any(page in known[language] for language in ("fr", "es"))
    )
    chosen = sorted(rng.sample(everywhere, PAGES))
    numbers: dict[tuple[str, str, str], int] = {}
    for page in chosen:
        for language in LANGUAGES:
            if page not in known[language]:
                continue
            both = rng.random() < 0.6
            for release, pages in (("2021", older), ("2023", newer)):
                if release == "2021" and not both:
                    continue
                name = f"{release}/{language}/{page}"
                text = pages[language][page]
                numbers[release, language, page] = builder.add(name, text, (page, language))
        present = [number for (_, _, same), number in numbers.items() if same == page]
        for one in present:
            for other in present:
                if one < other:
                    builder.alike(one, other)
    for page in rng.sample(chosen, PARTLY):
        _partly(builder, page, newer, numbers)
    return builder.collection()


def _partly(
    builder: Builder,
    page: str,
    pages: dict[str, dict[str, str]],
    numbers: dict[tuple[str, str, str], int],
) -> None:
    """The page with its first or most paragraphs in one language and the rest in another."""
    ends = [language for language in LANGUAGES if ("2023", language, page) in numbers]
    source, target = builder.rng.sample(ends, 2)
    done = builder.rng.choice((0.25, 0.75))
    first = pages[target][page].split("\n\n")
    rest = pages[source][page].split("\n\n")
    parts = [*first[: int(done * len(first))], *rest[int(done * len(rest)) :]]
    name = f"partly/{target}-{source}/{page}"
    number = builder.add(name, "\n\n".join(parts))
    for (_, language, same), other in numbers.items():
        if same != page:
            continue
        if language == (target if done > 0.5 else source):
            builder.ignore(number, other)
        else:
            builder.alike(number, other)


def _pages(release: str, language: str) -> dict[str, str]:
    pages = {}
    for path, source in files(release, f"manpages-{language}", rf"/{language}/man\d/[^/]*\.gz$"):
        text = roff.plain(source)
        if len(text.split()) >= LEAST and len(text) <= LONGEST and not source.startswith(".so "):
            pages[PurePosixPath(path).name.removesuffix(".gz")] = text
    return pages
