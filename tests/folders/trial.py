"""Two folders of papers in six languages: 60 files of one minute, and 45 of several years.

Each row names a paper, which filling of it the files have, and the files that say it in the same
words, the one that a person would keep first. Everything else in the folder differs from it in a
fact.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

from tests.folders.formats import TEXTS, mail
from tests.folders.truth import CopyGroup, Truth
from tests.verify.fact_cases import FACTS, VERSIONS, filled

MINUTE, SPREAD = "minute", "spread"
_WORDS = "lease|ticket|cv|invoice|certificate|contract|copy|signed|final|draft"
_NAMES = {
    "en": "Lease|Ticket|CV|Invoice|Certificate|Contract|copy|signed|final|draft",
    "ru": "Договор аренды|Билет|Резюме|Счёт|Справка|Договор подряда|копия|подписан|итог|черновик",
    "de": "Mietvertrag|Fahrkarte|Lebenslauf|Rechnung|Urkunde|Werkvertrag|Kopie|unterschrieben|"
    "final|Entwurf",
    "fr": "Bail|Billet|CV|Facture|Attestation|Contrat|copie|signé|final|brouillon",
    "es": "Alquiler|Billete|Currículum|Factura|Certificado|Contrato|copia|firmado|final|borrador",
    "pl": "Najem|Bilet|Życiorys|Faktura|Zaświadczenie|Umowa|kopia|podpisane|final|szkic",
}
_ROWS: dict[str, tuple[str, ...]] = {
    MINUTE: (
        "lease 0: {lease} 14.docx, {lease} 14.pdf, {lease} 14 - {copy}.docx",
        "lease 1: {lease} 16.docx",
        "ticket 0: {ticket} 4.pdf, {ticket} 4 (1).pdf",
        "ticket 1: {ticket} 11.pdf",
        "contract 0: {contract} {signed}.odt, {contract}.odt",
        "rules 0: {cv} 2023.docx",
    ),
    SPREAD: (
        "lease 1: {lease} v2.rtf, {lease} v1.rtf",
        "invoice 0: {invoice} {final}.docx, {invoice} {draft}.docx",
        "invoice 1: {invoice} 121.docx",
    ),
}
_OF_THREE_LANGUAGES = (
    "notice 0: {contract}.docx, {contract}.eml",
    "certificate 0: {certificate} A.odt, {certificate} A.txt",
    "certificate 1: {certificate} B.odt",
)


def trial_folder(folder: Path, times: str, seed: int = 1) -> Truth:
    """Write a folder; the truth has the files of each group, and what differs from all others."""
    draw, truth = random.Random(seed), Truth()
    for number, (language, listed) in enumerate(_NAMES.items()):
        names = dict(zip(_WORDS.split("|"), listed.split("|"), strict=True))
        rows = _ROWS[times] + (_OF_THREE_LANGUAGES if times == SPREAD and number < 3 else ())
        for row in rows:
            paper, _, paths = row.partition(": ")
            files = [f"{language}/{name}" for name in paths.format(**names).split(", ")]
            paragraphs = _paragraphs(language, *paper.split())
            for file in files:
                _write(folder / file, paragraphs)
                second = draw.randrange(60 if times == MINUTE else 150_000_000)
                os.utime(folder / file, (1_600_000_000 + second, 1_600_000_000 + second))
            if len(files) > 1:
                truth.groups.append(CopyGroup(paper, files, {files[0]}))
            else:
                truth.singles += files
    return truth


def _paragraphs(language: str, what: str, filling: str) -> list[str]:
    """The paper below its title, and what the form of all papers says."""
    papers = FACTS[language] | VERSIONS[language]
    text = filled(papers[what])[int(filling)]
    form = VERSIONS[language].values() if what in FACTS[language] else ()
    return [text.split(".")[0], text, *(filled(version)[0] for version in form)]


def _write(path: Path, paragraphs: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((TEXTS | {".eml": mail})[path.suffix](paragraphs))
