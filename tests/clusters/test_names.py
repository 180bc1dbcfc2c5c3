"""Names that say copy, draft or version, as desktop systems and people write them."""

from __future__ import annotations

import unicodedata

import pytest

from twinset.finding.clusters.names import marks_of

COPIES = """
Lease (1).docx|Lease(1).docx|Lease (12).pdf|Lease - Copy.docx|Lease - Copy (2).docx|Lease copy.docx
Lease copy 2.docx|Lease_copy.docx|Lease-copy2.docx|Lease (copy).odt|Lease (another copy).odt
Lease (3rd copy).odt|Copy of Lease.docx|Copy (2) of Lease.docx|Lease - Kopie.docx
Lease - Kopie (2).docx|Lease Kopie 2.docx|Kopie von Lease.docx|Lease (Kopie).odt
Lease (weitere Kopie).odt|Lease - Copie.docx|Lease copie 2.docx|Copie de Lease.docx
Lease (autre copie).odt|Lease - copia.docx|Copia de Lease.docx|Copia di Lease.docx
Lease (otra copia).odt|Lease - Cópia.docx|Cópia de Lease.docx|Lease (outra cópia).odt
Lease (altra copia).odt|Lease - Kopia.docx|Kopia Lease.docx|Kopia pliku Lease.docx
Lease (kopia).odt|Lease — копия.docx|Lease - копия (2).docx|Копия Lease.docx|Lease копия 3.docx
Lease (копия).odt|Lease (другая копия).odt|LEASE - COPY.DOCX
租约 - 副本.docx|租约 - 副本 (2).docx|租约副本.docx|租约的副本.docx|副本 租约.docx|副本租约.xls
租约（1）.docx|复件 租约.doc|复件 (2) 租约.doc|租约 (第 3 个复件).odt|租約 - 複製.docx
租約 拷貝 2.docx
租约 拷贝.docx|契約 - コピー.docx|契約 - コピー (2).docx|契約のコピー.docx
コピー ～ 契約.doc|계약서 - 복사본.docx
계약서의 사본.docx|계약서 - 복사본 (2).docx|Lease - kópia.docx|Kópia súboru Lease.docx
Lease – másolat.docx|Lease - Kopi.docx|Kopi av Lease.docx|Kopia av Lease.docx|Lease - Kopio.docx
Lease - Kopya.docx
Lease — копія.docx|Копія Lease.docx|Lease - Копие.docx|Lease - Αντίγραφο.docx|Kopie van Lease.docx
Lease - نسخة.docx|نسخة من Lease.docx|Lease - עותק.docx|Lease - สำเนา.docx
"""
DRAFTS = """
Lease draft.docx|Draft lease.docx|lease_draft2.docx|Lease Entwurf.docx|brouillon du bail.docx
Borrador contrato.docx|rascunho.contrato.docx|Bozza contratto.docx|Szkic umowy.docx
Черновик договора.docx|Договор (черновик).docx|Lease.docx~|Lease.docx.bak|~$Lease.docx
Lease_old.docx|Lease (old).docx|Lease backup.docx|Договор_старый.docx|Lease.txt.orig
"""
PLAIN = """
Lease.docx|Report (2024).docx|Chapter 2.docx|Photocopy.pdf|Hardcopy list.txt|copy.txt|Draftsman.txt
Old Town.txt|Harold.txt|Gold.txt|IMG_0001.jpg|Lease FINAL signed.docx|Копиятека.docx|2024-05-01.txt
Invoice 17.pdf|копия.docx|Copyright.txt|(1).txt|Aircraft.txt|副本.docx|Copy editing.docx
コピー用紙.txt|Copie d'écran.png|Finale.txt|unsigned.txt
"""


def listed(names: str) -> list[str]:
    return [name for line in names.split("\n") for name in line.split("|") if name]


@pytest.mark.parametrize("name", listed(COPIES))
def test_a_copy_is_known_by_its_name(name: str) -> None:
    assert marks_of(name)[:3] == (1, 0, 1)
    assert marks_of(unicodedata.normalize("NFD", name))[:3] == (1, 0, 1)


@pytest.mark.parametrize("name", listed(DRAFTS))
def test_a_draft_or_leftover_is_known_by_its_name(name: str) -> None:
    assert marks_of(name)[:3] == (0, 1, 1)


@pytest.mark.parametrize("name", listed(PLAIN))
def test_other_names_have_no_mark(name: str) -> None:
    assert marks_of(name)[:3] == (0, 0, 1)


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("Lease v2 FINAL signed.docx", 2),
        ("Lease_v10.docx", 10),
        ("lease version 3.docx", 3),
        ("Report 2024 rev 3.docx", 3),
        ("Договор версия 4.docx", 4),
        ("notes.v2.txt", 2),
        ("Lease v1.docx", 1),
        ("Louis XV2024.docx", 1),
    ],
)
def test_versions_are_numbers(name: str, version: int) -> None:
    assert marks_of(name)[:3] == (0, 0, version)


def test_marks_add_up() -> None:
    assert marks_of("Copy of Lease (1).docx").copies == 2
    assert marks_of("Lease draft - Copy.docx.bak")[:3] == (1, 2, 1)


def test_a_name_of_separators() -> None:
    assert marks_of("-" * 20_000 + "x")[:3] == (0, 0, 1)
    assert marks_of("x" + "-" * 20_000 + "copy")[:3] == (1, 0, 1)
