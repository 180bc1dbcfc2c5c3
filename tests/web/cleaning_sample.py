"""A folder with copies of every kind, and the report of a search in it as plain tables."""

from __future__ import annotations

from pathlib import Path

from tests.review.cleaning.made import MadeFile, report

DAY = 86_400 * 10**9
NOW = 19_800 * DAY
CLAUSES = " ".join(f"Clause {number} says what both agreed on." for number in range(30))
LEASE = "This lease of the flat in Mill Lane is for {} years at a rent of {} a month. " + CLAUSES
FIVE, SIX = LEASE.format("five", "10,800"), LEASE.format("six", "10,200")
PICTURE = "GIF89a" + "JFIF" * 5000

FILES = (
    MadeFile("Contracts/Lease v2 signed.txt", FIVE, NOW),
    MadeFile("Contracts/Lease.txt", SIX, NOW - 330 * DAY),
    MadeFile("Downloads/Lease (1).txt", FIVE, NOW + 5 * DAY),
    MadeFile("Pictures/garden party.jpg", PICTURE, NOW),
    MadeFile("Downloads/garden party (1).jpg", PICTURE, NOW + DAY),
    MadeFile("Backup/garden party.jpg", PICTURE, NOW),
    MadeFile("Invoices/Invoice 17.txt", "Invoice 17 to Mr Brown for 120.00", NOW),
    MadeFile("Invoices/Invoice 18.txt", "Invoice 18 to Mrs Green for 85.50", NOW + 9 * DAY),
    MadeFile("Letters/Excerpt.txt", CLAUSES[:200], NOW),
    MadeFile("Mail/letter.eml", "Subject: the lease", NOW),
    MadeFile("Mail/letter.eml", FIVE, NOW, "Lease.txt"),
    MadeFile("Счета/Счёт за свет.txt", "Счёт за свет " * 300, NOW),
    MadeFile("Счета/Счёт за свет — копия.txt", "Счёт за свет " * 300, NOW + 3 * DAY),
    MadeFile("Счета/<b>&копия.txt", "Счёт за свет " * 300, NOW + 4 * DAY),
)
SIGNED = FILES[0].path
PAIRS = (
    (SIGNED, "Contracts/Lease.txt", "revision", 0.93),
    (SIGNED, "Downloads/Lease (1).txt", "equal-bytes", 1.0),
    ("Contracts/Lease.txt", "Downloads/Lease (1).txt", "revision", 0.93),
    ("Invoices/Invoice 17.txt", "Invoices/Invoice 18.txt", "same-form", 0.8),
    (SIGNED, "Letters/Excerpt.txt", "part", 0.7),
    (SIGNED, "Mail/letter.eml!Lease.txt", "equal-words", 1.0),
)
GOING = {
    "Contracts/Lease.txt",
    "Downloads/Lease (1).txt",
    "Downloads/garden party (1).jpg",
    "Backup/garden party.jpg",
    "Счета/Счёт за свет — копия.txt",
    "Счета/<b>&копия.txt",
}
"""What is proposed to go."""


def folder_with_copies(place: Path) -> Path:
    """The files below ``place/folder``; gives the report on them."""
    report(place, FILES, PAIRS, plan={"keep": "first", "kind": "revision"})
    return place / "report"
