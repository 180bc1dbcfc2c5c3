"""Text of office documents, one file per format.

`table` lists them and loads their readers, `recognise` tells them by content.
"""

from __future__ import annotations

from twinset.reading.office.base import OfficeError
from twinset.reading.office.recognise import recognise
from twinset.reading.office.table import FORMATS, SUFFIXES, document_text

__all__ = ["FORMATS", "SUFFIXES", "OfficeError", "document_text", "recognise"]
