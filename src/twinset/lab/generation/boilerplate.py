"""What a site puts around every page: a header before the text and a footer after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset.errors import TwinsetError
from twinset.lab.generation.draw import Draw
from twinset.lab.generation.material import load_text
from twinset.lab.generation.operation import Edited, Setting, Share, nothing, percentage, total
from twinset.lab.generation.sheet import GAP, Edit, Sheet
from twinset.lab.generation.splitting import plain_sheet
from twinset.lab.generation.units import count_sentences, count_words, word_spans
from twinset.spec import option

_HEADER = (
    "Home", "News", "About us", "Contact", "Archive", "Sign in", "Create an account", "Help",
    "Search this site", "Skip to the main content", "Choose your language", "Today's edition",
    "Subscribe to our newsletter and never miss a story", "Most read this week",
    "You are reading a free page", "Follow us on social media", "Print this page", "Share",
)  # fmt: skip
_FOOTER = (
    "All rights reserved", "Terms of use", "Privacy policy", "Imprint", "Back to the top",
    "This site uses cookies to offer you a better experience", "Accept all cookies", "Site map",
    "No part of this page may be reproduced without written permission", "Advertise with us",
    "Read also", "Related articles", "Leave a comment", "Write to the editors", "Jobs",
    "The views expressed here are those of the authors alone", "Report an error on this page",
)  # fmt: skip


@dataclass(frozen=True)
class Boilerplate(Share):
    """Add a header and a footer to the text, the same ones for all documents of a seed."""

    counts: ClassVar[str] = "words"
    percent: float = percentage(
        10.0, "Words of header and footer together, as a percentage of the document's words."
    )
    header: str | None = option(None, "A text file that is put before the text as it is.")
    footer: str | None = option(None, "A text file that is put after the text as it is.")

    @property
    def strength(self) -> float | None:
        """The percentage, unless files decide the length."""
        return None if self._has_files else self.percent

    @property
    def _has_files(self) -> bool:
        return self.header is not None or self.footer is not None

    def faults(self) -> list[str]:
        """A file that cannot be read."""
        faults = super().faults()
        for name, path in (("header", self.header), ("footer", self.footer)):
            try:
                if path is not None:
                    load_text(path)
            except TwinsetError as fault:
                faults.append(f"{name}: {fault}")
        return faults

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Put the header and the footer in."""
        words = sheet.statistics.words
        header, footer = self._texts(words, setting.site)
        added = [text for text in (header, footer) if text]
        if not added:
            return nothing(sheet, words)
        changed = {"of": words, "paragraphs": sum(len(_parts(text)) for text in added)}
        changed |= {"sentences": count_sentences(added), "words": count_words(added)}
        changed |= {"words_added": changed["words"], "characters_added": total(added)}
        return Edited(_around(sheet, header, footer), changed)

    def _texts(self, words: int, site: Draw) -> tuple[str, str]:
        if self._has_files:
            texts = (load_text(path).strip() if path else "" for path in (self.header, self.footer))
            return next(texts), next(texts)
        count = self.of(words)
        above = (count + 1) // 2
        return _drawn(_HEADER, above, site), _drawn(_FOOTER, count - above, site)


def _drawn(phrases: tuple[str, ...], words: int, site: Draw) -> str:
    """The first ``words`` words of an endless random sequence of phrases, the same site-wide."""
    stream = Draw("boilerplate", site.key, phrases[0])
    parts: list[str] = []
    count = 0
    while count < words:
        phrase = stream.choice(phrases)
        spans = word_spans(phrase)
        take = min(len(spans), words - count)
        parts.append(phrase[: spans[take - 1][1]])
        count += take
    return " | ".join(parts)


def _parts(text: str) -> list[str]:
    return [paragraph.plain for paragraph in plain_sheet(text).paragraphs]


def _around(sheet: Sheet, header: str, footer: str) -> str:
    if not sheet.is_html:
        body = sheet.source
        return GAP.join(filter(None, (header, body.strip("\r\n"), footer))) + (
            "\n" if body.endswith("\n") else ""
        )
    edits = []
    if header:
        edits.append(Edit(sheet.top, sheet.top, f"\n<div>{_blocks(sheet, header)}</div>\n"))
    if footer:
        edits.append(Edit(sheet.bottom, sheet.bottom, f"\n<div>{_blocks(sheet, footer)}</div>\n"))
    return sheet.edited(edits)


def _blocks(sheet: Sheet, text: str) -> str:
    return "".join(f"<p>{sheet.encoded(part)}</p>" for part in _parts(text))
