"""Mailboxes that are longer than a document may be: they are read letter by letter."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.examples import examples
from tests.reading.helpers import read
from tests.reading.test_mail import LEASE, letter
from twinset.documents.mailbox import inside, inside_long

LINE = b"From anna@example.org Mon Jan  1 00:00:00 2024\n"
LIMIT = 9000


def mailbox(count: int, end: bytes = b"\n") -> bytes:
    """So many letters of about a thousand bytes, a few with an attachment or a quoted line."""
    letters = [
        letter(f"Letter {n}", f"Dear number {n}\n\n>From here on {n}\n" + f"word {n} " * 60)
        if n % 7
        else letter(f"Letter {n}", "See the lease", lease_docx=LEASE)
        for n in range(count)
    ]
    whole = b"".join(LINE + bytes(each) + b"\n" for each in letters)
    return whole.replace(b"\n", end)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("batch_bytes", [500, 3000, 1 << 20])
def test_a_long_mailbox_holds_the_documents_of_a_short_one(
    tmp_path: Path, end: bytes, batch_bytes: int
) -> None:
    (tmp_path / "in.mbox").write_bytes(mailbox(40, end))
    short = read(tmp_path, batch_bytes=batch_bytes)
    long = read(tmp_path, batch_bytes=batch_bytes, max_document_bytes=LIMIT)
    assert len(short.ids) > 45
    assert (long.ids, long.texts, long.faults) == (short.ids, short.texts, [])


def test_a_letter_beyond_the_limit_is_left_out_and_those_behind_it_are_read(
    tmp_path: Path,
) -> None:
    huge = LINE + bytes(letter("Huge", "x " * 20_000)) + b"\n"
    (tmp_path / "Inbox").write_bytes(mailbox(3) + huge + mailbox(2))
    found = read(tmp_path, batch_bytes=2000, max_document_bytes=LIMIT)
    texts = dict(zip(found.ids, found.texts, strict=True))
    assert texts["Inbox/message 4"] is None
    assert (texts["Inbox/message 6"] or "").startswith("Letter 1\nDear number 1")
    (fault,) = found.faults
    assert fault.kind == "too-long"
    assert "the letter is longer than 9,000 bytes" in fault.detail


def test_other_long_files_are_refused_as_before(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(bytes(letter("Huge", "x " * 20_000)))
    (fault,) = read(tmp_path, max_document_bytes=LIMIT).faults
    assert "the file is longer than 9,000 bytes" in fault.detail


def test_letters_of_a_long_mailbox_are_found_and_the_mailbox_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "mail"
    folder.mkdir()
    whole = mailbox(20)
    (folder / "in.mbox").write_bytes(whole)
    (folder / "copy.mbox").write_bytes(mailbox(12))
    found = twinset.dedup(folder, max_document_bytes=LIMIT)
    assert found.manifest["faults"] == {}
    saved = found.save(tmp_path / "out")
    assert (saved / "kept" / "in.mbox").read_bytes() == whole
    short = twinset.dedup(folder)
    assert found.documents.select(["id", "kept_as"]) == short.documents.select(["id", "kept_as"])


@examples(40)
@given(
    st.lists(
        st.sampled_from(
            [
                b"\n",
                b"\r\n",
                b"From a b\n",
                b"From ",
                b">From x\n",
                b"k: v\n",
                b"text\n",
                b"\nFrom c\nd: e\n",
            ]
        )
    ),
    st.integers(1, 300),
)
def test_pieces_of_any_size_hold_the_same_letters(lines: list[bytes], size: int) -> None:
    raw = LINE + b"a: b\n" + b"".join(lines)
    pieces = iter([raw[at : at + size] for at in range(0, len(raw), size)])
    long = [d._replace(raw=None) for d in inside_long(pieces, 1 << 20)]
    assert long == [d._replace(raw=None) for d in inside(raw, "mailbox")]
