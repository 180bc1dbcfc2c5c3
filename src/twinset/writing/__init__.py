"""Writing: the documents of a run once more, kept and removed ones, or all with what was decided.

There are two ways out. RecordBytes go as the bytes they were: a format says where its records end
(`RecordFormat.records`), and `records.py` copies them. Rows go by Arrow (`rows.py`): where another
format is asked for, and where records cannot hold what is to be written. Plain files are copied.
`routes.py` opens and packs the files, `names.py` names them, `notes.py` says what was decided.
"""

from twinset.writing.documents import (
    CutDocuments,
    ensure_cuttable,
    ensure_writable,
    stream_documents,
    write_cut,
    write_documents,
)
from twinset.writing.routes import WrittenDocuments, WrittenRoute

__all__ = [
    "CutDocuments",
    "WrittenDocuments",
    "WrittenRoute",
    "ensure_cuttable",
    "ensure_writable",
    "stream_documents",
    "write_cut",
    "write_documents",
]
