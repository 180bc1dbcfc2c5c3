"""Documents as rows with all their fields: what readers offer so that another format is written.

``record`` is a row as names and values, ``block`` some rows of a source, ``arrow`` turns columns
into values and ``columns`` values into columns, ``kinds`` looks which type every field has, and the
writers make files of it: ``lines`` (JSON lines, CSV) and ``tables`` (Parquet).
"""
