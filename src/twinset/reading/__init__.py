"""Reading: whatever holds documents becomes a stream of Arrow batches.

`open_inputs` takes files, globs, folders, addresses and stdin, `memory.from_memory` what Python
programs hold, and `Inputs.write` writes the documents that are kept and removed, and all of them
annotated.

Formats, one file each (a new one is a file and a line in the registry): ``jsonl``, ``delimited``,
``parquet``, ``warc``, ``romip``, ``files`` (plain files) with the readers of ``office/`` (DOCX,
PDF, ...) and of ``mail/``; ``archive`` unpacks ZIP files. What they share: ``paths`` (what a path
names), ``elsewhere`` (folders of addresses), ``formats`` (which reader a file needs), ``source``
and ``stream`` (its bytes), ``compression``, ``encoding``, ``ledger`` (facts of files), ``records``
(cutting bytes), ``batches`` (documents to Arrow), ``rows/`` (documents with all their fields),
``repeated`` (lines of sites dropped), ``faults``, ``unread`` (was enough read?), ``output/``.
"""

from __future__ import annotations

from twinset.reading.inputs import Inputs, open_inputs
from twinset.reading.source import Source

__all__ = ["Inputs", "Source", "open_inputs"]
