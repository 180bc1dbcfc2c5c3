"""A text as the words that are compared for its kind, each with what it is: a name, a date, ...

Case, punctuation and blanks play no part in the words; what a template is filled in with does:
numbers with their separators, signs of currency, dates, names, addresses and other identifiers.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import cached_property, lru_cache
from itertools import islice
from typing import Literal, NamedTuple

from twinset.finding.verify.diff import MOST_WORDS
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


@lru_cache(maxsize=1 << 16)
def is_number(word: str) -> bool:
    """Whether a word, folded, is a number in words."""
    return word not in _ARTICLES and _NUMBER.fullmatch(word) is not None


Sort = Literal["word", "start", "name", "date", "code", "number", "sign", "marker"]
"""What a word is. ``start``: a capital that may only begin a sentence; ``marker``: a list's."""
IDENTITY: frozenset[Sort] = frozenset(("name", "date", "code"))
VALUES: frozenset[Sort] = IDENTITY | {"number", "sign"}

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
_BROKEN = re.compile(r"(?<=[^\W\d_])[-‐\u00ad][ \t]*\r?\n\s*(?=[^\W\d_])")
_DATE = re.compile(
    r"\d{1,2}[./-]\d{1,2}[./-](?:\d\d|\d{4})|\d{4}[./-]\d{1,2}(?:[./-]\d{1,2})?|\d{1,2}/\d{4}"
    r"|(?:19|20)\d\d|\d{1,4}[년월일]\w*"
)
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


class ValuedText:
    """The words of a text with their sorts, and the distinct values among them."""

    def __init__(self, text: str) -> None:
        self.text = _readable(text)
        matches = list(islice(_WORD.finditer(self.text), MOST_WORDS))
        self.places = [match.span() for match in matches]
        self.written = [match.group() for match in matches]
        self.words = [_folded(word) for word in self.written]
        self._groups = [match.lastgroup for match in matches]

    @cached_property
    def lines(self) -> list[int]:
        """The line of each word; lines without a word are not counted."""
        breaks = [match.start() for match in re.finditer(r"[\n\r\f\v]", self.text)]
        raw = [bisect_right(breaks, start) for start, _ in self.places]
        number: dict[int, int] = {}
        return [number.setdefault(line, len(number)) for line in raw]

    @cached_property
    def sorts(self) -> list[Sort]:
        """What each word is."""
        sorts = [self._sort(at) for at in range(len(self.words))]
        self._judge_capitals(sorts)
        return sorts

    @cached_property
    def values(self) -> dict[Sort, frozenset[str]]:
        """The distinct values of each sort; plain words are none."""
        values: dict[Sort, set[str]] = {}
        for word, sort in zip(self.words, self.sorts, strict=True):
            if sort in VALUES:
                values.setdefault(sort, set()).add(word)
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

    def _sort(self, at: int) -> Sort:
        group, word = self._groups[at], self.written[at]
        if group == "address":
            return "code"
        if group == "sign":
            return "sign"
        if group == "letters":
            if self.words[at] in _MONTHS and self._near_digits(at):
                return "date"
            if is_number(self.words[at]):
                return "number"
            if not word[0].isupper():
                return "word"
            return "start" if self._begins_sentence(at) else "name"
        if self._is_marker(at):
            return "marker"
        return self._sort_of_digits(word, at)

    def _sort_of_digits(self, word: str, at: int) -> Sort:
        if _DATE.fullmatch(word) or self._beside_month(at):
            return "date"
        if at and self.words[at - 1] in _LABELS and "\n" not in self._before(at):
            return "code"
        if any(letter.isalpha() for letter in word) or (
            word.isdigit() and len(word) >= LONG_NUMBER
        ):
            return "code"
        return "number"

    def _near_digits(self, at: int) -> bool:
        """Whether a number stands beside the word: otherwise "may" and "mars" are no months."""
        return any(
            0 <= beside < len(self._groups) and self._groups[beside] == "digits"
            for beside in (at - 1, at + 1)
        ) or (len(self.words[at]) > 4 and self.written[at][0].isupper())

    def _beside_month(self, at: int) -> bool:
        if at + 1 < len(self.words) and self.words[at + 1] in _DATED:
            return True
        return any(
            0 <= beside < len(self.words) and self.words[beside] in _MONTHS
            for beside in (at - 1, at + 1)
        )

    def _before(self, at: int) -> str:
        """What stands between the word and the one before it."""
        return self.text[self.places[at - 1][1] if at else 0 : self.places[at][0]]

    def is_labelled(self, at: int) -> bool:
        """Whether the word follows a colon on its line, as what a form is filled in with does."""
        if at >= len(self.words):
            return False
        return ":" in self._before(at).removesuffix("\n").rpartition("\n")[2]

    def _begins_sentence(self, at: int) -> bool:
        before = self._before(at)
        return at == 0 or "\n" in before or any(mark in before for mark in _ENDS)

    def _is_marker(self, at: int) -> bool:
        """Whether the number counts the items of a list: at the start of a line, "3." or "3.2)".

        In PDF a tab may follow, which is no character: "3.The". Such an item may also have been
        joined with the sentence before it.
        """
        end = self.places[at][1]
        word, before = self.written[at], self._before(at)
        after = self.text[end : end + 2]
        if after[:1] not in (".", ")"):
            return False
        is_glued = after[1:].isalpha() and after[1:].isupper()
        if at and "\n" not in before and not (is_glued and _ENDED.fullmatch(before)):
            return False
        small = re.fullmatch(r"\d{1,2}(?:\.\d{1,2}){0,3}", word) is not None
        return small and (is_glued or not after[1:].strip()) and not self._beside_month(at)

    def _judge_capitals(self, sorts: list[Sort]) -> None:
        """Turn capitals into names or plain words, by their neighbours and the whole text."""
        inside = [sort for sort in sorts if sort in ("word", "name")]
        dense = inside.count("name") > MANY_CAPITALS * max(len(inside), 1)
        known = {word for word, sort in zip(self.words, sorts, strict=True) if sort == "name"}
        lower = {word for word, sort in zip(self.words, sorts, strict=True) if sort == "word"}
        capital: frozenset[Sort] = frozenset(("start", "name"))
        first = list(sorts)
        for at, sort in enumerate(first):
            if sort not in capital:
                continue
            in_row = (at + 1 < len(first) and first[at + 1] == "name") or (
                at > 0 and sort == "name" and first[at - 1] in capital
            )
            word = self.words[at]
            if sort == "start" and ((in_row or word in known) and word not in lower):
                sorts[at] = "name"
            elif sort == "name" and ((dense and not in_row) or word in lower):
                sorts[at] = "word"


def _readable(text: str) -> str:
    """Composed letters, one form of look-alike characters, words that a line end broke joined."""
    return _BROKEN.sub("", composed(text, "NFKC")).replace("\u00ad", "")


@lru_cache(maxsize=1 << 16)
def _folded(word: str) -> str:
    """Without case, the hyphens that line ends make and lose, and the zeros that formats add."""
    word = word.casefold()
    if not any(letter.isdigit() for letter in word):
        return re.sub(r"['’‐-]", "", word) or word
    word = word.replace("–", "-").replace("−", "-")
    if _THOUSANDS.fullmatch(word):
        word = word.replace(",", "")
    return word.rstrip("0").rstrip(".") if _DECIMAL.fullmatch(word) else word
