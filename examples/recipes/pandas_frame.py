"""pandas: rows keep their index, and a mask goes where masks go."""

import pandas as pd

import twinset

articles = pd.read_parquet("articles.parquet").set_index("url", drop=False)
findings = twinset.dedup(articles, id="url", text="body")
kept = findings.kept
removed = articles[~findings.mask]
