"""Near-duplicates by meaning: the vectors of any encoder, in a column beside the texts."""

import pyarrow as pa
import pyarrow.parquet as pq
from fastembed import TextEmbedding

import twinset

articles = pq.read_table("articles.parquet")
vectors = list(TextEmbedding("BAAI/bge-small-en-v1.5").embed(articles["body"].to_pylist()))
pq.write_table(articles.append_column("embedding", pa.array(vectors)), "embedded.parquet")

findings = twinset.dedup(
    "embedded.parquet", 0.9, id="url", text="body", method="vectors:field=embedding"
)
findings.save("clean")
