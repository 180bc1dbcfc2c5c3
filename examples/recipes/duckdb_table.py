"""DuckDB: the kept rows as a table, and for every removed row the one that stays in its place."""

import duckdb

import twinset

with duckdb.connect("crawl.duckdb") as database:
    outcomes = twinset.dedup(database.table("pages"), id="url", text="body").documents
    database.sql(
        "CREATE TABLE kept AS FROM pages SEMI JOIN outcomes ON url = id AND kept_as IS NULL"
    )
    database.sql(
        "CREATE TABLE copies AS SELECT id, kept_as FROM outcomes WHERE kept_as IS NOT NULL"
    )
