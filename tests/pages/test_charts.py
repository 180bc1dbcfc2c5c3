"""Charts: well-formed SVG whose shapes are proportional to the numbers."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from twinset.pages import charts

SVG = ET.Element


def parsed(chart: str) -> SVG:
    return ET.fromstring(chart)


def heights(chart: str) -> list[float]:
    return [float(bar.attrib["height"]) for bar in parsed(chart).iter("rect")]


def test_histogram_bars_are_proportional() -> None:
    found = heights(charts.histogram([0, 0.5, 1], [10, 40], title="t"))
    assert found[1] / found[0] == pytest.approx(4, rel=0.01)


def test_histogram_is_logarithmic_where_counts_differ_widely() -> None:
    chart = charts.histogram([0, 1, 2, 3], [1, 2, 100_000], title="t")
    found = heights(chart)
    assert "log scale" in chart
    assert found[0] > 3
    assert found[2] < 20 * found[0]


def test_histogram_without_counts() -> None:
    assert heights(charts.histogram([0, 1], [0], title="t")) == []


def test_line_passes_through_its_points() -> None:
    chart = parsed(charts.line([(0, 0), (0.5, 0.5), (1, 1)], title="t"))
    path = next(p.attrib["d"] for p in chart.iter("path") if p.attrib["class"] == "curve")
    numbers = [float(number) for number in re.findall(r"[\d.]+", path)]
    assert numbers[2] == pytest.approx((numbers[0] + numbers[4]) / 2, abs=0.1)
    assert numbers[3] == pytest.approx((numbers[1] + numbers[5]) / 2, abs=0.1)


def test_observed_similarities_hang_below() -> None:
    edges, counts = [0.0, 0.5, 1.0], [1, 4]
    found = heights(charts.line([(0, 0), (1, 1)], title="t", below=(edges, counts)))
    assert found[1] / found[0] == pytest.approx(2, rel=0.02)


def test_bars_are_proportional_and_escaped() -> None:
    chart = charts.bars([("<2>", 10), ("3 & 4", 5), ("none", 0)], title='a "t"')
    widths = [float(bar.attrib["width"]) for bar in parsed(chart).iter("rect")]
    assert widths[0] / widths[1] == pytest.approx(2, rel=0.01)
    assert "<2>" in "".join(parsed(chart).itertext())


@pytest.mark.parametrize("most", [1, 3, 7, 99, 1234, 2_500_000])
def test_ticks_are_few_and_cover(most: int) -> None:
    ticks = charts._ticks(0, most, 4)
    assert ticks[0] == 0
    assert ticks[-1] >= most
    assert 2 <= len(ticks) <= 7


def test_every_chart_says_what_it_shows() -> None:
    for chart in (
        charts.histogram([0, 1], [3], title="pairs"),
        charts.line([(0, 0), (1, 1)], title="pairs"),
        charts.bars([("a", 1)], title="pairs"),
    ):
        root = parsed(chart)
        assert root.attrib["role"] == "img"
        assert root.attrib["aria-label"].startswith("pairs")


def test_curves_are_told_apart_without_colour() -> None:
    points = [(0.5, 0.0), (1.0, 1.0)]
    chart = charts.lines([(n, points) for n in ("a<", "b", "c")], title="t", x_label="x")
    curves = [p.attrib["class"] for p in parsed(chart).iter("path") if "curve" in p.attrib["class"]]
    assert curves == ["curve", "curve"] + ["curve two"] * 2 + ["curve three"] * 2
    assert "a&lt;" in chart


def test_heat_is_the_deeper_the_higher_and_says_its_numbers() -> None:
    chart = charts.heat(["a", "b<"], [[1.0, 0.25], [0.25, 1.0]], title="t")
    cells = list(parsed(chart).iter("rect"))
    assert [float(cell.attrib["fill-opacity"]) for cell in cells] == [1, 0, 0, 1]
    said = [text.text for text in parsed(chart).iter("text") if "cell" in text.get("class", "")]
    assert said == ["100", "25", "25", "100"]
    assert "b&lt;" in chart


def test_heat_of_methods_that_all_agree() -> None:
    chart = charts.heat(["a", "b"], [[1.0, 1.0], [1.0, 1.0]], title="t")
    assert {cell.attrib["fill-opacity"] for cell in parsed(chart).iter("rect")} == {"1.000"}
