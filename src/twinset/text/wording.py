"""Texts as they are compared: without what is masked, words as stems or lemmas, one for synonyms.

A text is written anew, word for word and sentence for sentence, so that every method works on it as
on any other; what people are shown stays the original text. Only words that were not seen before
are looked up, and the memory for those that were is bounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.errors import PlanError
from twinset.model import Features, Ints, offsets_of
from twinset.model import compute as pc
from twinset.plan.spec import spell
from twinset.text.arrow import Bytes, Texts, arrow_text
from twinset.text.forms import Folded, Forms, NoForms, folded_characters

if TYPE_CHECKING:
    from twinset.text.code import Code
    from twinset.text.tokens import Tokens
    from twinset.text.word_files import Synonyms

MOST_WORDS = 1 << 19
"""Words that are remembered; where there are more, all are forgotten and looked up again."""
_APART = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class WordChoice:
    """What is written for a word: the form, the head of its synonyms, or a stop word as it is.

    A stop word stays one, so that methods which drop stop words find it: those of the shipped lists
    are written as the first of the list with the same form, and what has the form of one of the
    ``dropped`` words of the user is written as that word. Where no word is dropped, ``by_letter``
    lets texts be folded as they stand, letter by letter.
    """

    forms: Forms
    synonyms: Synonyms = ()
    dropped: tuple[str, ...] = ()
    by_letter: bool = False

    def of(self, word: str, latin: int) -> str:
        """What is written for a word of a document whose Latin letters are of this language."""
        if word in self._dropped:
            return word
        head = self._heads.get(word)
        if isinstance(self.forms, NoForms):
            return head or word
        if head is not None:
            return self.forms.form(head, latin)
        tables = self._tables.get(latin)
        if tables is None:
            tables = self._tables[latin] = self._by_form(latin)
        small, by_form = tables
        if word in small:
            return small[word]
        form = self.forms.form(word, latin)
        return by_form.get(form, form)

    @cached_property
    def _dropped(self) -> frozenset[str]:
        return frozenset(self.dropped)

    @cached_property
    def _heads(self) -> dict[str, str]:
        return {word: group[0] for group in self.synonyms for word in group}

    @cached_property
    def _tables(self) -> dict[int, tuple[dict[str, str], dict[str, str]]]:
        return {}

    def _by_form(self, latin: int) -> tuple[dict[str, str], dict[str, str]]:
        """Small words to the first with their form; forms to what is written for them."""
        assert not isinstance(self.forms, NoForms)
        from twinset.text import stopwords

        small: dict[str, str] = {}
        for listed in stopwords.WORDS.values():
            first: dict[str, str] = {}
            for word in listed.split():
                small.setdefault(word, first.setdefault(self.forms.form(word, latin), word))
        by_form = {
            self.forms.form(word, latin): self.forms.form(head, latin)
            for word, head in self._heads.items()
        }
        by_form |= {self.forms.form(word, latin): word for word in reversed(self.dropped)}
        return small, by_form


VEIL = "\0"
"""What stands for what a mask leaves out, until all masks are applied."""


class Rewriter:
    """Writes texts anew with the words of a `WordChoice`; the same for any batches and threads.

    What the ``masks`` match is left out before. Without a choice nothing else is done, and several
    threads may call it.
    """

    def __init__(
        self,
        choice: WordChoice | None,
        most: int = MOST_WORDS,
        masks: Mapping[str, str] | None = None,
    ) -> None:
        from twinset.text.forms import LatinGuess

        self.choice, self._most, self.masks = choice, most, masks or {}
        forms = None if choice is None else choice.forms
        self._guess = LatinGuess() if getattr(forms, "guesses", False) else None
        self.code: Code | None = getattr(forms, "code", None)
        if choice is not None and self.code is not None and choice.synonyms:
            raise PlanError(["programs have no synonyms: leave out either them or the forms code"])
        self._forget()

    def _forget(self) -> None:
        self._keys: Features = np.empty(0, np.uint64)
        self._bytes: Bytes = np.empty(0, np.uint8)
        self._ends: Ints = np.zeros(1, np.int64)
        self._places = _kernels.HashPlaces(self._keys)

    def rewrite(self, texts: Texts, threads: int = 1) -> pa.Array:
        """The texts anew; nulls stay null."""
        return self.spelt(self.masked(texts)[0], threads)

    def masked(self, texts: Texts) -> tuple[Texts, dict[str, int]]:
        """The texts without what is masked, and how much each mask has left out."""
        if not self.masks:
            return texts, {}
        array = pc.replace_substring(_texts(arrow_text(texts), texts), VEIL, " ")
        counts, before = dict[str, int](), 0
        for mask, pattern in self.masks.items():
            array = pc.replace_substring_regex(array, pattern=pattern, replacement=VEIL)
            after = pc.sum(pc.count_substring(array, VEIL)).as_py() or 0
            counts[mask], before = max(after - before, 0), after
        return pc.replace_substring(array, VEIL, " "), counts

    def spelt(self, texts: Texts, threads: int = 1) -> Texts:
        """The texts with their words in the forms that are compared, where these are others."""
        from twinset.text.tokens import WHOLE

        if self.choice is None:
            return texts
        if self.choice.by_letter:
            data, offsets = arrow_text(texts)
            return _texts(
                _kernels.replaced_characters(data, offsets, *folded_characters(), threads), texts
            )
        if self.code is not None:
            return _texts(arrow_text(self.code.written(texts)), texts)
        tokens = WHOLE.tokens(texts, threads, sentences=True)
        written = _kernels.written_words(
            *self._vocabulary(tokens),
            tokens.offsets,
            tokens.sentence_first,
            tokens.sentence_offsets,
            threads,
        )
        return _texts(written, texts)

    def _vocabulary(self, tokens: Tokens) -> tuple[Bytes, Ints, Ints]:
        """The words to write, and which of them each word becomes."""
        latin = np.zeros(len(tokens), np.int64)
        if self._guess is not None:
            latin = self._guess.of(tokens)
        each = np.repeat(latin.astype(np.uint64), tokens.lengths)
        keys = tokens.hashes ^ (each * _APART)
        if len(self._keys) > self._most:
            self._forget()
        rows = self._places.find(keys, tokens.threads)
        new = np.flatnonzero(rows < 0)
        if len(new):
            unseen, first = np.unique(keys[new], return_index=True)
            self._learn(tokens, unseen, new[first], each)
            rows = self._places.find(keys, tokens.threads)
        return self._bytes, self._ends, rows

    def _learn(self, tokens: Tokens, keys: Features, places: Ints, latin: Features) -> None:
        from twinset.text.segments import words

        assert self.choice is not None
        begins, ends = tokens.starts[places].tolist(), tokens.ends[places].tolist()
        seen = [
            tokens.bytes[begin:end].tobytes().decode()
            for begin, end in zip(begins, ends, strict=True)
        ]
        chosen = list(map(self.choice.of, seen, latin[places].tolist()))
        # What a dictionary says must be a word here as well, or the words would not be as many.
        spelt = words(chosen)
        written = [
            (parts[0] if len(parts) == 1 else word).encode()
            for word, parts in zip(seen, spelt, strict=True)
        ]
        self._keys = np.concatenate([self._keys, keys])
        self._ends = np.concatenate(
            [self._ends, self._ends[-1] + offsets_of(map(len, written))[1:]]
        )
        self._bytes = np.concatenate([self._bytes, np.frombuffer(b"".join(written), np.uint8)])
        self._places = _kernels.HashPlaces(self._keys)


def _texts(written: tuple[Bytes, Ints], texts: Texts) -> pa.Array:
    """What was written, with the nulls of the texts."""
    data, offsets = written
    buffers = pa.py_buffer(offsets), pa.py_buffer(data)
    array = pa.LargeStringArray.from_buffers(len(offsets) - 1, *buffers)
    if isinstance(texts, pa.Array | pa.ChunkedArray) and texts.null_count:
        there = pc.is_valid(texts)
        there = there.combine_chunks() if isinstance(there, pa.ChunkedArray) else there
        array = pc.if_else(there, array, pa.scalar(None, pa.large_string()))
    return array


def hidden(text: str, masks: Mapping[str, str], sign: str = " ") -> str:
    """A text with this sign for every single character that a mask leaves out."""
    if not masks:
        return text
    written, place = text.replace(VEIL, " "), np.arange(len(text) + 1)
    for pattern in masks.values():
        mark = next(sign for sign in map(chr, range(1, 0xD800)) if sign not in written)
        marked = pc.replace_substring_regex(
            pa.scalar(written, pa.large_string()), pattern=pattern, replacement=rf"{mark}\0{mark}"
        )
        pieces = marked.as_py().split(mark)  # what stays and what goes, by turns
        ends = offsets_of(map(len, pieces))
        stays = np.ones(len(place), bool)
        for begin, end in ends[1:-1].reshape(-1, 2).tolist():
            stays[begin + 1 : end] = False
        place = place[stays]
        written = "".join(VEIL if at % 2 else piece for at, piece in enumerate(pieces))
    sizes = np.diff(place).tolist()
    return "".join(
        sign * size if each == VEIL else each for each, size in zip(written, sizes, strict=True)
    )


def reworded(texts: Any, rewriter: Rewriter | None, threads: int) -> Any:
    """The texts that are compared: written anew, or as they are where there is no rewriter."""
    return texts if rewriter is None else rewriter.rewrite(texts, threads)


def reworded_texts(texts: list[str], rewriter: Rewriter | None) -> list[str]:
    """The same for a list."""
    return texts if rewriter is None else rewriter.rewrite(texts).to_pylist()


def rewriter_for(choice: WordChoice | None) -> Rewriter | None:
    """What writes texts anew by a choice of words, if there is one."""
    return None if choice is None else Rewriter(choice)


def rewriter_of(plan: Any) -> Rewriter | None:
    """What writes the texts of a plan's documents anew; None where they stay as they are."""
    masks = masks_of(plan)
    if isinstance(plan.forms, NoForms) and not plan.synonyms:
        return Rewriter(None, masks=masks) if masks else None
    from twinset.text import stopwords
    from twinset.text.word_files import synonyms_of

    plan.forms.require()
    within: Sequence[str] = plan.read.within
    synonyms = synonyms_of(plan.synonyms, within) if plan.synonyms else ()
    stop = getattr(plan.method, "stop", "none")
    by_letter = isinstance(plan.forms, Folded) and not synonyms and stop == "none"
    choice = WordChoice(plan.forms, synonyms, stopwords.own_words(stop, within), by_letter)
    return Rewriter(choice, masks=masks)


def masks_of(plan: Any) -> dict[str, str]:
    """The masks of a plan with the expressions that they stand for."""
    if not plan.mask:
        return {}
    from twinset.plan.masks import expressions

    return expressions(plan.mask)


def spelt_wording(plan: Any) -> str:
    """Masks, forms and synonyms of a plan as one text; empty where words stay as they are."""
    masks = f"masks {' '.join(masks_of(plan))}" if plan.mask else ""
    synonyms = f"synonyms {plan.synonyms}" if plan.synonyms else ""
    forms = "" if isinstance(plan.forms, NoForms) else f"forms {spell('forms', plan.forms)}"
    return " and ".join(filter(None, (masks, forms, synonyms)))
