#!/usr/bin/env bash
# Makes the collection "guide" of docs/how-to/repeat-the-papers.md in a folder (papers, unless another is named):
# guide.jsonl, a line for each HTML page, truth.csv and dontcare.csv. Needs curl, ar, tar, xz and twinset;
# packages (150 MB) that are already there are not fetched again. It leaves 442 MB.
set -euo pipefail
folder=${1:-papers}
python=${PYTHON:-python3}
version=20230508+deb12u1
address=https://deb.debian.org/debian/pool/main/i/installation-guide

mkdir -p "$folder/packages" "$folder/pages"
for machine in amd64 arm64 armel armhf i386 mips64el mipsel ppc64el s390x; do
  package=installation-guide-${machine}_${version}_all.deb
  if [ ! -s "$folder/packages/$package" ]; then
    curl --fail --location --silent --show-error -o "$folder/packages/$package.part" "$address/$package"
    mv "$folder/packages/$package.part" "$folder/packages/$package"
  fi
  ar p "$folder/packages/$package" data.tar.xz | tar -xJ -C "$folder/pages"
done

"$python" - "$folder" <<'PYTHON'
import csv, itertools, json, re, sys
from collections import defaultdict
from pathlib import Path

import twinset

folder = Path(sys.argv[1])
pages = {}  # by machine/language/page
for path in sorted(folder.glob("pages/usr/share/doc/installation-guide-*/**/*.html")):
    machine = next(part for part in path.parts if part.startswith("installation-guide-"))
    if path.parent.name in ("en", "ru", "de") and not path.is_symlink():
        name = f"{machine.removeprefix('installation-guide-')}/{path.parent.name}/{path.stem}"
        pages[name] = path.read_text(encoding="utf-8")
with open(folder / "guide.jsonl", "w", encoding="utf-8") as lines:
    lines.writelines(json.dumps({"id": k, "text": v}, ensure_ascii=False) + "\n" for k, v in pages.items())

# The same page: the same title without its number (from a similarity of
# 0.3 on), or the same language and file name (from 0.5 on). What else has one of the two is undecided.
found = twinset.find(pages, 0.3, exact=True, html="yes", page_text="whole").pairs
similar = {tuple(sorted(row[:2])): row[2] for row in zip(*(found[n].to_pylist() for n in ("left", "right", "score")))}
titles = defaultdict(list)
for name, text in pages.items():
    title = re.search(r"<title>(.*?)</title>", text, re.DOTALL)[1]
    titles[re.sub(r"^\D{0,12}[\dA-F.]+\.\s*", "", title)].append(name)
same_title = {tuple(sorted(two)) for names in titles.values() for two in itertools.combinations(names, 2)}
true, undecided = [], []
for pair in sorted(similar.keys() | same_title):
    (one, language, page), (other, tongue, leaf) = (name.split("/") for name in pair)
    score = similar.get(pair, 0)
    least = 0.3 if pair in same_title else 0.5 if (language, page) == (tongue, leaf) else 2
    (true if score >= least else undecided).append(pair)
for name, pairs in (("truth", true), ("dontcare", undecided)):
    with open(folder / f"{name}.csv", "w", newline="") as file:
        csv.writer(file).writerows([("id_a", "id_b"), *pairs])
print(f"{len(pages):,} pages, {len(true):,} true pairs, {len(undecided):,} undecided: {folder}")
PYTHON
