"""The operations on paragraphs: reordering, deleting, adding, repeating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset.lab.generation.operation import Edited, Operation, Setting, Share, nothing, total
from twinset.lab.generation.sheet import Edit, Sheet
from twinset.lab.generation.splitting import By, in_parts
from twinset.lab.generation.units import count_sentences, count_words
from twinset.spec import option

_HELP = {
    "paragraph": "blank lines or block tags part them; by=sentence takes smaller parts",
    "line": "by=sentence takes smaller parts",
    "sentence": "full stops and their kin part them",
}


NOTHING_TO_ADD = "nothing to add: there are no paragraphs of other documents"
BY = "What counts as a paragraph; sentence suits documents of a single paragraph."


def counts_of(of: int, plain: list[str], by: By) -> dict[str, int]:
    """How many parts, sentences and words were changed, of how many parts."""
    parts = {"of": of, f"{by}s": len(plain)}
    return parts | {"sentences": count_sentences(plain), "words": count_words(plain)}


@dataclass(frozen=True)
class ParagraphShare(Share):
    """An operation on a share of the paragraphs, lines or sentences."""

    counts: ClassVar[str] = "paragraphs"
    by: By = option("paragraph", BY)


@dataclass(frozen=True)
class ReorderParagraphs(ParagraphShare):
    """Move paragraphs: the chosen ones change places with each other."""

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Move the contents of the chosen paragraphs in one random cycle."""
        sheet = in_parts(sheet, self.by)
        own = sheet.paragraphs
        count = self.of(len(own))
        if count and len(own) < 2:
            few = f"nothing to reorder: the document has one {self.by} ({_HELP[self.by]})"
            return nothing(sheet, len(own), few)
        notes = (f"one {self.by} cannot change places alone: two did",) if count == 1 else ()
        chosen = setting.draw.sample(len(own), 2 if count == 1 else count)
        cycle = setting.draw.cycle(len(chosen))
        edits = []
        for place, origin in enumerate(cycle):
            source = own[chosen[origin]].inner
            edits.append(Edit(*own[chosen[place]].inner, sheet.source[slice(*source)]))
        plain = [own[number].plain for number in chosen]
        return Edited(sheet.edited(edits), counts_of(len(own), plain, self.by), notes)


@dataclass(frozen=True)
class DeleteParagraphs(ParagraphShare):
    """Delete paragraphs; at least one stays."""

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Remove the chosen paragraphs."""
        sheet = in_parts(sheet, self.by)
        own = sheet.paragraphs
        count = self.of(len(own))
        notes: tuple[str, ...] = ()
        if count and count == len(own):
            count -= 1
            notes = (f"one {self.by} always stays ({_HELP[self.by]})",)
        gone = setting.draw.sample(len(own), count)
        plain = [own[number].plain for number in gone]
        changed = counts_of(len(own), plain, self.by)
        changed |= {"words_deleted": changed["words"], "characters_deleted": total(plain)}
        return Edited(sheet.without(gone), changed, notes)


@dataclass(frozen=True)
class AddParagraphs(ParagraphShare):
    """Insert paragraphs of other documents at random places."""

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Draw paragraphs elsewhere and put them in."""
        sheet = in_parts(sheet, self.by)
        own = sheet.paragraphs
        count = self.of(len(own))
        places = sorted(setting.draw.below(len(own) + 1) for _ in range(count))
        texts = [setting.others.part(setting.draw, setting.original, self.by) for _ in places]
        plain = [text for text in texts if text is not None]
        if len(plain) < count:
            return nothing(sheet, len(own), NOTHING_TO_ADD)
        return Edited(
            sheet.with_new(zip(places, plain, strict=True)), _added(len(own), plain, self.by)
        )


@dataclass(frozen=True)
class RepeatParagraphs(Operation):
    """Insert copies of some of the document's own paragraphs at random places."""

    counts: ClassVar[str] = "paragraphs"
    paragraphs: int = option(1, "How many paragraphs to repeat.", least=0, most=1_000_000)
    times: int = option(1, "How often to repeat each chosen paragraph.", least=0, most=1000)
    by: By = option("paragraph", BY)

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Put copies of the chosen paragraphs in."""
        sheet = in_parts(sheet, self.by)
        own = sheet.paragraphs
        count = min(self.paragraphs, len(own))
        notes: tuple[str, ...] = ()
        if own and count < self.paragraphs:
            notes = (f"the document has {len(own)} {self.by}s, fewer than {self.paragraphs}",)
        chosen = setting.draw.sample(len(own), count)
        plain = [own[number].plain for number in chosen for _ in range(self.times)]
        added = [(setting.draw.below(len(own) + 1), text) for text in plain]
        added.sort(key=lambda insertion: insertion[0])
        return Edited(sheet.with_new(added), _added(len(own), plain, self.by), notes)


def _added(of: int, plain: list[str], by: By) -> dict[str, int]:
    changed = counts_of(of, plain, by)
    return changed | {"words_added": changed["words"], "characters_added": total(plain)}
