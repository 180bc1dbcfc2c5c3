"""Clusters: documents that belong together, out of verified pairs or out of images.

Out of verified pairs (``base.ClustersOfPairs``):

* `anchored` (default): every member is within the threshold of the document it is held against.
* `components`: connected components, the weakest notion; chains are reported.
* `cliques`: maximal cliques, the strongest; a document may be in several.

Out of the images of all documents (``base.ClustersOfImages``):

* `closed`: documents that all share some features; ``closed_sets`` holds what the search finds,
  ``false_clusters`` what components would put together, ``lattice`` the order of the sets.

``keep`` says which copy stays, ``mine`` has other searches for closed sets.
"""
