"""Compressed JSON lines in folders: the kept documents as shards of the same names."""

import twinset

findings = twinset.dedup("shards", text="article.body")
findings.save("clean")
print(findings.kept)
