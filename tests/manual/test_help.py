"""The examples of the command line's help: each runs, in a folder that has what they name."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import twinset
from tests.manual.blocks import ROOT, Block, blocks
from tests.manual.reader import Reader

pytestmark = pytest.mark.usefixtures("runs_here")
PAGE = ROOT / "docs" / "reference" / "command-line.md"
EXAMPLES = [block for block in blocks(PAGE) if block.text.startswith("# Example\n")]
NEED_MORE = {
    "twinset index create postgresql://user@server/db": "a server",
    "twinset ask corpus.jsonl -o plan.toml": "a person",
    "twinset clean report --trash": "a person",
}
"""Examples that are not run here, and what they would need."""
WORDS = (
    "the landlord lets the flat to the tenant for five years from May and the tenant pays a rent"
)
COPIES = {17: 3, 42: 3, 18: 5} | {number: number - 14 for number in range(20, 29)}
"""The documents that repeat another one."""


def text(number: int) -> str:
    first = COPIES.get(number, number)
    own = [f"word{first}of{place}" for place in range(40)]
    return f"{WORDS} {' '.join(own)}.\n\nThis is paragraph two of {first}.\n"


def record(number: int, kind: str = "doc") -> dict[str, object]:
    date = f"2026-01-{number % 28 + 1:02}"
    return {"id": f"{kind}-{number}", "text": text(number), "body": text(number), "date": date}


def pages() -> list[dict[str, object]]:
    return [record(number, "page") for number in range(20)]


def write_lines(path: Path, records: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the examples name."""
    folder = tmp_path_factory.mktemp("template")
    records = [record(number) for number in range(44)]
    for name in ("corpus", "letters", "benchmark"):
        write_lines(folder / f"{name}.jsonl", records)
    for name in ("crawl", "new", "today"):
        write_lines(folder / f"{name}.jsonl", pages())
    for name in ("corpus", "training"):
        pq.write_table(pa.Table.from_pylist(records), folder / f"{name}.parquet")
    for name in ("corpus.jsonl.gz", "part-0.jsonl.zst", "crawl-2026-11.jsonl.zst"):
        with pa.CompressedOutputStream(
            str(folder / name), "gzip" if name.endswith("gz") else "zstd"
        ) as file:
            file.write((folder / ("new.jsonl" if "crawl" in name else "corpus.jsonl")).read_bytes())
    for name in ("pages", "sources", "my-documents"):
        (folder / name).mkdir()
        for number in (3, 4, 5, 17):
            (folder / name / f"{number}.html").write_text(f"<p>{text(number)}</p>")
    shutil.copy(ROOT / "tests/reading/documents/samples/lease.docx", folder / "essay.docx")
    (folder / "page.txt").write_text(text(3))
    (folder / "gone.txt").write_text("page-17\npage-18\n")
    pairs = [f"doc-{one},doc-{other}" for one, other in COPIES.items()]
    for name in ("truth.csv", "pairs.csv"):
        (folder / name).write_text("\n".join(["left,right", *pairs]))
    graded = [*(f"{pair},4" for pair in pairs), *(f"doc-0,doc-{n},0" for n in range(29, 42))]
    (folder / "graded.csv").write_text("\n".join(["left,right,grade", *graded]))
    (folder / "clusters.csv").write_text("cluster,id\n0,doc-3\n0,doc-17\n0,doc-42\n")
    (folder / "sweep.toml").write_text("[sweep]\nthreshold = [0.5, 0.8]\n")
    (folder / "edits.toml").write_text('[[operation]]\nname = "replace-words"\npercent = 5\n')
    (folder / "retail.dat").write_text("".join(f"{n % 3} {n % 5 + 3} 9\n" for n in range(600)))
    (folder / "index.txt").write_text("the, 1, 1, 2, 3\nfox 1 2\n")
    (folder / "plan.toml").write_text('method = "minhash"\n')
    (folder / "home").mkdir()
    twinset.find(folder / "corpus.jsonl", 0.5).save(folder / "report")
    return folder


@pytest.mark.parametrize("block", EXAMPLES, ids=lambda block: str(block.line))
def test_an_example_runs(
    block: Block, template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "here" / "home"))
    shutil.copytree(template, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    reader = Reader()
    prepare(block.text, reader)
    try:
        for line in block.text.splitlines():
            if line not in NEED_MORE:
                make_room(shlex.split(line, comments=True))
                reader.type(line)
    finally:
        reader.leave()


def prepare(examples: str, reader: Reader) -> None:
    """Make of the names that mean several things what they mean here."""
    if "twinset index" in examples:
        shutil.rmtree("pages")
    for name in ("pages", "pages.index", "my-index"):
        if name in examples.split() and "index create" not in examples and not Path(name).exists():
            with twinset.Index.create(name) as index:
                index.add({str(page["id"]): str(page["text"]) for page in pages()})
    if "twinset clean" in examples:
        shutil.rmtree("report")
        twinset.find("my-documents", preset="files").save("report")
    if "twinset lab mine" in examples:
        shutil.rmtree("report")
        reader.type("twinset lab images corpus.jsonl -o shingles.fps --image bottom:size=100")
        for name in ("report", "sets"):
            reader.type(f"twinset find shingles.fps --clusters closed:k=20 -o {name}")


def make_room(words: list[str]) -> None:
    """Remove what an earlier example has written: each of them stands for itself."""
    if "-o" in words:
        place = Path(words[words.index("-o") + 1])
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
