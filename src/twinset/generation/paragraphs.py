"""The operations on paragraphs: reorder, delete, add, repeat."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from twinset.generation.operation import Edited, Operation, Setting, Share, nothing, total
from twinset.generation.sheet import Edit, Sheet
from twinset.generation.units import count_sentences, count_words

_ONE = "the document has fewer than two paragraphs (blank lines or block tags part them)"


def _counts(of: int, plain: list[str]) -> dict[str, int]:
    return {
        "of": of,
        "paragraphs": len(plain),
        "sentences": count_sentences(plain),
        "words": count_words(plain),
    }


@dataclass(frozen=True)
class ReorderParagraphs(Share):
    """Paragraphs change places among themselves; every chosen one leaves its place."""

    counts: ClassVar[str] = "paragraphs"

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Move the contents of the chosen paragraphs in one random cycle."""
        own = sheet.paragraphs
        wanted = self.of(len(own))
        if wanted and len(own) < 2:
            return nothing(sheet, len(own), f"nothing to reorder: {_ONE}")
        notes = ("one paragraph cannot change places alone: two did",) if wanted == 1 else ()
        chosen = setting.draw.sample(len(own), 2 if wanted == 1 else wanted)
        cycle = setting.draw.cycle(len(chosen))
        edits = []
        for place, origin in enumerate(cycle):
            source = own[chosen[origin]].inner
            edits.append(Edit(*own[chosen[place]].inner, sheet.source[slice(*source)]))
        plain = [own[number].plain for number in chosen]
        return Edited(sheet.edited(edits), _counts(len(own), plain), notes)


@dataclass(frozen=True)
class DeleteParagraphs(Share):
    """Paragraphs go; at least one stays."""

    counts: ClassVar[str] = "paragraphs"

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Remove the chosen paragraphs."""
        own = sheet.paragraphs
        wanted = self.of(len(own))
        notes: tuple[str, ...] = ()
        if wanted and wanted == len(own):
            wanted -= 1
            notes = ("one paragraph always stays",)
        gone = setting.draw.sample(len(own), wanted)
        plain = [own[number].plain for number in gone]
        changed = _counts(len(own), plain)
        changed |= {"words_deleted": changed["words"], "characters_deleted": total(plain)}
        return Edited(sheet.without(gone), changed, notes)


@dataclass(frozen=True)
class AddParagraphs(Share):
    """Paragraphs of other documents come in at random places."""

    counts: ClassVar[str] = "paragraphs"

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Draw paragraphs elsewhere and put them in."""
        own = sheet.paragraphs
        wanted = self.of(len(own))
        places = sorted(setting.draw.below(len(own) + 1) for _ in range(wanted))
        drawn = [setting.others.paragraph(setting.draw, setting.original) for _ in places]
        plain = [text for text in drawn if text is not None]
        if len(plain) < wanted:
            note = "nothing to add: there are no paragraphs of other documents"
            return nothing(sheet, len(own), note)
        return Edited(sheet.with_new(zip(places, plain, strict=True)), _added(len(own), plain))


@dataclass(frozen=True)
class RepeatParagraphs(Operation):
    """Some of the document's own paragraphs come again, at random places."""

    counts: ClassVar[str] = "paragraphs"
    paragraphs: int = field(default=1, metadata={"help": "How many are repeated."})
    times: int = field(default=1, metadata={"help": "How often each of them comes again."})

    def faults(self) -> list[str]:
        """Numbers out of range."""
        found = []
        if not 0 <= self.paragraphs <= 1_000_000:
            found.append(f"paragraphs must lie between 0 and 1000000, not {self.paragraphs}")
        if not 0 <= self.times <= 1000:
            found.append(f"times must lie between 0 and 1000, not {self.times}")
        return found

    def apply(self, sheet: Sheet, setting: Setting) -> Edited:
        """Put copies of the chosen paragraphs in."""
        own = sheet.paragraphs
        wanted = min(self.paragraphs, len(own))
        notes: tuple[str, ...] = ()
        if own and wanted < self.paragraphs:
            notes = (f"the document has {len(own)} paragraphs, fewer than {self.paragraphs}",)
        chosen = setting.draw.sample(len(own), wanted)
        plain = [own[number].plain for number in chosen for _ in range(self.times)]
        added = [(setting.draw.below(len(own) + 1), text) for text in plain]
        added.sort(key=lambda one: one[0])
        return Edited(sheet.with_new(added), _added(len(own), plain), notes)


def _added(of: int, plain: list[str]) -> dict[str, int]:
    changed = _counts(of, plain)
    return changed | {"words_added": changed["words"], "characters_added": total(plain)}
