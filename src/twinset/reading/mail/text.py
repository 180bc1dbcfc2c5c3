"""The text of a letter that is compared: its subject, its body, and what it encloses."""

from __future__ import annotations

from twinset.reading.cleaning import as_text
from twinset.reading.encoding import broken_characters, decode
from twinset.reading.mail.letter import Letter
from twinset.reading.source import ReadJob
from twinset.text.pages import Named


def letter_text(job: ReadJob, letter: Letter, place: int, where: str) -> str:
    """Subject and body, pages as text; names of people, addresses and dates are not part of it."""
    texts = [letter.subject]
    for piece in letter.body:
        decoded = decode(piece.raw, hint=piece.encoding, html=piece.is_page)
        if decoded.broken:
            job.faults.add(None, "encoding", broken_characters(decoded.broken), where)
        named: Named = "page" if piece.is_page else "plain"
        texts.append(as_text(job, decoded.text.replace("\r\n", "\n"), place, named))
    return "\n".join(text.strip() for text in texts if text.strip()) + letter.enclosures()
