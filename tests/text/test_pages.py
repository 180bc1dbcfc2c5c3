"""Which texts are pages is found out at once, whatever they hold."""

from __future__ import annotations

import subprocess
import sys

import pytest

from twinset.text.pages import EnclosedParts, element_named

DECIDE = """
import sys
from twinset.text.pages import is_marked_up, is_page
print([is_page(text) or is_marked_up(text) for text in eval(sys.stdin.read())])
"""
REPEATED = [
    "<!-- a -->",
    "<!-- a -->\n\u2028",
    "<b><!-- a -->",
    "Name: value\n<!-- a -->",
    "{}\n \n",
    "-----\n \n",
    "a: b = c\n",
    "<?xml?>",
    "<script>",
    "<style><script>",
    "<body ",
    "<p ",
]


@pytest.mark.parametrize("after", ["", "word"])
def test_what_is_repeated_takes_no_time(after: str) -> None:
    """A text of 50 comments would take years if each could also be part of a longer one."""
    texts = [some * times + after for some in REPEATED for times in (1, 50, 10_000)]
    decided = subprocess.run(
        [sys.executable, "-c", DECIDE],
        input=repr(texts),
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    assert decided.stdout.count("False") > len(texts) / 2


def test_scripts_without_an_end_stay() -> None:
    text = "<p>a<SCRIPT>b</script >c<style>d<script>e</Script>f<style>g"
    assert (
        EnclosedParts([element_named("script"), element_named("style")]).replaced(text, "")
        == "<p>ac<style>df<style>g"
    )
