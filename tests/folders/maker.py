"""A folder of a household or small office, drawn from a seed: copies, versions, forms, formats.

The truth follows from how files are made and from nothing else: a copy is made by copying bytes or
by writing the same paragraphs in another format, a version by revising, a form by filling it in.
"""

from __future__ import annotations

import os
import random
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.folders import formats
from tests.folders.formats import TEXTS
from tests.folders.other_forms import OTHER_FORMS, corrected
from tests.folders.papers import FORMS, KINDS, Paper, excerpt, invoice, revised
from tests.folders.prose import VOCABULARIES
from tests.folders.truth import CopyGroup, Truth

SAMPLES = Path(__file__).parents[1] / "reading" / "documents" / "samples"
OFFICE = (".doc", ".docx", ".odt", ".rtf", ".pdf", ".epub", ".xls", ".xlsx", ".ods")
YEAR = 365 * 86_400
HOMES = ("Documents", "Documents/Work", "Contracts", "Letters 2024", "Отчёты", "Архив/2023")
ELSEWHERE = ("Downloads", "Desktop", "Backup", "Backup/old laptop", "Загрузки")
COPY_NAMES = {
    "en": ("{} (1)", "{} - Copy", "Copy of {}", "{} copy", "{}(2)", "{} (copy)"),
    "ru": ("{} (1)", "{} — копия", "Копия {}", "{} (копия)", "{} (2)"),
}
DRAFTS = {"en": ("{} draft", "{} old"), "ru": ("{} черновик", "{} старый")}
VERSIONS = {"en": ("{} v2", "{} final", "{} FINAL signed"), "ru": ("{} v2", "{} итог", "{} правка")}


class FolderMaker:
    """Makes one folder; every method adds files and what is true of them."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.draw, self.truth = folder, random.Random(seed), Truth()
        self._names: set[str] = set()

    def write(self, place: str, name: str, content: bytes, modified: float) -> str:
        """Write a file under a free name; its path below the folder."""
        stem, dot, suffix = name.rpartition(".")
        path, number = f"{place}/{name}", 1
        while path.lower() in self._names:
            number += 1
            path = f"{place}/{stem}, {number}{dot}{suffix}"
        self._names.add(path.lower())
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        os.utime(target, (modified, modified))
        return path

    def moment(self) -> float:
        """A time between 2019 and 2025."""
        return 1_546_300_800 + self.draw.random() * 6 * YEAR

    def paper(self, *kinds: str) -> Paper:
        """A paper in one of the two languages."""
        language = self.draw.choice(["en", "en", "ru"])
        return KINDS[self.draw.choice(kinds or tuple(KINDS))](self.draw, language)

    def text_file(self, paper: Paper, suffix: str, place: str, modified: float, name: str) -> str:
        """A paper in a format."""
        return self.write(place, f"{name}{suffix}", TEXTS[suffix](paper.paragraphs), modified)

    def home(self) -> str:
        """Where people keep things."""
        return self.draw.choice(HOMES)

    def note_form(self, paper: Paper, file: str) -> None:
        """Remember that a file is filled in from a form."""
        if paper.form:
            self.truth.forms.setdefault(f"{paper.form} {paper.language}", []).append(file)

    def group(
        self, what: str, files: Sequence[str], keepers: Sequence[str], versions: Sequence[str] = ()
    ) -> None:
        """Remember a group."""
        self.truth.groups.append(CopyGroup(what, list(files), set(keepers), set(versions)))

    def exact(self) -> None:
        """A file and one or two copies of its bytes under the names that systems give them."""
        paper, suffix = self.paper(), self.draw.choice(list(TEXTS))
        made, place = self.moment(), self.home()
        original = self.text_file(paper, suffix, place, made, paper.name)
        content, files = (self.folder / original).read_bytes(), [original]
        for pattern in self.draw.sample(COPY_NAMES[paper.language], self.draw.randrange(1, 3)):
            where = self.draw.choice([place, *ELSEWHERE])
            later = made + self.draw.choice([0, 0, self.draw.random() * YEAR])
            name = pattern.format(paper.name) + suffix
            files.append(self.write(where, name, content, later))
        self.note_form(paper, original)
        self.group("exact", files, [original])

    def backup(self) -> None:
        """The same name and the same bytes in two folders: a person may keep either."""
        paper, suffix, made = self.paper(), self.draw.choice(list(TEXTS)), self.moment()
        first = self.text_file(paper, suffix, self.home(), made, paper.name)
        again = self.text_file(paper, suffix, self.draw.choice(ELSEWHERE), made, paper.name)
        self.note_form(paper, first)
        self.group("backup", [first, again], [first, again])

    def converted(self) -> None:
        """One text in two to four formats of one name; the one that can be edited best stays."""
        paper, made, place = self.paper(), self.moment(), self.home()
        suffixes = self.draw.sample(list(TEXTS), self.draw.randrange(2, 5))
        if not {".docx", ".odt"} & set(suffixes):
            suffixes[0] = self.draw.choice([".docx", ".odt"])
        files = [self.text_file(paper, suffix, place, made, paper.name) for suffix in suffixes]
        best = min(suffixes, key=_editable)
        self.note_form(paper, files[suffixes.index(best)])
        self.group("converted", files, [files[suffixes.index(best)]])

    def encoded(self) -> None:
        """A text in three encodings."""
        paper, made, place = (
            self.paper("report", "note", "minutes", "cv"),
            self.moment(),
            self.home(),
        )
        writers = (formats.text, formats.text_of_windows, formats.text_of_notepad)
        names = ("", " win", " utf16")
        files = [
            self.write(place, f"{paper.name}{name}.txt", writer(paper.paragraphs), made)
            for name, writer in zip(names, writers, strict=True)
        ]
        self.group("encoded", files, files)

    def version(self) -> None:
        """An older and a newer version; the newer one stays."""
        paper = self.paper("report", "minutes", "lease", "cv")
        suffix, place = self.draw.choice([".docx", ".odt", ".txt", ".pdf"]), self.home()
        early, late = sorted([self.moment(), self.moment()])
        late += 86_400
        newer = revised(self.draw, paper)
        if self.draw.random() < 0.4:
            draft = self.draw.choice(DRAFTS[paper.language]).format(paper.name)
            names = draft, paper.name
        elif paper.name.startswith("CV"):
            names = f"{paper.name} 2023", f"{paper.name} 2024"
        else:
            final = self.draw.choice(VERSIONS[paper.language]).format(paper.name)
            names = paper.name, final
        old = self.text_file(paper, suffix, place, early, names[0])
        new = self.text_file(newer, suffix, place, late, names[1])
        self.note_form(paper, new)
        self.group("version", [old, new], [new], [old])

    def mixture(self) -> None:
        """An original with a copy, an export and an older version."""
        paper = self.paper("report", "lease", "cv")
        place, early = self.home(), self.moment()
        late = early + 86_400 + self.draw.random() * YEAR
        newer = revised(self.draw, paper)
        draft = self.draw.choice(DRAFTS[paper.language]).format(paper.name)
        old = self.text_file(paper, ".docx", place, early, draft)
        new = self.text_file(newer, ".docx", place, late, paper.name)
        pattern = self.draw.choice(COPY_NAMES[paper.language])
        content = (self.folder / new).read_bytes()
        copied = self.write("Downloads", pattern.format(paper.name) + ".docx", content, late + 60)
        exported = self.text_file(newer, ".pdf", place, late, paper.name)
        self.note_form(paper, new)
        self.group("mixture", [new, copied, exported, old], [new], [old])

    def picture(self) -> None:
        """Files without text, equal byte for byte: pictures, archives, films."""
        suffix, size = self.draw.choice([".jpg", ".png", ".zip", ".mp4", ".bin", ".heic"]), 3000
        head = {".jpg": b"\xff\xd8\xff\xe0", ".png": b"\x89PNG\r\n\x1a\n", ".zip": b"PK\x03\x04"}
        content = head.get(suffix, b"\0\0\0\x18ftyp") + self.draw.randbytes(size)
        name, made = f"IMG_{self.draw.randrange(1000, 9999)}", self.moment()
        first = self.write("Pictures", f"{name}{suffix}", content, made)
        again = self.write(
            self.draw.choice(["Pictures", *ELSEWHERE]), f"{name} (1){suffix}", content, made + 500
        )
        alone = bytearray(content)
        alone[-1] ^= 1  # the same size, one bit apart
        self.truth.singles.append(self.write("Pictures", f"{name}b{suffix}", bytes(alone), made))
        self.group("picture", [first, again], [first])

    def sheet(self) -> None:
        """A table as a workbook, as OpenDocument and a copy."""
        words = VOCABULARIES["en"]
        rows: list[list[str | int]] = [["Customer", "Town", "Amount", "Paid"]]
        for _ in range(self.draw.randrange(15, 60)):
            rows.append(
                [
                    self.draw.choice(words.people),
                    self.draw.choice(words.towns),
                    self.draw.randrange(10, 99_999),
                    self.draw.choice(["yes", "no"]),
                ]
            )
        place, made = self.home(), self.moment()
        name = f"Customers {self.draw.randrange(100, 999)}"
        first = self.write(place, f"{name}.xlsx", formats.xlsx(rows), made)
        other = self.write(place, f"{name}.ods", formats.ods(rows), made)
        copied = self.write("Downloads", f"{name} (1).xlsx", formats.xlsx(rows), made + 90)
        self.group("sheet", [first, other, copied], [first, other])

    def scanned(self) -> None:
        """Scans without a text layer: two equal ones, and another."""
        paper, made = self.paper("lease", "certificate"), self.moment()
        number = self.draw.randrange(100, 999)
        content = formats.scan(paper.paragraphs)
        first = self.write("Scans", f"Scan{number}.pdf", content, made)
        again = self.write("Scans", f"Scan{number} (1).pdf", content, made + 30)
        other = self.write(
            "Scans", f"Scan{number + 1}.pdf", formats.scan(self.paper().paragraphs), made
        )
        self.truth.singles.append(other)
        self.truth.scans += [first, again, other]
        self.group("scanned", [first, again], [first])

    def mail(self) -> None:
        """A message saved twice, one with a file that lies beside it, too."""
        note, paper, made = self.paper("note"), self.paper("report", "lease"), self.moment()
        content = formats.docx(paper.paragraphs)
        message = formats.mail(note.paragraphs, (f"{paper.name}.docx", content))
        first = self.write("Mail", f"{note.name}.eml", message, made)
        again = self.write("Mail", f"{note.name} (1).eml", message, made + 40)
        beside = self.write(self.home(), f"{paper.name}.docx", content, made)
        self.note_form(paper, beside)
        self.truth.singles.append(beside)
        self.group("mail", [first, again], [first])

    def part(self) -> None:
        """A long text and a part of it, saved on its own."""
        paper, made = self.paper("report"), self.moment()
        whole = self.text_file(paper, ".docx", self.home(), made, paper.name)
        piece = excerpt(self.draw, paper)
        name = "Excerpt" if paper.language == "en" else "Отрывок"
        cut = self.text_file(piece, ".docx", self.home(), made + 900, f"{name} {paper.name}")
        self.truth.singles.append(whole)
        self.truth.parts.append((cut, whole))

    def filled_in(self, form: str, language: str, count: int) -> None:
        """Some papers of one form, none of which is a copy of another."""
        seller = self.draw.choice(VOCABULARIES[language].companies)
        place = f"Forms/{form} {language}"
        for _ in range(count):
            if form == "invoice":
                paper = invoice(self.draw, language, seller)
            else:
                paper = FORMS[form](self.draw, language)
            suffix = self.draw.choice([".docx", ".pdf", ".odt", ".txt"])
            file = self.text_file(paper, suffix, place, self.moment(), paper.name)
            self.note_form(paper, file)
            self.truth.singles.append(file)

    def recurring(self, form: str, language: str, count: int) -> None:
        """Papers of one form that come again and again, and of one of them a corrected version."""
        place, made = f"Forms/{form} {language}", self.moment()
        for number in range(count):
            paper = OTHER_FORMS[form](self.draw, language, number)
            suffix = self.draw.choice([".docx", ".pdf", ".odt", ".txt"])
            late = made + number * 30 * 86_400
            file = self.text_file(paper, suffix, place, late, paper.name)
            self.note_form(paper, file)
            if number:
                self.truth.singles.append(file)
                continue
            older = self.text_file(
                corrected(self.draw, paper), suffix, place, late - 86_400, f"{paper.name} draft"
            )
            self.group("recurring", [older, file], [file], [older])

    def samples(self) -> None:
        """Files that office programs have written, of formats that are too much to write here."""
        made = self.moment()
        for name, keepers in (("lease", {".docx"}), ("rents", {".xlsx", ".ods"})):
            files = [
                self.write("Office", path.name, path.read_bytes(), made)
                for path in sorted(SAMPLES.glob(f"{name}.*"))
                if path.suffix in OFFICE
            ]
            best = [file for file in files if Path(file).suffix in keepers]
            self.group("samples", files, best)

    def single(self) -> None:
        """A file of which there is no other."""
        paper = self.paper("report", "note", "minutes", "cv")
        suffix = self.draw.choice(list(TEXTS))
        self.truth.singles.append(
            self.text_file(paper, suffix, self.home(), self.moment(), paper.name)
        )


def _editable(suffix: str) -> int:
    order = (".docx", ".odt", ".pdf", ".txt")
    return order.index(suffix) if suffix in order else len(order)


SHARES: tuple[tuple[Callable[[FolderMaker], None], int], ...] = (
    (FolderMaker.exact, 24),
    (FolderMaker.backup, 8),
    (FolderMaker.converted, 26),
    (FolderMaker.encoded, 5),
    (FolderMaker.version, 16),
    (FolderMaker.mixture, 10),
    (FolderMaker.picture, 10),
    (FolderMaker.sheet, 5),
    (FolderMaker.scanned, 3),
    (FolderMaker.mail, 3),
    (FolderMaker.part, 6),
    (FolderMaker.single, 40),
)
"""How many of what, in a folder of the usual size."""


def make_folder(folder: Path, seed: int, size: float = 1.0) -> Truth:
    """Fill an empty folder; ``size`` 1 gives 120 groups in about 460 files."""
    maker = FolderMaker(folder, seed)
    for add, count in SHARES:
        for _ in range(max(1, round(size * count))):
            add(maker)
    for form in FORMS:
        for language in VOCABULARIES:
            maker.filled_in(form, language, max(2, round(size * 8)))
    maker.samples()
    for form in OTHER_FORMS:
        for language in VOCABULARIES:
            maker.recurring(form, language, max(2, round(size * 5)))
    return maker.truth


def digest(folder: Path) -> int:
    """A number for all bytes of a folder and their places: equal seeds give equal folders."""
    total = 0
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            total = zlib.crc32(f"{path.relative_to(folder)}\0".encode() + path.read_bytes(), total)
    return total
