"""What may be damaged in an index in PostgreSQL: keys, bodies, indexes."""

from __future__ import annotations

import numpy as np

from twinset.errors import ReadError
from twinset.index.contents import Contents
from twinset.index.entries import digests_of, unpacked
from twinset.index.postgres_connections import Connection
from twinset.index.postgres_faults import DAMAGED, words_of
from twinset.index.postgres_view import PostgresView
from twinset.index.store import KeptDocuments

QUESTIONS = {
    "SELECT count(*) FROM keys WHERE NOT EXISTS "
    "(SELECT FROM documents WHERE documents.number = keys.number)": "{:,} keys lead to no document",
    "SELECT count(*) FROM (SELECT DISTINCT number, unnest(keys) AS key FROM documents) AS wanted "
    "WHERE NOT EXISTS (SELECT FROM keys WHERE keys.key = wanted.key "
    "AND keys.number = wanted.number)": "{:,} keys of documents are missing: they are not found",
    "SELECT count(*) FROM pg_index WHERE NOT indisvalid AND indrelid IN ('keys'::regclass, "
    "'documents'::regclass)": "{:,} indexes are not whole: 'twinset index compact' rebuilds them",
}


def faults_of(connection: Connection, contents: Contents) -> list[str]:
    """What is damaged, a sentence each."""
    try:
        connection.execute(  # everything is looked at: then indexes are the slower way
            "SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on; "
            "SET LOCAL enable_mergejoin = on; SET LOCAL enable_nestloop = off; "
            "SET LOCAL plan_cache_mode = auto"
        )
        faults = []
        for question, sentence in QUESTIONS.items():
            row = connection.execute(question).fetchone()
            if row is not None and row[0]:
                faults.append(sentence.format(row[0]))
        for some in PostgresView(connection).stretches():
            faults += _bodies(some, contents)
        return faults
    except DAMAGED as fault:
        return [f"the database cannot be read ({words_of(fault)}): restore it from a copy"]


def _bodies(some: KeptDocuments, contents: Contents) -> list[str]:
    """The documents whose bodies are not what was written."""
    if contents.kept == "texts":
        try:
            whole = digests_of(unpacked(some.bodies)) == some.digests
        except ReadError:
            whole = np.array([_unpacks(some.take(np.array([row]))) for row in range(len(some.ids))])
    elif contents.kept == "features":
        whole = some.bodies.lengths == some.sizes.astype(np.int64) * 8
    else:
        whole = some.bodies.lengths == some.bodies.lengths.max()
    return [
        f"what is kept of {some.ids[row]!r} is damaged: remove it, and add it again"
        for row in np.flatnonzero(~whole).tolist()
    ]


def _unpacks(document: KeptDocuments) -> bool:
    try:
        return bool(digests_of(unpacked(document.bodies))[0] == document.digests[0])
    except ReadError:
        return False
