"""From text to words, sentences and paragraphs.

``arrow`` lays an Arrow array open for the kernels; ``segments`` shows the words that they see.
``clean`` turns mark-up into text, ``repeated`` finds what the pages of a site repeat. For the
methods that weigh words: ``tokens`` has cleaned words as arrays, ``stopwords`` what is left out,
``terms`` counts and weighs (tf, df, idf), ``statistics`` keeps the counts of a collection,
``vectors`` are weighted terms.
``wording`` writes texts anew in the ``forms`` (by ``languages``) and synonyms (``word_files``) that
are compared.
"""
