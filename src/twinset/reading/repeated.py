"""Texts without what documents repeat.

Pages lose the lines that their sites repeat, and all documents, where that is asked for, their
boilerplate. What these are is known only after the last document: see `held`. Later passes, and
those who read single documents again, know it from the beginning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from twinset.text.boilerplate import BoilerplateCutter
    from twinset.text.repeated import RepeatedLines


@dataclass
class Repetition:
    """What is known of what some documents repeat, from one pass to the next.

    ``lines`` is None before the first pass over pages, and ``boilerplate`` before the first over
    documents; ``table`` and ``paragraphs`` show them to the reader of a report.
    """

    lines: RepeatedLines | None = None
    table: pa.Table | None = None
    boilerplate: BoilerplateCutter | None = None
    paragraphs: pa.Table | None = None
