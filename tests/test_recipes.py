"""The recipes of the manual: each runs on data made here, and keeps what a filter by hand keeps."""

from __future__ import annotations

import json
import re
import shutil
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from tests.recipe_data import (
    COPIES,
    FOLDER,
    KEPT,
    ROOT,
    ROWS,
    SHARDS,
    body,
    command,
    kept_shards,
    recipe,
    shell,
    write_shards,
    written_shards,
)

RECIPES = sorted(path for path in FOLDER.iterdir() if path.suffix in {".py", ".sh"})
PAGE = ROOT / "docs" / "how-to" / "recipes.md"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def shards(folder: Path) -> None:
    write_shards(folder / "shards")


@pytest.fixture
def news(folder: Path) -> None:
    (folder / "news").mkdir()
    for number, part in enumerate((ROWS[:7], ROWS[7:])):
        text = "".join(json.dumps(row) + "\n" for row in part)
        (folder / "news" / f"{number}.jsonl").write_text(text)


@pytest.fixture
def articles(folder: Path) -> None:
    pq.write_table(pa.Table.from_pylist(ROWS), folder / "articles.parquet")


def test_nested_shards_in_python(shards: None, folder: Path) -> None:
    findings = recipe("nested_shards.py")["findings"]
    assert Path(findings.kept).resolve() == (folder / "clean" / "kept").resolve()
    assert written_shards(folder / "clean" / "kept") == kept_shards()


def test_nested_shards_in_a_shell(shards: None, folder: Path) -> None:
    command("nested_shards.sh")
    assert written_shards(folder / "clean" / "kept") == kept_shards()


@pytest.mark.skipif(
    not (shutil.which("zstdcat") and shutil.which("jq")), reason="zstdcat or jq is not installed"
)
def test_a_pipeline_of_a_shell(shards: None, folder: Path) -> None:
    shell("shell_pipeline.sh")
    assert (folder / "kept-urls.txt").read_text().split() == [row["url"] for row in KEPT]
    assert sorted(path.name for path in folder.iterdir()) == ["kept-urls.txt", "shards"]


def test_records_with_what_was_decided(shards: None, folder: Path) -> None:
    command("annotate.sh")
    files = sorted((folder / "marked" / "annotated").iterdir())
    assert [path.name for path in files] == [f"{n:05}-of-00004.parquet" for n in range(4)]
    rows = pa.concat_tables(pq.read_table(path) for path in files).to_pylist()
    assert [{name: row[name] for name in ("url", "article")} for row in rows] == [
        record for part in SHARDS.values() for record in part
    ]
    assert [row["twinset_keep"] for row in rows] == [n not in COPIES for n in range(len(ROWS))]
    assert not (folder / "marked" / "kept").exists()


def test_a_hugging_face_set(news: None) -> None:
    datasets = pytest.importorskip("datasets")
    names = recipe("hugging_face.py")
    assert isinstance(names["news"], datasets.Dataset)
    assert names["news"].to_list() == KEPT


def test_a_hugging_face_set_by_map_and_filter(news: None) -> None:
    pytest.importorskip("datasets")
    names = recipe("hugging_face_map.py")
    own = [{name: row[name] for name in ROWS[0]} for row in names["filtered"].to_list()]
    assert own == names["selected"].to_list() == KEPT
    assert names["marked"]["keep"] == [n not in COPIES for n in range(len(ROWS))]
    clusters = names["marked"].to_pandas()["cluster"].tolist()
    for copy, original in COPIES.items():
        assert clusters[copy] == clusters[original]


def test_a_training_set_without_what_it_is_tested_on(folder: Path) -> None:
    datasets = pytest.importorskip("datasets")
    rows = [{"question": body(number), "answer": number} for number in range(12)]
    # Copies of one another in the test set stay; in the training set all but 2, 3, 6, 9, 10 go.
    splits = {"train": [2, 3, 5, 6, 9, 10, 11], "test": [0, 1, 4, 7, 8]}
    datasets.DatasetDict(
        {name: datasets.Dataset.from_list([rows[n] for n in part]) for name, part in splits.items()}
    ).save_to_disk("questions")
    clean = recipe("decontaminate.py")["clean"]
    assert clean["train"]["answer"] == [2, 3, 6, 9, 10]
    assert clean["test"]["answer"] == splits["test"]
    assert datasets.load_from_disk("questions-clean")["train"].num_rows == 5


def test_a_polars_frame(articles: None, folder: Path) -> None:
    pytest.importorskip("polars")
    recipe("polars_frame.py")
    assert pq.read_table(folder / "kept.parquet").to_pylist() == KEPT


def test_a_lazy_polars_frame(articles: None, folder: Path) -> None:
    polars = pytest.importorskip("polars")
    names = recipe("polars_lazy.py")
    english = [row for row in KEPT if row["language"] == "en"]
    assert pq.read_table(folder / "kept.parquet").to_pylist() == english
    marked = names["marked"].collect()
    kept = marked.filter(polars.col("keep")).select("url", "body", "language", "score")
    assert kept.to_dicts() == english
    places = {row["url"]: row["kept_id"] for row in marked.filter(~polars.col("keep")).to_dicts()}
    assert places == {
        ROWS[n]["url"]: ROWS[k]["url"] for n, k in COPIES.items() if ROWS[n]["language"] == "en"
    }


def test_a_pandas_frame(articles: None) -> None:
    pandas = pytest.importorskip("pandas")
    names = recipe("pandas_frame.py")
    expected = pandas.DataFrame(ROWS).set_index("url", drop=False)
    stays = [n not in COPIES for n in range(len(ROWS))]
    pandas.testing.assert_frame_equal(names["kept"], expected[stays], check_dtype=False)
    assert names["removed"]["url"].tolist() == [ROWS[n]["url"] for n in COPIES]


def test_a_duckdb_table(folder: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    pages = pa.Table.from_pylist(ROWS)
    with duckdb.connect("crawl.duckdb") as database:
        database.sql("CREATE TABLE pages AS FROM pages")
    recipe("duckdb_table.py")
    with duckdb.connect("crawl.duckdb") as database:
        kept = database.sql("FROM kept ORDER BY score").to_arrow_table().to_pylist()
        copies = dict(database.sql("FROM copies").fetchall())
    assert pages.num_rows == 12
    assert kept == KEPT
    assert copies == {ROWS[n]["url"]: ROWS[k]["url"] for n, k in COPIES.items()}


def test_vectors_of_an_encoder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.Table.from_pylist(ROWS), "articles.parquet")

    def embed(texts: list[str]) -> Iterator[NDArray[np.float32]]:  # words, in place of a meaning
        for text in texts:
            places = [zlib.crc32(word.encode()) % 512 for word in text.split()]
            yield np.bincount(places, minlength=512).astype(np.float32)

    encoder = SimpleNamespace(TextEmbedding=lambda name: SimpleNamespace(embed=embed))
    monkeypatch.setitem(sys.modules, "fastembed", encoder)
    recipe("own_encoder.py")
    rows = pq.read_table(folder / "clean" / "documents.parquet").to_pylist()
    gone = {row["id"]: row["kept_as"] for row in rows if row["kept_as"]}
    assert gone == {ROWS[n]["url"]: ROWS[k]["url"] for n, k in COPIES.items()}


def test_a_block_of_datatrove(folder: Path) -> None:
    pytest.importorskip("datatrove", reason="datatrove is not installed")
    (folder / "pages").mkdir()
    for number, part in enumerate((ROWS[:7], ROWS[7:])):
        pq.write_table(pa.Table.from_pylist(part), folder / "pages" / f"{number}.parquet")
    recipe("datatrove_block.py")
    written = pq.read_table(folder / "clean").to_pylist()
    assert [(row["id"], row["text"]) for row in written] == [(r["url"], r["body"]) for r in KEPT]
    assert [row["metadata"]["score"] for row in written] == [row["score"] for row in KEPT]
    steps = json.loads((folder / "logs" / "stats.json").read_text())
    assert [s["stats"]["removed"] for s in steps if "twinset" in s["name"]] == [len(COPIES)]


def test_a_step_before_scikit_learn(folder: Path) -> None:
    pandas = pytest.importorskip("pandas")
    base = pytest.importorskip("sklearn.base")
    reviews = pandas.DataFrame(
        {"text": [row["body"] for row in ROWS], "label": [n % 2 for n in range(12)]}
    )
    reviews.to_csv("reviews.csv", index=False)
    names = recipe("sklearn_dropper.py")
    stays = [n not in COPIES for n in range(12)]
    assert names["texts"].tolist() == [row["body"] for row in KEPT]
    assert names["labels"].tolist() == reviews["label"][stays].tolist()
    assert names["model"].predict([body(2)]).tolist() == [0]
    dropper = base.clone(names["NearDuplicateDropper"](threshold=0.5))
    assert dropper.get_params() == {"threshold": 0.5, "exact": False}
    assert dropper.fit_transform([row["body"] for row in ROWS]) == [row["body"] for row in KEPT]


def code(path: Path) -> str:
    """What a recipe consists of below its first line, which says what it is for."""
    text = path.read_text(encoding="utf-8")
    return text.partition("\n")[2].strip() + "\n"


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_the_page_names_the_recipe(path: Path) -> None:
    assert f"(../../examples/recipes/{path.name})" in PAGE.read_text(encoding="utf-8")


def test_the_page_shows_nothing_that_is_not_run() -> None:
    """The long recipes are named alone."""
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:python|sh)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert set(blocks) <= set(map(code, RECIPES))
