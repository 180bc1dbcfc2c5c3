"""The engine loads late and escapes everything."""

from __future__ import annotations

import subprocess
import sys

from twinset.pages.engine import page


def test_the_engine_loads_only_where_a_page_is_made() -> None:
    code = "import sys, twinset, twinset.cli.options; twinset.find; print('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_values_are_escaped() -> None:
    values = {"headline": "", "sentences": ["<b>"], "head": ["<i>"], "rows": [], "figures": []}
    text = page("paper/tuning.html", "en", layout="paper/part.html", **values)
    assert "&lt;b&gt;" in text
    assert "<i>" not in text
