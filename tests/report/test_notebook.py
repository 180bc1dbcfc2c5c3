"""Results in a notebook: cards that trust no text, and the same charts as the report."""

from __future__ import annotations

import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import twinset
from twinset.errors import PlanError, ReportError
from twinset.result.folder import ShownResults
from twinset.result.texts import QUICK_BYTES

ROOT = Path(__file__).resolve().parents[2]
TEXT = (
    "The footbridge over the Arrow will stay closed until the end of August, the county engineer "
    "told the parish council on Tuesday evening, and walkers must use the road bridge at Netherton."
)
HOSTILE = {
    "<script>alert('id')</script>": f"<script>alert(1)</script> {TEXT}",
    "\"'><img src=x onerror=alert(2)>": f"</style></div><b onclick=alert(3)> {TEXT}",
    "\u202egnp.exe\u2066": f"\u202eturned\x00\x1b[31m {TEXT}",
    "x" * 1_000_000: TEXT,
}


class Elements(HTMLParser):
    """What a browser would see: elements, and the names of their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        if self.tags[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def findings() -> twinset.Findings:
    return twinset.dedup(str(ROOT / "examples" / "collection"))


@pytest.fixture(scope="module")
def report(findings: twinset.Findings, tmp_path_factory: pytest.TempPathFactory) -> ShownResults:
    folder = tmp_path_factory.mktemp("report") / "saved"
    findings.save(folder)
    return twinset.open_report(folder)


def test_the_card_says_what_goes_and_what_stays(findings: twinset.Findings) -> None:
    card = Elements(findings._repr_html_())
    counts = findings.manifest["counts"]
    assert f"kept {counts['kept']} removed {counts['removed']}" in card.text
    assert "Of 340 documents" in card.text
    assert card.tags.count("details") == 5
    assert "LICENSE TERMS The free distribution" in card.text
    assert ".plot.s_curve()" in card.text
    assert "another version: " in card.text


def test_repr_stays_one_line(findings: twinset.Findings, report: ShownResults) -> None:
    assert len(repr(findings).splitlines()) == 1
    assert len(repr(report).splitlines()) == 1


def test_the_card_says_where_the_report_is(findings: twinset.Findings, tmp_path: Path) -> None:
    fresh = twinset.find([TEXT, TEXT])
    assert fresh.place is None
    assert "The report is in" not in fresh._repr_html_()
    fresh.save(tmp_path / "here")
    assert str(tmp_path / "here") in fresh._repr_html_()


def test_ids_and_texts_of_strangers_are_text(tmp_path: Path) -> None:
    findings = twinset.dedup(HOSTILE, threshold=0.3)
    assert findings.manifest["counts"]["clusters"] == 1
    ids = list(HOSTILE)
    pages = [
        findings._repr_html_(),
        findings.show(cluster=0)._repr_html_(),
        findings.show(ids[0], ids[1])._repr_html_(),
        findings.show(ids[2], ids[3])._repr_html_(),
    ]
    for html in pages:
        elements = Elements(html)
        assert not {"script", "img"} & set(elements.tags)
        assert not [name for name in elements.attributes if name.startswith("on")]
        assert elements.tags.count("style") == 1
        assert html.count("</style>") == 1
        assert not {"\u202e", "\u2066", "\x00", "\x1b"} & set(html)
        assert len(html) < 60_000
    assert "<script>alert(1)</script>" in Elements(pages[0]).text
    assert "⟨RLO⟩" in pages[0]
    for shown in (findings.show(ids[2], ids[3]), findings.show()):
        assert not {"\u202e", "\x00", "\x1b"} & set(repr(shown))
        assert len(repr(shown)) < 5_000


def test_styles_stay_inside(findings: twinset.Findings) -> None:
    html = findings._repr_html_()
    style = html[html.index("<style>") + 7 : html.index("</style>")]
    assert style.startswith("@scope (.twinset) {")
    depth = 0
    for place, mark in enumerate(style.strip()):
        depth += {"{": 1, "}": -1}.get(mark, 0)
        assert depth or place < style.index("{") or place == len(style.strip()) - 1
    assert "id" not in Elements(html).attributes


def test_beginnings_need_no_file(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    shutil.copy(ROOT / "examples" / "collection" / "licenses.jsonl", source)
    findings = twinset.dedup(str(source))
    findings.save(tmp_path / "report")
    source.unlink()
    assert "LICENSE TERMS" in findings._repr_html_()
    opened = twinset.open_report(tmp_path / "report")._repr_html_()
    assert "LICENSE TERMS" not in opened
    assert "brian-gladman" in opened


def test_large_sources_are_not_read_for_a_card(
    report: twinset.Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "LICENSE TERMS" in report._repr_html_()
    for entry in report.manifest["inputs"]:
        monkeypatch.setitem(entry, "bytes", 2 * QUICK_BYTES)
        monkeypatch.setitem(entry, "reader", "csv")
    card = report._repr_html_()
    assert "LICENSE TERMS" not in card
    assert "would have to be read again" in card


def test_a_damaged_report_is_said_on_its_card(report: twinset.Report, tmp_path: Path) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(report.folder, copied)
    (copied / "clusters.parquet").write_bytes(b"no table")
    card = Elements(twinset.open_report(copied)._repr_html_())
    assert "clusters.parquet" in card.text


def test_two_documents_are_compared(findings: twinset.Findings, report: twinset.Report) -> None:
    ids = ("html/bridge-courier-update.html", "html/bridge-courier.html")
    for results in (findings, report):
        pair = results.show(*ids)
        assert pair.score == pytest.approx(0.8966, abs=1e-3)
        assert pair.kind == "revision"
        text = repr(pair)
        assert "[-middle-] {+end+}" in text
        assert "Similarity 0.897." in text
        assert f"- {results.in_words(*ids)[0]}".replace("\xa0", " ") in text
        html = pair._repr_html_()
        assert ">middle</del>" in html
        assert ">and eighty</ins>" in html
        assert "3 differences" in html
    assert "сходство 0,897" in findings.show(*ids, language="ru")._repr_html_()


def test_a_document_may_be_named_by_its_number(findings: twinset.Findings) -> None:
    first, second = findings.documents["id"].to_pylist()[:2]
    pair = findings.show(0, np.int64(1))
    assert (pair.left, pair.right) == (first, second)
    assert repr(pair) == repr(findings.show(first, second))
    with pytest.raises(ReportError, match="no document number 340: the numbers go from 0 to 339"):
        findings.show(0, 340)


def test_wrong_calls_say_what_to_write(findings: twinset.Findings) -> None:
    with pytest.raises(ReportError, match=r"did you mean 'html/bees-blog.html'\?"):
        findings.show("html/bees-blog.htm", "html/bees-print.html")
    with pytest.raises(PlanError, match="show takes two documents"):
        findings.show("html/bees-blog.html")  # type: ignore[call-overload]
    with pytest.raises(ReportError, match="there is no cluster 9999"):
        findings.show(cluster=9999)
    with pytest.raises(PlanError, match="no language 'fr'"):
        findings.show(language="fr")


def test_a_document_that_is_gone_has_no_differences(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{name}.txt").write_text(TEXT, encoding="utf-8")
    twinset.find(str(tmp_path / "in")).save(tmp_path / "report")
    shutil.rmtree(tmp_path / "in")
    opened = twinset.open_report(tmp_path / "report")
    with pytest.raises(ReportError, match=r"cannot be read again.*put it back"):
        opened.show("a.txt", "b.txt")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "c.txt").write_text("other", encoding="utf-8")
    with pytest.raises(ReportError, match=r"'a.txt' cannot be read again: .* has changed"):
        opened.show("a.txt", "b.txt")


def test_a_report_of_memory_or_images_says_that_it_has_no_texts(tmp_path: Path) -> None:
    twinset.find([TEXT, TEXT]).save(tmp_path / "memory")
    with pytest.raises(ReportError, match="came from memory or a pipe"):
        twinset.open_report(tmp_path / "memory").show(0, 1)
    images = tmp_path / "shingles.fps"
    images.write_text("a 1 2 3 4 5 6\nb 1 2 3 4 5 7\n", encoding="ascii")
    with pytest.raises(ReportError, match=r"shingles.fps holds images"):
        twinset.find(str(images), threshold=0.5).show("a", "b")


def test_long_documents_are_shown_in_part() -> None:
    words = [f"w{n % 977}x{n}" + ("\n" if n % 12 == 11 else "") for n in range(5_000)]
    other = [f"z{n}" if n % 50 == 0 else word for n, word in enumerate(words)]
    whole = twinset.find({"a": " ".join(words), "b": " ".join(other)})
    html = whole.show("a", "b")._repr_html_()
    assert "more parts are not shown" in html
    assert len(html) < 1_000_000


def test_a_cluster_lists_its_first_members(findings: twinset.Findings) -> None:
    largest = findings.show(cluster=65)
    assert largest._repr_html_().count("<li><p><code>") == 9
    assert "R:brian-gladman-3-clause_2  removed  0.825" in repr(largest)


def test_plots_are_those_of_the_report(
    findings: twinset.Findings, report: twinset.Report, tmp_path: Path
) -> None:
    page = (report.folder / "report.html").read_text(encoding="utf-8")
    for results in (findings, report):
        for name in results.plot.names:
            plot = getattr(results.plot, name)()
            html = plot._repr_html_()
            picture = html[html.index("<svg") : html.index("</svg>")]
            assert picture in page
            inside = picture[picture.index(">") + 1 :]
            assert inside in plot._repr_svg_()
            assert plot._repr_svg_().startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert results.plot.names == ["s_curve", "similarities", "cluster_sizes"]
    assert "порог 0,8" in findings.plot.s_curve(language="ru")._repr_html_()


def test_plots_are_saved_as_pictures(findings: twinset.Findings, tmp_path: Path) -> None:
    plot = findings.plot.similarities()
    assert plot.save(tmp_path / "x.svg").read_text(encoding="utf-8") == plot._repr_svg_()
    with pytest.raises(PlanError, match=r"saved as \.svg, not as '\.png'"):
        plot.save(tmp_path / "x.png")
    assert "similarities" in repr(plot).lower()


def test_a_run_without_a_chart_says_why() -> None:
    exact = twinset.find([TEXT, TEXT], exact=True)
    with pytest.raises(ReportError, match="no s curve to draw: every pair is found"):
        exact.plot.s_curve()
    keys = twinset.find([TEXT, TEXT], method="md5")
    with pytest.raises(ReportError, match="or its method does not predict"):
        keys.plot.s_curve()
    nothing = twinset.find([TEXT, "something else entirely, of which nobody has a copy"])
    assert nothing.plot.names == ["s_curve"]
    with pytest.raises(ReportError, match="it has found no pairs"):
        nothing.plot.similarities()
    with pytest.raises(ReportError, match="it has found no clusters"):
        nothing.plot.cluster_sizes()
    assert "none" not in repr(nothing.plot)


@pytest.mark.parametrize(
    "options",
    [{"clusters": "components"}, {"clusters": "closed:k=5"}, {"method": "tf"}, {"exact": True}],
    ids=str,
)
def test_every_kind_of_run_has_a_card(options: dict[str, str]) -> None:
    texts = [TEXT, TEXT, TEXT.replace("August", "May"), "", "another story of some other thing"]
    findings = twinset.find(texts, **options)  # type: ignore[arg-type]
    assert "twinset" in findings._repr_html_()
    assert repr(findings.show())
    assert twinset.find([])._repr_html_()
