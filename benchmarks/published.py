"""Two published collections of near-duplicates, on the scales of their papers.

    python benchmarks/published.py core train.jsonl
    python benchmarks/published.py news-copy test_inf_data.json full_test_gt.json

Neither comes with twinset. For `find` and its preset text a line says recall, precision and F1 of
the pairs, and what the papers print:

- core: `pinecone/core-2020-05-10-deduplication` of Hugging Face, 100,000 papers. Accuracy is the
  share of papers with exactly the labelled duplicates, as text-dedup and RETSim count. Of papers
  that have duplicates those count as right whose labelled ones are all found, of others those with
  which none is; macro F1 is that of the means of both precisions and of both recalls, as in
  B. Gyawali, L. Anastasiou, P. Knoth, "Deduplication of scholarly documents using locality
  sensitive hashing and word embeddings", LREC 2020.
- news-copy: `test_sets.zip` of github.com/dell-research-harvard/NEWS-COPY. The adjusted Rand index
  of the components of pairs. E. Silcock, L. D'Amico-Wong, J. Yang, M. Dell, "Noise-robust
  de-duplication at scale", ICLR 2023.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import adjusted_rand_score

from judging.columns import pairs_found
from judging.labelled import Collection, Pair, f1, in_order


def core(path: Path) -> Collection:
    """Title and abstract of each paper; a label lists the ids of its duplicates.

    The fields are on the set's page at Hugging Face: `core_id`, `processed_title`,
    `processed_abstract` and `labelled_duplicates`, a line of JSON for each paper.
    """
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    ids = [str(row["core_id"]) for row in rows]
    texts = [f"{row['processed_title']} {row['processed_abstract']}" for row in rows]
    labels = [
        (name, str(other))
        for name, row in zip(ids, rows, strict=True)
        for other in row["labelled_duplicates"] or ()
    ]
    return _of_pairs("core", ids, texts, labels)


def news_copy(articles: Path, pairs: Path) -> Collection:
    """By-line and text of each article, and the pairs that people found to be one article.

    As `rule_based/rule_based_utils.py` and `utils.py` of the repository read them: an object of
    articles by id, each with `byline` and `article`, and a list of pairs of ids.
    """
    rows = json.loads(articles.read_text("utf-8"))
    texts = [f"{row['byline']} {row['article']}" for row in rows.values()]
    return _of_pairs("news-copy", list(rows), texts, json.loads(pairs.read_text("utf-8")))


def on_papers(found: set[Pair], collection: Collection) -> str:
    """The scale of the papers on CORE: each document with the set of its duplicates."""
    ours, theirs = _neighbours(found), _neighbours(collection.truth)
    sets = [(ours[number], theirs[number]) for number in range(len(collection.ids))]
    some = Counter(bool(labelled) for _, labelled in sets)
    said = Counter(bool(mine) for mine, _ in sets)
    right = Counter(
        bool(mine) for mine, labelled in sets if bool(mine) == bool(labelled) and mine >= labelled
    )
    precision = sum(right[kind] / max(said[kind], 1) for kind in (True, False)) / 2
    recall = sum(right[kind] / max(some[kind], 1) for kind in (True, False)) / 2
    macro = 2 * precision * recall / (precision + recall) if right else 0.0
    exact = sum(mine == labelled for mine, labelled in sets) / len(sets)
    return f"accuracy {exact:.3f}, macro F1 {macro:.3f}"


def on_clusters(found: set[Pair], collection: Collection) -> str:
    """The scale of NEWS-COPY: components of the pairs found beside those of the labelled ones."""
    labels = [_components(pairs, len(collection.ids)) for pairs in (found, collection.truth)]
    return f"ARI {adjusted_rand_score(*labels):.3f}"


def line(collection: Collection, name: str, found: set[Pair], scale: str) -> str:
    figures = f1(found, collection)
    shares = f"recall {figures.recall:.3f}, precision {figures.precision:.3f}, F1 {figures.f1:.3f}"
    return f"{collection.name}, {name}: {shares}; {scale}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="name", required=True)
    commands.add_parser("core").add_argument("files", type=Path, nargs=1)
    commands.add_parser("news-copy").add_argument("files", type=Path, nargs=2)
    given = parser.parse_args()
    load, scale = PUBLISHED[given.name]
    collection = load(*given.files)
    for name, options in (("find", {}), ("find --preset text", {"preset": "text"})):
        found = pairs_found(collection, **options)
        print(line(collection, name, found, scale(found, collection)), flush=True)


Load = Callable[..., Collection]
Scale = Callable[[set[Pair], Collection], str]
PUBLISHED: dict[str, tuple[Load, Scale]] = {
    "core": (core, on_papers),
    "news-copy": (news_copy, on_clusters),
}


def _of_pairs(
    name: str, ids: list[str], texts: list[str], labels: list[tuple[str, str]]
) -> Collection:
    numbers = {one: number for number, one in enumerate(ids)}
    truth = {in_order(numbers[left], numbers[right]) for left, right in labels}
    return Collection(name, name, True, ids, texts, truth)


def _neighbours(pairs: set[Pair]) -> defaultdict[int, set[int]]:
    found = defaultdict(set)
    for left, right in pairs:
        found[left].add(right)
        found[right].add(left)
    return found


def _components(pairs: set[Pair], documents: int) -> list[int]:
    left, right = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
    graph = coo_array((np.ones(len(left)), (left, right)), shape=(documents, documents))
    return connected_components(graph, directed=False)[1].tolist()


if __name__ == "__main__":
    main()
