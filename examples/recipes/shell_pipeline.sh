# A pipe: decompress, drop near-duplicates, go on with what stays.
zstdcat shards/*/*.jsonl.zst |
  twinset dedup - -o - --text article.body |
  jq -r .url > kept-urls.txt
