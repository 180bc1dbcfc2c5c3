"""Features: sorted sets of 64-bit hashes that stand for a document's content."""
