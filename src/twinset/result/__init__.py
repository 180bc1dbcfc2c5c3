"""The report: the folder a run writes and everything that reads it.

``folder``     writes a report and opens one; ``results`` is what both a run and a report offer
``result``     what any other command has found: tables, a manifest, a page, a folder
``places``     where the files of a report are written; ``sending`` writes and reads one elsewhere
``staging``    makes a folder appear whole or not at all
``manifest``   reads and checks ``manifest.json``
``tables``     writes the tables; ``checked`` reads and checks them; ``select`` picks what to show
``words``      the findings in sentences; ``page`` makes ``report.html``
``views``      a run in a notebook
``pair_signals`` says of two documents what is worth saying
``pair_rows``  two texts side by side, equal parts folded, and how they differ in words
``texts``      finds documents and pairs, and fetches documents again from where they came from
``passages``   what documents share as text, by the spelling of the run
``lattices``   the lattices of closed sets, and their file
"""

from twinset.result.folder import Report, fill, read, write
from twinset.result.places import ReportPlaces, ensure_local
from twinset.result.results import Results
from twinset.result.staging import ensure_free, recover, staged, staged_places

__all__ = [
    "Report",
    "ReportPlaces",
    "Results",
    "ensure_free",
    "ensure_local",
    "fill",
    "read",
    "recover",
    "staged",
    "staged_places",
    "write",
]
