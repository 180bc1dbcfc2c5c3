"""Document images: what stands for a document when candidates are sought.

A *sketch* (`oph`, `minwise`) has a fixed width and agrees in a place with probability equal to the
Jaccard similarity; bands are cut from it. A *set* (`bottom`, `mod`, `log`, `full`) is a sorted
sample of the permuted features; candidates share enough of them. One file per image; adding one is
a file and a line in the registry.
"""
