"""Reading: whatever holds documents becomes a stream of Arrow batches.

`open_inputs` takes files, globs, folders, addresses and stdin, `memory.from_memory` what Python
programs hold.

Formats, one file each (a new one is a file and a line in the registry): ``jsonl``, ``delimited``,
``parquet``, ``warc``, ``romip``, ``files`` (plain ones, and what ``documents`` makes text of). What
they share: ``paths`` (what a path names), ``elsewhere``
(folders of addresses), ``formats`` (which reader a file needs), ``source`` and ``stream`` (its
bytes), ``compression``, ``ledger`` (facts of files), ``records`` (cutting bytes), ``batches``
(documents to Arrow), ``repeated`` and ``held`` (lines of sites dropped), ``faults``, ``unread``
(was enough read?).
"""

from twinset.reading.inputs import Inputs, open_inputs
from twinset.reading.source import Source

__all__ = ["Inputs", "Source", "open_inputs"]
