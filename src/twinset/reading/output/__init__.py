"""The documents of a run, written: kept and removed ones, and all of them with what was decided.

`writing.write_documents` goes through the sources once more. Each source is handed, with the
decisions on its documents (`decisions.py`), to a `SourceWriter`: the reader of its format, or what
writes another format. That sends every document to its routes (`routes.py`): ``kept`` or
``removed``, and ``annotated``. A route is a sequence of files: one for each source, a given number
of them for all sources, or one stream. `records.py` writes formats whose records are bytes.
"""
