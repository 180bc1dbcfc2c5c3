"""Stop words: articles, pronouns, prepositions, conjunctions and auxiliary verbs, by language.

A choice of lists is names joined by ``+``; a name with a dot or a slash is a file of the user's,
and words themselves may stand in place of one (``=this|that``).

The lists hold closed word classes only, compiled from school grammars, and change with a release of
twinset alone: a list that came from elsewhere would change results with its own releases. Spelling
is canonical: lower case, and a contraction is the two words that the tokeniser sees (don't: don,
t).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from twinset import _kernels
from twinset.model import Features, offsets_of
from twinset.text.word_files import are_given, spelt_words, stop_words_of

WORDS = {
    "en": """
        a an the this that these those some any each every no other another such both either neither
        i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his
        himself she her hers herself it its itself they them their theirs themselves who whom whose
        which what where when why how and or but nor so yet if then else than because while although
        though unless until whether of in on at by for with from to into onto upon about above below
        over under between among through during before after against without within along across
        behind beyond near off out up down as per via is am are was were be been being have has had
        having do does did doing done will would shall should can could may might must ought not
        there here very too also just only own same more most few all again further once now s t d
        ll m re ve don didn doesn isn aren wasn weren won couldn shouldn wouldn hasn haven hadn
    """,
    "ru": """
        я меня мне мной мною ты тебя тебе тобой тобою он его ему им нём нем она её ее ей ею ней нею
        оно мы нас нам нами вы вас вам вами они их ими них ним ними себя себе собой собою мой моя
        моё мое мои твой твоя твоё твое твои свой своя своё свое свои своего своей своих своим наш
        наша наше наши ваш ваша ваше ваши этот эта это эти этого этой этих этому этим этом тот та то
        те того той тех тому тем том такой такая такое такие весь вся всё все всего всей всех всем
        всеми сам сама само сами кто что кого чего кому чему кем чем ком чём который которая которое
        которые которого которой которых где когда куда откуда как так тут там здесь почему зачем и
        а но да или либо ни не нет если то чтобы хотя потому поэтому пока ли же бы б ль уже ещё еще
        в во на с со к ко по о об обо от ото до за из изо у над надо под подо при про для без через
        между перед передо после около кроме среди ради вместо быть был была было были будет будут
        буду будем есть бывает может могут можно нужно надо только лишь даже вот ведь раз очень
        более также тоже
    """,
    "de": """
        der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner
        dieser diese dieses diesen diesem jener jene jenes jeder jede jedes alle allen ich mich mir
        du dich dir er ihn ihm sie ihr es wir uns euch ihnen sich man mein meine dein deine sein
        seine seinen seinem seiner unser unsere euer eure ihre ihren ihrem wer wen wem was welche
        welcher welches wo wann warum wie und oder aber denn sondern doch wenn dann als weil dass
        daß ob damit während obwohl bis in im an am auf aus bei beim von vom zu zum zur mit nach für
        über unter vor hinter neben zwischen durch gegen ohne um seit ist sind war waren bin bist
        sei wird werden wurde wurden worden haben hat hatte hatten kann können konnte muss müssen
        soll sollen will wollen darf dürfen mag nicht auch nur noch schon sehr so hier da dort nun
    """,
}


def lists(spec: str) -> list[str]:
    """The lists of ``en+words.txt``; none for ``none``."""
    return [] if spec in ("", "none") else spec.split("+")


def is_own(name: str) -> bool:
    """Whether a list is the user's, a file or words themselves, and not one that is shipped."""
    return are_given(name) or "." in name or "/" in name or "\\" in name


def faults(spec: str) -> list[str]:
    """What is wrong with a choice of lists, as sentences; files are not looked into."""
    known = ", ".join(WORDS)
    return [
        f"there are no stop words for '{name}'; write none, or languages ({known}) and files "
        "(as words.txt) joined by +"
        for name in lists(spec)
        if name not in WORDS and not is_own(name)
    ]


def own_words(spec: str, within: Sequence[str] = ()) -> tuple[str, ...]:
    """The stop words of the user's own lists; a fault is reported with its line."""
    own = filter(is_own, lists(spec))
    return tuple(word for name in own for word in stop_words_of(name, within))


def without_files(spec: str, within: Sequence[str] = ()) -> str:
    """The same lists, with the words of files in place of their names."""
    if not any(map(is_own, lists(spec))):
        return spec
    return "+".join(
        spelt_words([stop_words_of(name, within)]) if is_own(name) else name for name in lists(spec)
    )


def stop_words(spec: str) -> list[str]:
    """The stop words of these lists, sorted."""
    shipped = (word for name in lists(spec) if not is_own(name) for word in WORDS[name].split())
    return sorted({*shipped, *own_words(spec)})


def stop_hashes(spec: str) -> Features:
    """Their hashes, as the kernels look them up."""
    return hashes_of(stop_words(spec))


def hashes_of(words: list[str]) -> Features:
    """The hashes of canonical words."""
    encoded = [word.encode() for word in words]
    offsets = offsets_of(map(len, encoded))
    data = np.frombuffer(b"".join(encoded), np.uint8)
    return _kernels.slice_hashes(data, offsets[:-1], offsets[1:], 1)
