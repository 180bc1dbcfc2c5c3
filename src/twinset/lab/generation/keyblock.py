"""Key blocks: well-known paragraphs of a document inside other text.

Ignatov, Jánosi-Rancz, Kuznetsov 2009 name four styles of editing: block edit (``add-paragraphs``,
``delete-paragraphs``), key block, minor change (``replace-words``, ``replace-characters``) and
block reordering (``reorder-paragraphs``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from twinset.lab.generation.draw import Draw
from twinset.lab.generation.operation import Edited, Setting, nothing, percentage, total
from twinset.lab.generation.paragraphs import NOTHING_TO_ADD, ParagraphShare, counts_of
from twinset.lab.generation.sheet import Paragraph, Sheet
from twinset.lab.generation.splitting import in_parts, open_sheet
from twinset.lab.generation.units import count_words
from twinset.spec import option


@dataclass(frozen=True)
class KeyBlock(ParagraphShare):
    """Keep one or more paragraphs of the document and put them among those of other documents."""

    counts: ClassVar[str] = "paragraphs"
    percent: float = percentage(
        100.0, "Paragraphs of other documents, as a percentage of the document's own.", most=1000
    )
    blocks: int = option(1, "How many paragraphs of the document to keep.", least=1, most=1000)
    choose: Literal["longest", "random"] = option(
        "longest", "Keep the paragraphs with the most words, or random ones."
    )

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Cut out what is not kept, and put paragraphs of other documents between the rest."""
        sheet = in_parts(sheet, self.by)
        own = sheet.paragraphs
        if not own:
            return nothing(sheet, 0)
        count = max(1, self.of(len(own))) if self.percent else 0
        texts = [setting.others.part(setting.draw, setting.original, self.by) for _ in range(count)]
        added = [text for text in texts if text is not None]
        if len(added) < count:
            return nothing(sheet, len(own), NOTHING_TO_ADD)
        kept = self._kept(own, setting.draw)
        gone = [number for number in range(len(own)) if number not in kept]
        block = in_parts(open_sheet(sheet.without(gone), sheet.is_html), self.by)
        places = sorted(setting.draw.below(len(block.paragraphs) + 1) for _ in added)
        source = block.with_new(zip(places, added, strict=True))
        return Edited(source, self._changed(own, gone, added), self._notes(len(own)))

    def _kept(self, own: tuple[Paragraph, ...], draw: Draw) -> set[int]:
        count = min(self.blocks, len(own))
        if self.choose == "random":
            return set(draw.sample(len(own), count))
        words = [count_words([paragraph.plain]) for paragraph in own]
        return set(sorted(range(len(own)), key=lambda number: -words[number])[:count])

    def _changed(
        self, own: tuple[Paragraph, ...], gone: list[int], added: list[str]
    ) -> dict[str, int]:
        """What went and what came, counted together, and the words and characters of each."""
        deleted = [own[number].plain for number in gone]
        changed = counts_of(len(own), [*deleted, *added], self.by)
        changed |= {"words_deleted": count_words(deleted), "characters_deleted": total(deleted)}
        return changed | {"words_added": count_words(added), "characters_added": total(added)}

    def _notes(self, paragraphs: int) -> tuple[str, ...]:
        if paragraphs > self.blocks:
            return ()
        parts = f"{paragraphs} {self.by}{'' if paragraphs == 1 else 's'}"
        return (f"the document has {parts}: nothing of it was cut out",)
