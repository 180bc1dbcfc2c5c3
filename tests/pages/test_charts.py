"""Charts: well-formed SVG whose shapes are proportional to the numbers."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from twinset.pages.charts import Bars, Chart, Curve, Histogram, draw, ticks
from twinset.pages.grids import Curves, Heat

SVG = ET.Element


def parsed(chart: str) -> SVG:
    return ET.fromstring(chart)


def histogram(edges: list[float], counts: list[int], title: str = "t") -> Chart:
    return Histogram(edges=edges, counts=counts, title=title, x_label="x", y_label="y")


def curve(points: list[tuple[float, float]], title: str = "t", **more: Any) -> Chart:
    return Curve(points=points, title=title, x_label="x", y_label="y", **more)


def heights(chart: str) -> list[float]:
    return [float(bar.attrib["height"]) for bar in parsed(chart).iter("rect")]


def test_histogram_bars_are_proportional() -> None:
    found = heights(draw(histogram([0, 0.5, 1], [10, 40], "t")))
    assert found[1] / found[0] == pytest.approx(4, rel=0.01)


def test_histogram_is_logarithmic_where_counts_differ_widely() -> None:
    chart = draw(histogram([0, 1, 2, 3], [1, 2, 100_000], "t"))
    found = heights(chart)
    assert "log scale" in chart
    assert found[0] > 3
    assert found[2] < 20 * found[0]


def test_line_passes_through_its_points() -> None:
    chart = parsed(draw(curve([(0, 0), (0.5, 0.5), (1, 1)], "t")))
    path = next(p.attrib["d"] for p in chart.iter("path") if p.attrib["class"] == "curve")
    numbers = [float(number) for number in re.findall(r"[\d.]+", path)]
    assert numbers[2] == pytest.approx((numbers[0] + numbers[4]) / 2, abs=0.1)
    assert numbers[3] == pytest.approx((numbers[1] + numbers[5]) / 2, abs=0.1)


def test_observed_similarities_hang_below() -> None:
    edges, counts = [0.0, 0.5, 1.0], [1, 4]
    found = heights(draw(curve([(0, 0), (1, 1)], "t", below=(edges, counts))))
    assert found[1] / found[0] == pytest.approx(2, rel=0.02)


def test_bars_are_proportional_and_escaped() -> None:
    chart = draw(Bars(rows=[("<2>", 10), ("3 & 4", 5), ("none", 0)], title='a "t"'))
    widths = [float(bar.attrib["width"]) for bar in parsed(chart).iter("rect")]
    assert widths[0] / widths[1] == pytest.approx(2, rel=0.01)
    assert "<2>" in "".join(parsed(chart).itertext())
    assert parsed(chart).attrib["aria-label"].startswith('a "t"')


def test_odd_charts_are_drawn() -> None:
    assert heights(draw(histogram([0, 1], [0], "t"))) == []
    for most in (1, 3, 7, 99, 1234, 2_500_000):
        found = ticks(0, most, 4)
        assert (found[0], found[-1] >= most, 2 <= len(found) <= 7) == (0, True, True)
    same = draw(Heat(names=["a", "b"], values=[[1.0, 1.0], [1.0, 1.0]], title="t"))
    assert {cell.attrib["fill-opacity"] for cell in parsed(same).iter("rect")} == {"1.000"}
    values = [[0.5, None, 1.0], [0.0, 1.0, 1.0]]
    gaps = draw(Heat(names=["3", "5"], columns=["a", "b<", "c"], values=values, title="t"))
    assert len(list(parsed(gaps).iter("rect"))) == 5
    assert "5, b&lt;: 1.000" in gaps
    alone = parsed(draw(Bars(rows=[("a", 1)], title="t"), "ru", ".bar > a { fill: red }"))
    assert alone.tag == "{http://www.w3.org/2000/svg}svg"
    assert ".bar > a" in (alone[0].text or "")


def test_curves_are_distinguished_without_colour() -> None:
    points = [(0.5, 0.0), (1.0, 1.0)]
    chart = draw(Curves(series=[(n, points) for n in ("a<", "b", "c")], title="t", x_label="x"))
    curves = [p.attrib["class"] for p in parsed(chart).iter("path") if "curve" in p.attrib["class"]]
    assert curves == ["curve", "curve"] + ["curve two"] * 2 + ["curve three"] * 2
    assert "a&lt;" in chart


def test_heat_is_the_deeper_the_higher_and_says_its_numbers() -> None:
    chart = draw(Heat(names=["a", "b<"], values=[[1.0, 0.25], [0.25, 1.0]], title="t"))
    cells = list(parsed(chart).iter("rect"))
    assert [float(cell.attrib["fill-opacity"]) for cell in cells] == [1, 0, 0, 1]
    said = [text.text for text in parsed(chart).iter("text") if "cell" in text.get("class", "")]
    assert said == ["100", "25", "25", "100"]
    assert "b&lt;" in chart


def test_bars_before_the_first_mark_are_paler() -> None:
    chart = Histogram(
        edges=[0, 1, 2], counts=[1, 1], title="t", x_label="x", y_label="y", marks=[(1, "here")]
    )
    looks = [bar.attrib["class"] for bar in parsed(draw(chart)).iter("rect")]
    assert looks == ["bar out", "bar"]
