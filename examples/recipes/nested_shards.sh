# Compressed JSON lines in folders: the kept documents as shards of the same names.
twinset dedup shards -o clean --text article.body
