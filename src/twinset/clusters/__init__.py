"""Clusters: documents that belong together, out of verified pairs.

* `anchored` (default): every member is within the threshold of the document it is held against.
* `components`: connected components, the weakest notion; chains are reported.
* `cliques`: maximal cliques, the strongest; a document may be in several.
"""
