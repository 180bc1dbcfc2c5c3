# Web archives in a bucket, to compressed JSON lines in as many shards as you like.
twinset dedup s3://crawl/warc -o s3://crawl/clean --to jsonl.zst --shards 2
