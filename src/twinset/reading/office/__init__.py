"""Text of office documents, one file per format.

`table` lists them and loads their readers, `recognise` tells them by content.
"""

from __future__ import annotations

from twinset.reading.office.base import OfficeError
from twinset.reading.office.recognise import recognise
from twinset.reading.office.table import (
    NOTED,
    SUFFIXES,
    document_text,
    plain_text,
    without_ligatures,
)

__all__ = [
    "NOTED",
    "SUFFIXES",
    "OfficeError",
    "document_text",
    "plain_text",
    "recognise",
    "without_ligatures",
]
