# Nothing removed: every record with four fields more, in four shards of Parquet.
twinset dedup shards -o marked --text article.body --annotate --no-split --to parquet --shards 4
