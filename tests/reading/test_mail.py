"""Mail as documents: letters, mailboxes, attachments, and letters meant to do harm."""

from __future__ import annotations

import time
from email.message import EmailMessage
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.reading.compounds import compound, outlook
from tests.reading.helpers import read, split
from tests.reading.pdfs import pdf_of
from tests.reading.test_office import docx, paragraph
from twinset.documents.mailbox import inside, mail_format
from twinset.documents.mime import DEEPEST_LETTERS, MOST_PARTS, letter_of
from twinset.reading import open_inputs
from twinset.reading.reread import fetch

LEASE = docx(paragraph("The lease of the flat in the second storey"))
WORD = "vnd.openxmlformats-officedocument.wordprocessingml.document"


def letter(subject: str, body: str, **attachments: bytes) -> EmailMessage:
    """A letter; ``a_docx`` stands for the name ``a.docx``."""
    message = EmailMessage()
    message["From"], message["To"] = "Anna <anna@example.org>", "Boris <boris@example.org>"
    message["Subject"], message["Message-ID"] = subject, "<1@example.org>"
    message.set_content(body)
    for name, content in attachments.items():
        file = name.replace("_", ".")
        message.add_attachment(content, maintype="application", subtype=WORD, filename=file)
    return message


def first_lines(texts: list[str | None]) -> list[str]:
    return [(text or "").split("\n")[0] for text in texts]


def test_a_letter_is_its_subject_and_body_and_attachments_are_documents(tmp_path: Path) -> None:
    message = letter("Договор аренды", "Добрый день!\n", lease_docx=LEASE)
    message.add_attachment(b"words of a note", maintype="text", subtype="plain", filename="n.txt")
    (tmp_path / "a.eml").write_bytes(bytes(message))
    documents = read(tmp_path)
    assert documents.faults == []
    assert documents.ids == ["a.eml", "a.eml/lease.docx", "a.eml/n.txt"]
    assert (documents.texts[0] or "").startswith("Договор аренды\nДобрый день!\n+ lease.docx (")
    assert "anna" not in (documents.texts[0] or "").lower()
    assert documents.texts[1:] == [
        "The lease of the flat in the second storey\n",
        "words of a note",
    ]
    (batch,) = open_inputs(tmp_path).batches()
    assert batch.files is not None
    assert batch.files.part.to_pylist() == [None, "lease.docx", "n.txt"]


def test_of_two_bodies_one_is_read(tmp_path: Path) -> None:
    both = letter("Rent", "The rent is due.")
    both.add_alternative("<html><body><p>The rent is <b>due</b>.</p></body></html>", subtype="html")
    page = letter("Rent", " ")
    page.add_alternative("<html><body><p>The rent is <b>due</b>.</p></body></html>", subtype="html")
    (tmp_path / "a.eml").write_bytes(bytes(both))
    (tmp_path / "b.eml").write_bytes(bytes(page))
    assert [(text or "").split() for text in read(tmp_path).texts] == [
        ["Rent", "The", "rent", "is", "due."],
        ["Rent", "The", "rent", "is", "due."],
    ]


@pytest.mark.parametrize("encoding", ["koi8-r", "windows-1251", "utf-8"])
@pytest.mark.parametrize("transfer", ["quoted-printable", "base64", "8bit"])
def test_encodings_are_undone(tmp_path: Path, encoding: str, transfer: str) -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "a@example.org", "Договор № 17"
    message.set_content("Добрый день, Анна!\n", charset=encoding, cte=transfer)
    (tmp_path / "a.eml").write_bytes(bytes(message))
    assert read(tmp_path).texts == ["Договор № 17\nДобрый день, Анна!"]


def test_a_mailbox_holds_letters(tmp_path: Path) -> None:
    letters = [letter("First", "one\n\n>From here on\n"), letter("Second", "two", lease_docx=LEASE)]
    line = b"From anna@example.org Mon Jan  1 00:00:00 2024\n"
    (tmp_path / "in.mbox").write_bytes(b"".join(line + bytes(each) + b"\n" for each in letters))
    documents = read(tmp_path)
    assert documents.ids == [
        "in.mbox",
        "in.mbox/message 1",
        "in.mbox/message 2",
        "in.mbox/message 2/lease.docx",
    ]
    assert documents.texts[:2] == [None, "First\none\n\nFrom here on"]
    assert (documents.texts[2] or "").startswith("Second\ntwo\n+ lease.docx")


def test_a_letter_of_outlook_says_what_the_same_letter_in_mime_says(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(bytes(letter("Rent", "The rent is due.", lease_docx=LEASE)))
    note = outlook("Inner", "The inner letter", {"n.txt": b"a note"}, header=24)
    whole = outlook("Rent", "The rent is due.", {"lease.docx": LEASE, "x": note})
    (tmp_path / "b.msg").write_bytes(compound(whole))
    documents = read(tmp_path)
    assert documents.ids == [
        *("a.eml", "a.eml/lease.docx", "b.msg", "b.msg/lease.docx"),
        *("b.msg/Inner.msg", "b.msg/Inner.msg/n.txt"),
    ]
    assert documents.texts[2] == f"{documents.texts[0]}\n+ Inner.msg"
    assert documents.texts[1] == documents.texts[3]
    assert first_lines(documents.texts[4:]) == ["Inner", "a note"]
    page = outlook(
        "Rent", b"<html><body>The <i>rent</i> is due.</body></html>", body_property=0x1013
    )
    (tmp_path / "c.bin").write_bytes(compound(page))
    assert read(tmp_path / "c.bin").texts == ["Rent\nThe rent is due."]
    (tmp_path / "d.msg").write_bytes(compound(outlook("Rent", bytes(300), body_property=0x1009)))
    packed = read(tmp_path / "d.msg")
    assert packed.texts == ["Rent"]
    assert [fault.kind for fault in packed.faults] == ["no-text"]


def test_repeated_and_wild_names_are_made_distinct(tmp_path: Path) -> None:
    message = letter("Rent", "x")
    for name in ("a.txt", "a.txt", "../../etc/passwd", "", "n" * 300 + ".txt"):
        message.add_attachment(b"words", maintype="text", subtype="plain", filename=name or None)
    (tmp_path / "a.eml").write_bytes(bytes(message))
    parts = [id.removeprefix("a.eml/") for id in read(tmp_path).ids[1:] if id]
    assert parts == ["a.txt", "a (2).txt", "_.._etc_passwd", "attachment 4", f"{'n' * 120}.txt"]


def test_documents_of_letters_are_read_again_by_their_places(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("first words")
    (tmp_path / "b.eml").write_bytes(bytes(letter("Rent", "x", lease_docx=LEASE, b_docx=LEASE)))
    (tmp_path / "c.eml").write_bytes(bytes(letter("Heat", "y", lease_docx=LEASE)))
    (tmp_path / "d.txt").write_text("last words")
    documents = read(tmp_path)
    assert len(set(documents.places)) == len(documents.places)
    inputs = open_inputs(tmp_path, batch_bytes=1)
    for rows in ([6], [2, 5], [0, 3, 4, 6], list(range(7))):
        places = [documents.places[row] for row in rows]
        again = {document.place: document for document in fetch(inputs, inputs.sources[0], places)}
        assert {place: again[place].text for place in places} == {
            documents.places[row]: documents.texts[row] for row in rows
        }


def test_a_letter_is_copied_whole(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.eml").write_bytes(bytes(letter("Rent", "x", lease_docx=LEASE)))
    (folder / "b.eml").write_bytes(bytes(letter("Rent", "y", lease_docx=LEASE)))
    (folder / "c.txt").write_text("words")
    inputs = open_inputs(folder)
    documents = [id for batch in inputs.batches() for id in batch.ids.to_pylist()]
    assert documents == ["a.eml", "a.eml/lease.docx", "b.eml", "b.eml/lease.docx", "c.txt"]
    keep = np.array([True, False, False, True, True])
    split(inputs, keep, tmp_path)
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["a.eml", "c.txt"]
    assert [path.name for path in (tmp_path / "removed").iterdir()] == ["b.eml"]


def test_letters_with_other_files_are_other_letters(tmp_path: Path) -> None:
    other = docx(paragraph("The lease of the flat in the third storey"))
    for name, content in (("a", LEASE), ("b", LEASE), ("c", other)):
        (tmp_path / f"{name}.eml").write_bytes(bytes(letter("Rent", "See below", x_docx=content)))
    texts = [text for id, text in zip(*read(tmp_path)[:2], strict=True) if "/" not in str(id)]
    assert texts[0] == texts[1] != texts[2]


def nested(levels: int) -> bytes:
    opened = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(levels)
    )
    return b"From: a@b\nSubject: deep\nMIME-Version: 1.0\n" + opened + b"\n\ndeep words\n"


def wrapped(levels: int) -> bytes:
    raw = b"From: a@b\nSubject: core\n\ncore words\n"
    for _ in range(levels):
        raw = b"From: a@b\nSubject: s\nContent-Type: message/rfc822\n\n" + raw
    return raw


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (nested(1000), "the document is damaged"),
        (wrapped(20), f"letters are attached to one another over {DEEPEST_LETTERS} times"),
        (wrapped(1000), "the document is damaged"),
        (
            b"From: a@b\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 100_000,
            f"the letter has over {MOST_PARTS:,} parts",
        ),
    ],
    ids=["parts", "letters", "many letters", "many parts"],
)
def test_letters_without_bound_are_bounded(tmp_path: Path, content: bytes, fault: str) -> None:
    (tmp_path / "a.eml").write_bytes(content)
    begun = time.process_time()
    documents = read(tmp_path)
    assert time.process_time() - begun < 5
    assert [each.detail.startswith(fault) for each in documents.faults] == [True]
    assert len(documents.ids) <= DEEPEST_LETTERS + 2


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"no headers at all, just words", "no headers at all, just words"),
        (b"", ""),
        (b"\n\nwords", "words"),
        (b"From: a@b\nSubject: " + b"x" * 5_000_000 + b"\n\nwords", "x" * 5_000_000 + "\nwords"),
        (b"Subject: " + b"=?utf-8?B?" * 400_000 + b"\n\nwords", None),
        (b"Subject: a\nContent-Transfer-Encoding: base64\n\nd29y*ZHM", "a\nwords"),
        (b"Subject: a\nContent-Transfer-Encoding: base64\n\nd29yZHM=ZZZ\xff=", None),
        (b"Subject: a\nContent-Type: text/plain; charset=nonsense\n\nwords", "a\nwords"),
        (b"Subject: a\nContent-Type: multipart/mixed\n\nwords", "a"),
        (b'Content-Type: multipart/mixed; boundary=""\n\n--\nwords', None),
        (b"Subject: a\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nwords", "a\nwords"),
    ],
)
def test_broken_letters_are_read_as_far_as_they_go(
    tmp_path: Path, content: bytes, text: str | None
) -> None:
    (tmp_path / "a.eml").write_bytes(content)
    begun = time.process_time()
    documents = read(tmp_path)
    assert time.process_time() - begun < 3
    assert len(documents.texts) == 1
    if text is not None:
        assert documents.texts == [text]


@given(st.binary(max_size=300), st.integers(0, 6000), st.booleans())
@examples(60)
def test_damage_is_no_crash(noise: bytes, at: int, of_outlook: bool) -> None:
    whole = compound(outlook("Rent", "x", {"a.docx": LEASE, "y": outlook("z", "w", header=24)}))
    if not of_outlook:
        whole = bytes(letter("Rent", "x", lease_docx=LEASE))
    raw = whole[:at] + noise + whole[at + len(noise) :]
    parts = [document.part for document in inside(raw, "outlook" if of_outlook else "letter")]
    assert parts[0] is None
    assert len(set(parts)) == len(parts)
    mail_format(raw, ".msg")


def test_a_letter_that_is_called_a_text_is_a_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(bytes(letter("Rent", "x", lease_docx=LEASE)))
    assert len(read(tmp_path).ids) == 1
    assert letter_of(b"Subject: x\n\nbody").subject == "x"


def test_an_attachment_saved_beside_its_letter_is_found(tmp_path: Path) -> None:
    import twinset

    lines = [(40.0, 700.0 - 12 * row, f"clause {row} of the lease is agreed") for row in range(9)]
    content = pdf_of([lines])
    (tmp_path / "a.eml").write_bytes(bytes(letter("Rent", "See below", lease_pdf=content)))
    (tmp_path / "saved.pdf").write_bytes(content)
    (tmp_path / "other.txt").write_text("nothing of this kind stands here at all, not a word")
    pairs = twinset.find(tmp_path).pairs.select(["left", "right", "score"]).to_pylist()
    assert pairs == [{"left": "a.eml/lease.pdf", "right": "saved.pdf", "score": 1.0}]
    # An attachment never goes on its own, and no file goes because a letter brings a copy of it.
    (tmp_path / "saved again.pdf").write_bytes(content)
    (tmp_path / "b.eml").write_bytes(bytes(letter("Rent", "See below", lease_pdf=content)))
    cleaned = twinset.dedup(tmp_path, method="exact", shingle=1)
    kept = dict(zip(cleaned.documents["id"].to_pylist(), cleaned.keep.tolist(), strict=True))
    assert kept == {
        "a.eml": True,
        "a.eml/lease.pdf": True,
        "b.eml": False,
        "b.eml/lease.pdf": True,
        "other.txt": True,
        "saved again.pdf": True,
        "saved.pdf": False,
    }
