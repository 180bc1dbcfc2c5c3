"""A text as the words that are compared for its kind, each with what it is: a name, a date, ...

Case, punctuation and blanks play no part in the words; what a template is filled in with does:
numbers with their separators, signs of currency, dates, names, addresses and other identifiers.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from functools import cached_property
from itertools import islice
from threading import Lock
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from twinset.finding.verify.diff import MOST_WORDS
from twinset.model import Ints
from twinset.text.characters import composed

_PARTS = {
    "English": """
        one two three four five six seven eight nine ten eleven twelve thir fif eigh teen twen
        for ty tieth hundred thousand million first second third fourth fifth sixth seventh
        eighth ninth tenth
    """,
    "German": """
        ein eins und zwei drei vier fünf sechs sech sieb sieben acht neun zehn elf zwölf zwan
        zig dreissig hundert tausend erste[nrms]? zweite[nrms]? dritte[nrms]?
    """,
    "French": """
        un une et deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze
        quinze seize vingts? trente quarante cinquante soixante cents? mille premi[eè]re?
        deuxième
    """,
    "Spanish": """
        dos dós tres trés cuatro cinco seis séis siete ocho nueve diez once doce trece catorce
        quince dieci veinti? veinte uno? ún treinta cuarenta cincuenta sesenta setenta ochenta
        noventa cien cient[oa]s? quinient[oa]s setecient[oa]s novecient[oa]s mil
    """,
    "Italian": """
        uno? due tre tré quattro cinque sei sette otto nove dieci undici dodici tredici
        quattordici quindici sedici dicia?n? venti? trenta? quaranta? cinquanta? sessanta?
        settanta? ottanta? novanta? cento? mille mila
    """,
    "Portuguese": """
        uma? dois duas três quatro cinco seis sete oito nove dez onze doze treze c?quatorze
        quinze dez[ae]sseis dez[ae]ssete dezoito dez[ae]nove vinte trinta quarenta cinquenta
        sessenta setenta oitenta noventa cem cento duzent[oa]s trezent[oa]s quinhent[oa]s
        cent[oa]s mil
    """,
    "Polish": """
        dwa dwie dwóch dwu trzy trzech cztery czterech czter pięć pięciu pięt sześć sześciu szes
        siedem siedmiu osiem ośmiu dziewięć dziewięciu dziewięt dziesięć dziesięciu jede naście
        nastu dzieścia dziestu dzieści dziesiąt sto stu sta set dwieście dwustu tysiąca? tysiące
        tysięcy
    """,
    "Russian": """
        один одна одного одной одну два две двух двумя три трёх трех четыре четырёх четырех
        (?:пят|шест|сем|восем|восьм|девят|десят)[ьи]
        (?:один|две|три|четыр|пят|шест|сем|восем|девят)надцат[ьи] (?:два|три)дцат[ьи] сорока?
        десят десяти девяност[оа] ст[оа] двести двухсот триста тр[её]хсот четыреста
        четыр[её]хсот сот тысяч[аиу]? миллион(?:а|ов)?
    """,
    "Turkish": """
        iki üç dört beş altı yedi sekiz dokuz on yirmi otuz kırk elli altmış yetmiş seksen
        doksan yüz bin
    """,
    "Dutch": """
        een en twee drie vier vijf zes zeven acht negen tien elf twaalf der veer dertien
        veertien twintig tig honderd duizend
    """,
    "Chinese and Japanese": "[〇一二三四五六七八九十百千万萬亿億两兩零] "
    "[壹贰貳叁參肆伍陆陸柒捌玖拾佰仟]",
}
"""What a number in words consists of. Too many words count as one, which does no harm: what they
mean matters only where another number takes their place."""
_ARTICLES = frozenset(("ein", "un", "une", "uno", "um", "uma", "een", "und", "et", "en", "for"))
"""Words that are a number only as a part of one."""
_NUMBER = re.compile("|".join(f"(?:{'|'.join(parts.split())})+" for parts in _PARTS.values()))


def _sort_alone(written: str, word: str, group: str | None) -> Sort:
    """What a word is by itself, ``word`` where it is folded."""
    if group == "address":
        return "code"
    if group == "sign":
        return "sign"
    if group == "letters":
        if word not in _ARTICLES and _NUMBER.fullmatch(word) is not None:
            return "number"
        return "start" if written[0].isupper() else "word"
    if _DATE.fullmatch(written):
        return "date"
    is_long = written.isdigit() and len(written) >= LONG_NUMBER
    return "code" if is_long or any(map(str.isalpha, written)) else "number"


Sort = Literal["word", "start", "name", "date", "code", "number", "sign", "marker"]
"""What a word is. ``start``: a capital that may only begin a sentence; ``marker``: a list's."""
_SORT_NAMES: tuple[Sort, ...] = get_args(Sort)
_SORT_NUMBER = {sort: number for number, sort in enumerate(_SORT_NAMES)}
_SORTS = np.array(_SORT_NAMES, object)
_PLAIN, _START, _NAME = range(3)
IDENTITY: frozenset[Sort] = frozenset(("name", "date", "code"))
VALUES: frozenset[Sort] = IDENTITY | {"number", "sign"}
_IS_VALUE = np.array([sort in VALUES for sort in _SORT_NAMES])

MANY_CAPITALS = 0.22
"""Capitals within sentences from which on a capital is no name, as in German, unless in a row."""
SHEET = 500
"""Words of a paper that is filled in, at most."""
LONG_NUMBER = 5
"""Digits of a number without separators that is an identifier rather than an amount."""

# How far an address reaches before its @ is bounded, and a number before its first digit: where
# neither comes, this is looked at from every character of "a_b_c" or "a.b.c". What does not begin
# with the first of several underscores does not begin with the next.
_NEW = "(?!(?<=_)_)"
# The signs of vowels and tones that make other words in the scripts of South and South-East Asia;
# Python's \w leaves them out. Arabic and Hebrew texts are the same words with and without them.
_SIGNS = "".join(
    mark
    for mark in map(chr, (*range(0x900, 0x1D00), *range(0xA800, 0xAC00)))
    if unicodedata.category(mark)[0] == "M"
)
# Each character of these is a word of its own, also beside a number: no blanks part them.
_ALONE = "぀-ヿ㐀-鿿"
_LETTERS = rf"[^\W\d_{_ALONE}]+(?:[{_SIGNS}]+[^\W\d_{_ALONE}]*)*"
_NUMBERED = rf"{_NEW}[^\W\d{_ALONE}]{{0,64}}\d[^\W{_ALONE}]*"
_WORD = re.compile(
    rf"(?P<address>{_NEW}[\w.+-]{{1,64}}@[\w-]+(?:\.[\w-]+)+|(?:https?://|www\.)[^\s<>\"]+)"
    rf"|(?P<digits>(?:(?<![\w)])[-−](?=\d))?(?:[^\W\d_{_ALONE}]{{1,6}}[-/])?{_NUMBERED}(?:[.,:/–-]{_NUMBERED})*)"
    rf"|(?P<letters>[{_ALONE}]|{_LETTERS}(?:['’‐-]{_LETTERS})*)"
    r"|(?P<sign>[$€£¥₽₴₸₹%‰§☐☑☒✓✔✗✘✕]"
    # C++ and C#, blood of A+ and A-, and more or less than a number; not a heading or a quotation.
    r"|(?<=[^\W\d_])(?:\+{1,2}|#)(?!\w)|(?<=[A-Z])[-−](?!\w)"
    r"|(?<=[\d ()])[<>≤≥≠](?=[= ]{0,2}[\d$€£-]))"
)
# A comparison, which alone is known by what stands beyond the blanks around it.
_COMPARES = re.compile(r" ?[<>≤≥≠][= ]{0,2}(?=[\d$€£-])")
_GLUE = "\ud800"
"""Stands for a blank within a piece; half a character, which no file has."""
_BREAK = re.compile(r"[\n\r\f\v]")
_BROKEN = re.compile(r"[-‐\u00ad](?<=[^\W\d_].)[ \t]*\r?\n\s*(?=[^\W\d_])")
_DATE = re.compile(
    r"\d{1,2}[./-]\d{1,2}[./-](?:\d\d|\d{4})|\d{4}[./-]\d{1,2}(?:[./-]\d{1,2})?|\d{1,2}/\d{4}"
    r"|(?:19|20)\d\d|\d{1,4}[년월일]\w*"
)
_SMALL = re.compile(r"\d{1,2}(?:\.\d{1,2}){0,3}")
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DECIMAL = re.compile(r"-?\d+\.\d*0")
_LABELS = frozenset(
    re.findall(
        r"\w+",
        "no nr num number номер ref reference id account konto счёт счет invoice инн кпп огрн бик",
    )
)
"""Words before a number that make it the name of something."""
_MONTHS = frozenset(
    re.findall(
        r"\w+",
        """january february march april may june july august september october november december
        jan feb mar apr jun jul aug sep sept oct nov dec
        январь января январе февраль февраля феврале март марта марте апрель апреля апреле май мая
        мае июнь июня июне июль июля июле август августа августе сентябрь сентября сентябре октябрь
        октября октябре ноябрь ноября ноябре декабрь декабря декабре
        січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
        januar februar märz juni juli oktober dezember
        janvier février mars avril mai juin juillet août septembre octobre novembre décembre
        enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
        gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
        stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada
        grudnia januari februari maart mei augustus
        janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
        ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
        ledna února března dubna května června července srpna října listopadu prosince maj augusti
        monday tuesday wednesday thursday friday saturday sunday
        montag dienstag mittwoch donnerstag freitag samstag sonntag
        понедельник вторник среда среду четверг пятница пятницу суббота субботу воскресенье
        lundi mardi mercredi jeudi vendredi samedi dimanche
        lunes martes miércoles jueves viernes sábado domingo
        lunedì martedì mercoledì giovedì venerdì sabato domenica
        poniedziałek wtorek środa środę czwartek piątek sobota sobotę niedziela niedzielę
        pazartesi salı çarşamba perşembe cuma cumartesi pazar""",
    )
)
_DATED = frozenset("年月日")
"""Words behind the numbers of a date."""
_ENDS = ".!?;…»”\"'—–•*|"
_OPENS = re.compile(rf"[\n{re.escape(_ENDS)}]")
_ENDED = re.compile(r"[.!?;:…»”)\"]+[ \t]+")


class ValueSets(NamedTuple):
    """The distinct values of a text, and all its distinct words unless it is a long one."""

    words: int
    names: frozenset[str]
    dates: frozenset[str]
    codes: frozenset[str]
    numbers: frozenset[str]
    vocabulary: frozenset[str] | None

    @property
    def held(self) -> int:
        """How many words the sets hold in all."""
        sets = (self.names, self.dates, self.codes, self.numbers, self.vocabulary or ())
        return sum(map(len, sets))


PIECES_AT_HAND = 4 << 20
"""Characters of pieces that are kept cut into words, with `PIECE_COST` for each piece."""
PIECE_COST = 56
_SIZE, _BEGIN, _END, _NUMBER_OF, _FACTS = range(5)
"""Columns of a word: the length of its piece, if it is the last word there; its place there; its
number; the facts below, with the number of its sort by itself in the lowest bits."""
_SORT_BITS, _BLANK_ROW, _OPENED, _CLOSED = 15, 16, 32, 64
"""No word; a mark that may end a sentence stands before it, or behind the last word of a piece."""
_MONTH, _DIGITS, _DOTTED, _TELLS = 128, 256, 512, 1024
"""What may be of another sort by its neighbours, and what decides that of those beside it."""


class _Pieces(dict[str, bytes]):
    """What stands between two blanks, as the rows of its words; most pieces come again and again.

    No word goes across blanks. A piece without a word has a row, too.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        self.clear()
        self._columns = np.zeros((5, 1 << 10), np.int32)
        self._words = np.empty(1 << 10, object)
        self._known: dict[str, tuple[str, int, int]] = {}
        self._number: dict[str, int] = {}
        self._new: list[tuple[int, int, int, int, int, str]] = []
        self._rows = self._held = 0

    def rows(self, text: str) -> tuple[NDArray[np.int32], NDArray[np.object_]]:
        """The columns of all words, and the words themselves."""
        if any(sign in text for sign in "<>≤≥≠"):
            text = _COMPARES.sub(lambda match: match[0].replace(" ", _GLUE), text)
        pieces = text.replace("\n", "\n ").split(" ", MOST_WORDS)
        with self._lock:
            if self._held > PIECES_AT_HAND:
                self._forget()
            rows = np.frombuffer(b"".join(map(self.__getitem__, pieces)), np.int32)
            self._add()
            return self._columns.take(rows, axis=1), self._words.take(rows)

    def __missing__(self, piece: str) -> bytes:
        # The last piece of a text with more of them is all that is left.
        text = piece.replace("\n ", "\n").replace(_GLUE, " ")
        size, first, before = len(text) + (text[-1:] != "\n"), self._rows + len(self._new), 0
        new: list[tuple[int, int, int, int, int, str]] = []
        for match in islice(_WORD.finditer(text), MOST_WORDS):
            begin, end = match.span()
            word, number, facts = self._word(match.group(), match.lastgroup)
            if facts & _DIGITS and text[end : end + 1] in (".", ")"):
                facts |= _DOTTED
            if before < begin and _OPENS.search(text, before, begin):
                facts |= _OPENED
            new.append((0, begin, end, number, facts, word))
            before = end
        _, begin, end, number, facts, word = new.pop() if new else (0, 0, 0, 0, _BLANK_ROW, "")
        if before < len(text) and _OPENS.search(text, before):
            facts |= _CLOSED
        self._new += [*new, (size, begin, end, number, facts, word)]
        self._held += len(piece) + PIECE_COST
        last = self._rows + len(self._new)
        rows = self[piece] = array("i", range(first, last)).tobytes()
        return rows

    def _word(self, written: str, group: str | None) -> tuple[str, int, int]:
        """A word folded, its number and its facts."""
        if written in self._known:
            return self._known[written]
        word = _folded(written)
        facts = _SORT_NUMBER[_sort_alone(written, word, group)]
        facts |= _DIGITS * (group == "digits")
        if word in _MONTHS:
            facts |= _MONTH * (group == "letters") | _TELLS
        if word in _DATED or word in _LABELS:
            facts |= _TELLS
        known = self._known[written] = word, self._number.setdefault(word, len(self._number)), facts
        return known

    def _add(self) -> None:
        """Put new rows behind the others."""
        if not self._new:
            return
        *columns, words = zip(*self._new, strict=True)
        end = self._rows + len(words)
        if end > len(self._words):
            room = max(end, 2 * len(self._words)) - len(self._words)
            self._columns = np.pad(self._columns, ((0, 0), (0, room)))
            self._words = np.concatenate([self._words, np.empty(room, object)])
        self._columns[:, self._rows : end] = columns
        self._words[self._rows : end] = words
        self._rows, self._new = end, []


_PIECES = _Pieces()


class ValuedText:
    """The words of a text with their sorts, and the distinct values among them."""

    def __init__(self, text: str) -> None:
        self.text = _readable(text)
        (size, begin, end, number, facts), words = _PIECES.rows(self.text)
        start = size.cumsum() - size
        closed = (facts & _CLOSED) > 0
        marks = ((facts & _OPENED) > 0).cumsum() + closed.cumsum() - closed
        rows = np.flatnonzero((facts & _BLANK_ROW) == 0)[:MOST_WORDS]
        begin += start
        end += start
        self.begins, self.ends, self._numbers, self._facts, marks = (
            column[rows] for column in (begin, end, number, facts, marks)
        )
        self._opens = np.ones(len(rows), bool)
        self._opens[1:] = marks[1:] > marks[:-1]
        self.words: list[str] = words[rows].tolist()

    @cached_property
    def written(self) -> list[str]:
        """The words as they stand in the text."""
        places = zip(self.begins.tolist(), self.ends.tolist(), strict=True)
        return [self.text[begin:end] for begin, end in places]

    def is_capital(self, at: int) -> bool:
        """Whether a word begins with a capital."""
        return self.text[self.begins[at]].isupper()

    @cached_property
    def lines(self) -> list[int]:
        """The line of each word; lines without a word are not counted."""
        characters = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), np.uint32)
        raw = np.flatnonzero(characters - 10 < 4).searchsorted(self.begins)
        lines: list[int] = np.cumsum(np.diff(raw, prepend=raw[:1]) > 0).tolist()
        return lines

    def begins_line(self, at: int) -> bool:
        """Whether a word, or the end of the text, is the first thing on its line."""
        if at in (0, len(self.words)):
            return True
        return _BREAK.search(self.text, self.ends[at - 1], self.begins[at]) is not None

    @cached_property
    def sorts(self) -> list[Sort]:
        """What each word is."""
        sorts: list[Sort] = _SORTS[self._sorts].tolist()
        return sorts

    @cached_property
    def _sorts(self) -> NDArray[np.int32]:
        facts = self._facts
        sorts: NDArray[np.int32] = facts & _SORT_BITS
        sorts[(sorts == _START) & ~self._opens] = _NAME
        tells, told = (facts & _TELLS) > 0, np.zeros(len(sorts), bool)
        told[:-1] |= tells[1:]
        told[1:] |= tells[:-1]
        asks = (told & ((facts & _DIGITS) > 0)) | ((facts & (_MONTH | _DOTTED)) > 0)
        for at in np.flatnonzero(asks).tolist():
            sorts[at] = _SORT_NUMBER[self._sort(at, _SORT_NAMES[sorts[at]])]
        self._judge_capitals(sorts)
        return sorts

    @cached_property
    def values(self) -> dict[Sort, frozenset[str]]:
        """The distinct values of each sort; plain words are none."""
        values: dict[Sort, set[str]] = {}
        places = np.flatnonzero(_IS_VALUE[self._sorts])
        word_and_sort = self._numbers[places].astype(np.int64) * len(_SORTS) + self._sorts[places]
        for at in places[np.unique(word_and_sort, return_index=True)[1]].tolist():
            values.setdefault(_SORT_NAMES[self._sorts[at]], set()).add(self.words[at])
        return {sort: frozenset(words) for sort, words in values.items()}

    @property
    def value_sets(self) -> ValueSets:
        """The values alone, for a first look."""
        names, dates, codes, numbers = (
            self.values.get(sort, frozenset()) for sort in ("name", "date", "code", "number")
        )
        vocabulary = self.vocabulary if len(self.words) <= SHEET else None
        return ValueSets(len(self.words), names, dates, codes, numbers, vocabulary)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The distinct words."""
        return frozenset(self.words)

    @cached_property
    def runs(self) -> frozenset[tuple[str, ...]]:
        """The distinct runs of three words."""
        return frozenset(zip(self.words, self.words[1:], self.words[2:], strict=False))

    def _sort(self, at: int, alone: Sort) -> Sort:
        """What a word is beside its neighbours."""
        if self._facts[at] & _MONTH:
            return "date" if self._near_digits(at) else alone
        if self._is_marker(at):
            return "marker"
        if alone == "date" or self._beside_month(at):
            return "date"
        if at and self.words[at - 1] in _LABELS and "\n" not in self._before(at):
            return "code"
        return alone

    def _near_digits(self, at: int) -> bool:
        """Whether a number stands beside the word: otherwise "may" and "mars" are no months."""
        return any(
            0 <= beside < len(self.words) and self._facts[beside] & _DIGITS
            for beside in (at - 1, at + 1)
        ) or (len(self.words[at]) > 4 and self.is_capital(at))

    def _beside_month(self, at: int) -> bool:
        if at + 1 < len(self.words) and self.words[at + 1] in _DATED:
            return True
        return any(
            0 <= beside < len(self.words) and self.words[beside] in _MONTHS
            for beside in (at - 1, at + 1)
        )

    def _before(self, at: int) -> str:
        """What stands between the word and the one before it."""
        return self.text[self.ends[at - 1] if at else 0 : self.begins[at]]

    def is_labelled(self, at: int) -> bool:
        """Whether the word follows a colon on its line, as what a form is filled in with does."""
        if at >= len(self.words):
            return False
        return ":" in self._before(at).removesuffix("\n").rpartition("\n")[2]

    def _is_marker(self, at: int) -> bool:
        """Whether the number counts the items of a list: at the start of a line, "3." or "3.2)".

        In PDF a tab may follow, which is no character: "3.The". Such an item may also have been
        joined with the sentence before it.
        """
        end = self.ends[at]
        after = self.text[end : end + 2]
        if after[:1] not in (".", ")"):
            return False
        before = self._before(at)
        is_glued = after[1:].isalpha() and after[1:].isupper()
        if at and "\n" not in before and not (is_glued and _ENDED.fullmatch(before)):
            return False
        small = _SMALL.fullmatch(self.text, self.begins[at], end) is not None
        return small and (is_glued or not after[1:].strip()) and not self._beside_month(at)

    def _judge_capitals(self, sorts: NDArray[np.int32]) -> None:
        """Turn capitals into names or plain words, by their neighbours and the whole text."""
        is_name, is_word = sorts == _NAME, sorts == _PLAIN
        names = np.count_nonzero(is_name)
        dense = names > MANY_CAPITALS * max(names + np.count_nonzero(is_word), 1)
        capitals = np.flatnonzero(is_name | (sorts == _START))
        is_known, is_lower = (self._same_words(capitals, these) for these in (is_name, is_word))
        padded = np.concatenate([[_PLAIN], sorts, [_PLAIN]])
        before, here, after = padded[capitals], padded[capitals + 1], padded[capitals + 2]
        is_start = here == _START
        in_row = (after == _NAME) | (~is_start & ((before == _NAME) | (before == _START)))
        sorts[capitals[is_start & (in_row | is_known) & ~is_lower]] = _NAME
        sorts[capitals[~is_start & ((dense & ~in_row) | is_lower)]] = _PLAIN

    def _same_words(self, places: Ints, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether the words of these places stand among the marked ones, too."""
        is_among = np.zeros(self._numbers.max(initial=0) + 1, bool)
        is_among[self._numbers[among]] = True
        found: NDArray[np.bool_] = is_among[self._numbers[places]]
        return found


def _readable(text: str) -> str:
    """Composed letters, one form of look-alike characters, words that a line end broke joined."""
    if not text.isascii():  # few lines need it in many a language
        text = "\n".join(composed(line, "NFKC") for line in text.split("\n"))
    return _BROKEN.sub("", text).replace("\u00ad", "")


def _folded(word: str) -> str:
    """Without case, the hyphens that line ends make and lose, and the zeros that formats add."""
    word = word.casefold()
    if word.isalpha():  # nearly every word
        return word
    if not any(letter.isdigit() for letter in word):
        return re.sub(r"['’‐-]", "", word) or word
    word = word.replace("–", "-").replace("−", "-")
    if _THOUSANDS.fullmatch(word):
        word = word.replace(",", "")
    return word.rstrip("0").rstrip(".") if _DECIMAL.fullmatch(word) else word
