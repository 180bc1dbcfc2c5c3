"""The Spark engine: the same plan and the same answer on a cluster.

The answer for a document depends on the documents that it is linked with by a chain of shared keys,
and on its place in the order of preference. So nothing is compared in another way than on one
machine: linked documents are sent to one task, many small groups of them to each, and the local
rooms run there.

``engine``     the engine as an option, and which engine is meant
``checks``     what is refused before the start
``session``    how a session is made or taken; faults of Spark in a sentence
``columns``    columns between Arrow and Spark, and what all tasks have in common
``work``       folders of any file system, as that of the tables in between
``reading``    JSON lines, Parquet, plain texts and DataFrames, read by Spark
``sketching``  the first pass: what is kept of each document, and the keys that link it to others
``documents``  their numbers, ids and places in the order of preference; equal ones
``linking``    star edges out of keys, connected components out of edges
``bucket``     the local rooms over the documents of a task, and what it counts
``tables``     from what the tasks have found to the tables of the report
``facts``      what was read, and the manifest
``saving``     the report with its page, and kept and removed documents
``run``        all of it in order, and what comes out
"""
