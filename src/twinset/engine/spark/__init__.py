"""The Spark engine: the same plan and the same answer on a cluster.

The answer for a document depends on the documents that it is linked with by a chain of shared keys,
and on its place in the order of preference. So nothing is compared in another way than on one
machine: linked documents are sent to one task, many small groups of them to each, and the local
rooms run there.

``engine``     the engine as an option, ``choosing`` which engine is meant
``checks``     what is refused before the start, ``starting`` a run that was checked
``session``    how a session is made or taken; ``watching`` how far it is; ``faults`` in sentences
``sources``    which files are read; ``elsewhere`` those at addresses, which Hadoop lists
``parts``      the frames of Spark's readers, ``parsing`` what makes rows of records of them;
               ``lines`` those of files that tasks read themselves
``records``    documents as rows (``blocks`` has their columns); ``frame`` those of a DataFrame
``facts``      what was read, for the manifest
``writing``    kept and removed documents, from ``raw_rows``: records as they are in their files
``places``     whether a report may go somewhere; ``hadoop`` the file systems that Spark knows
``sketching``  the first pass: what is kept of each document, and the keys that link it to others;
               ``tallies`` what is counted of every file meanwhile
``numbering``  numbers of documents and distinct ids; ``preferring`` which copy stays before another
``counting``   counts of features, for methods whose keys are the rarest ones
``copies``     documents that are equal, of which one stands for all
``linking``    linked documents: star edges out of keys, connected components out of edges
``linked``     what is known then: by ``shuffled_links``, of a small collection by ``whole_links``
``texts``      their texts, to the tasks that compare them; ``sending`` arrays that all tasks know
``bucket``     the local rooms over the documents of a task; ``figures`` what it counts
``tables``     from what the tasks have found to the tables of the report; ``set_tables`` those that
               kinds of clusters add; ``whole_tables`` those of a small collection by one task;
               ``saving`` the report with its page, ``page_rows`` what that shows, ``files`` beside
``work``       the folder of tables in between; ``schemas`` columns as Spark spells them
``planning``   what a run will take
``run``        all of it in order; ``findings`` what comes out; ``manifest`` says it in figures
"""
