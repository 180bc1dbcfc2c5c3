# From a bucket into a bucket: nothing is copied to this machine on the way.
twinset dedup 's3://corpus/shards/*/*.jsonl.zst' -o s3://corpus/clean --text article.body
