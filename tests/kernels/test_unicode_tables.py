"""The generated tables: reproducible, and as the tokeniser assumes them."""

from __future__ import annotations

import importlib.util
import sys
import unicodedata
from pathlib import Path
from types import ModuleType

import pytest
import text_twins as twins

from twinset import _kernels

ROOT = Path(__file__).parent.parent.parent
SCRIPT = ROOT / "scripts" / "make_unicode_tables.py"
HEADER = ROOT / "src" / "twinset" / "_kernels" / "unicode_tables.hpp"

same_version = pytest.mark.skipif(
    unicodedata.unidata_version != _kernels.unicode_version,
    reason=f"the tables are of Unicode {_kernels.unicode_version}",
)


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_unicode_tables", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@same_version
def test_the_committed_tables_are_what_the_script_makes(maker: ModuleType) -> None:
    assert maker.header() == HEADER.read_text(encoding="utf-8")


def test_the_tables_name_their_version() -> None:
    assert f'kUnicodeVersion[] = "{_kernels.unicode_version}"' in HEADER.read_text(encoding="utf-8")


@same_version
def test_characters_are_as_the_tokeniser_takes_them(maker: ModuleType) -> None:
    """None grows beyond its room, and none needs two steps or moves a border of words."""
    for code in maker.assigned():
        char = chr(code)
        parts = unicodedata.normalize("NFD", char)
        if parts == char == char.lower():
            continue
        assert len(twins.canonical(char).encode()) <= 3 * len(char.encode()), hex(code)
        small = maker.expansion(code)
        assert unicodedata.normalize("NFD", small) == small, hex(code)
        kinds = [maker.class_of(ord(part)) for part in parts]
        follower = maker.WORD if code in maker.HANGUL else maker.MARK
        assert kinds == [maker.class_of(code)] + [follower] * (len(parts) - 1), hex(code)
