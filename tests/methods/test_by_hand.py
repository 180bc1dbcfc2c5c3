"""Signatures worked out by hand from the papers' formulas, ties included."""

from __future__ import annotations

import zlib

import numpy as np
import pyarrow as pa
import pytest

import twinset
from tests.kernels import text_twins
from twinset import _kernels
from twinset.finding.methods.joins import SpotSignatures
from twinset.finding.methods.keys import NO_STATISTICS
from twinset.finding.methods.threefive import Records, ThreeFive
from twinset.plan import spec as parts
from twinset.text.statistics import WordSurvey
from twinset.text.tokens import Cleaning, sorted_set

PLAIN = "stop=none,letters=0"


def made(spec: str):
    return parts.make("method", spec)


def statistics(texts: list[str], cleaning: Cleaning = Cleaning("none", 0)):
    survey = WordSurvey(cleaning, 1)
    survey.add(texts)
    return survey.finish()


def signature(spec: str, texts: list[str], known=NO_STATISTICS) -> list[list[str]]:
    method = made(spec)
    tokens = method.cleaning().tokens(texts, 1, sentences=True)
    return method.signature(tokens, known)


def keys(spec: str, texts: list[str], known=NO_STATISTICS) -> list[list[int]]:
    method = made(spec)
    tokens = method.cleaning().tokens(texts, 1, sentences=True)
    return [row.tolist() for row in method.keys(tokens, known)]


# N = 4, every document has 4 words, so dl = dl_avg and the BM25 tf is tf/(2+tf): 1/3, 1/2.
#   word   df cf   BM25 idf log((N-df+.5)/(df+.5))   RIDF -log(df/N)+log(1-exp(-cf/N))
#   alpha   1  2   log(3.5/1.5) =  .8473             1.3863 - .9328 =  .4535
#   beta    4  5   log(.5/4.5)  = -2.1972            0      - .3376 = -.3376
#   gamma   2  2   log(2.5/2.5) =  0                 .6931  - .9328 = -.2397
#   delta   1  2   .8473                             .4535
#   others  1  1   .8473                             1.3863 - 1.5087 = -.1224
FOUR = [
    "alpha alpha beta gamma",
    "beta gamma delta delta",
    "beta beta epsilon zeta",
    "beta eta theta iota",
]


def test_collection_statistics():
    known = statistics(FOUR)
    rows = dict(zip(known.words.to_pylist(), zip(known.df, known.cf, strict=True), strict=True))
    assert rows["alpha"] == (1, 2)
    assert rows["beta"] == (4, 5)
    assert rows["gamma"] == (2, 2)
    assert rows["iota"] == (1, 1)
    assert (known.documents, known.length, known.average_length) == (4, 16, 4.0)


def test_tf_takes_the_most_frequent_words_and_breaks_ties_by_the_alphabet():
    text = "pear apple apple fig fig plum date"
    assert signature(f"tf:words=3,{PLAIN}", [text]) == [["apple", "fig", "date"]]
    assert keys(f"tf:words=3,{PLAIN}", [text]) == [[zlib.crc32(b"apple date fig")]]


def test_tfidf():
    known = statistics(FOUR)
    # alpha 1/2 * .8473; gamma 0; beta 1/3 * -2.1972, the last even among three
    assert signature(f"tfidf:words=3,{PLAIN}", FOUR, known)[0] == ["alpha", "gamma", "beta"]
    assert signature(f"tfidf:words=2,{PLAIN}", FOUR, known) == [
        ["alpha", "gamma"],
        ["delta", "gamma"],
        ["epsilon", "zeta"],  # a tie: 1/3 * .8473 both
        ["eta", "iota"],  # theta ties with them and is last in the alphabet
    ]
    assert keys(f"tfidf:words=2,{PLAIN}", FOUR, known)[1] == [zlib.crc32(b"delta gamma")]


def test_tfidf_counts_long_documents_less():
    # N = 2, dl 2 and 6, dl_avg 4: once in the short one 1/(2(.25+.375)+1) = .444,
    # twice in the long one 2/(2(.25+1.125)+2) = .421; both words have df 1
    known = statistics(["alpha beta", "gamma gamma delta epsilon zeta eta"])
    method = made(f"tfidf:{PLAIN}")
    words = method.cleaning().tokens(["alpha beta", "gamma gamma delta epsilon zeta eta"], 1)
    weights = method.weights(words.distinct(), known)
    idf = np.log(1.5 / 1.5)
    assert weights[0] == pytest.approx(1 / (2 * (0.25 + 0.75 * 2 / 4) + 1) * idf)
    known = statistics(["alpha beta", "gamma gamma delta epsilon zeta eta", "x y z w"])
    words = method.cleaning().tokens(["alpha beta", "gamma gamma delta epsilon zeta eta"], 1)
    weights = method.weights(words.distinct(), known)
    idf = np.log(2.5 / 1.5)
    assert weights[0] == pytest.approx(0.4444444 * idf)
    assert weights[2] == pytest.approx(2 / 4.75 * idf)


def test_tfridf():
    known = statistics(FOUR)
    # first: alpha 1 * .4535, gamma .75 * -.2397 = -.180, beta .75 * -.3376 = -.253
    assert signature(f"tfridf:words=3,{PLAIN}", FOUR, known)[0] == ["alpha", "gamma", "beta"]
    # third: epsilon and zeta .75 * -.1224 = -.092 before beta 1 * -.3376; fourth: -.1224 thrice
    assert signature(f"tfridf:words=2,{PLAIN}", FOUR, known) == [
        ["alpha", "gamma"],
        ["delta", "gamma"],
        ["epsilon", "zeta"],
        ["eta", "iota"],
    ]


def test_optfreq():
    known = statistics(FOUR)
    # IDF: alpha 1.3863, gamma .6931, beta 0; all below 11.5: sqrt(IDF/11.5) = .347, .246, 0
    assert signature(f"optfreq:words=3,{PLAIN}", FOUR, known)[0] == ["alpha", "gamma", "beta"]
    # at .9 alpha is above: .9/1.3863 = .649, gamma below: .75 * sqrt(.6931/.9) = .658
    assert signature(f"optfreq:words=2,optimal=0.9,{PLAIN}", FOUR, known)[0] == ["gamma", "alpha"]


def test_longsent():
    text = "Red fox runs far. Blue owl sleeps. Green elk walks far. Old bee."
    assert signature(f"longsent:{PLAIN}", [text]) == [["green elk walks far", "red fox runs far"]]
    assert keys(f"longsent:{PLAIN}", [text]) == [
        [zlib.crc32(b"green elk walks far red fox runs far")]
    ]
    tied = "One two three four. Zeta eta theta. Alpha beta gamma."
    assert signature(f"longsent:{PLAIN}", [tied]) == [["one two three four", "alpha beta gamma"]]
    twice = "Same words here. Same words here. Tiny bit."
    assert signature(f"longsent:{PLAIN}", [twice]) == [["same words here", "tiny bit"]]


def test_longsent_counts_the_words_that_are_left():
    # without short and stop words: one, three, two
    text = "It is of the cat on a mountain. Rivers carry stones. Forests under clouds."
    assert signature("longsent", [text]) == [["rivers carry stones", "forests clouds"]]


def test_heavysent():
    known = statistics(FOUR)
    texts = ["Alpha alpha. Beta gamma.", "Beta epsilon. Beta zeta.", "Gamma gamma gamma."]
    # first: 2 * .5 * .8473 against -.7324 + 0; second: -1.0986 + .2824 twice, a tie
    assert signature(f"heavysent:count=1,{PLAIN}", texts, known) == [
        ["alpha alpha"],
        ["beta epsilon"],
        ["gamma gamma gamma"],
    ]


# N = 8: df 1 has rarity 1, df 2 log4/log8 = .667, df 4 .333, df 8 0: the lexicon is df 2 and 4
EIGHT = [f"common uniq{i} pair{i // 2} quad{i // 4}" for i in range(8)]


def test_imatch_takes_the_words_of_middling_rarity():
    known = statistics(EIGHT)
    method = made(f"imatch:least=2,{PLAIN}")
    words = method.cleaning().tokens(EIGHT, 1).distinct()
    inside = method.inside(words, known).reshape(8, 4)
    assert inside.tolist() == [[0, 0, 1, 1]] * 8
    found = keys(f"imatch:least=2,{PLAIN}", EIGHT, known)
    assert [len(row) for row in found] == [1] * 8
    assert [found.index(row) for row in found] == [0, 0, 2, 2, 4, 4, 6, 6]
    assert keys(f"imatch:least=3,{PLAIN}", EIGHT, known) == [[]] * 8


def test_lexrand_has_the_key_of_imatch_and_one_for_each_lexicon():
    known = statistics(EIGHT)
    first = keys(f"imatch:least=1,{PLAIN}", EIGHT, known)
    more = keys(f"lexrand:least=1,lexica=4,share=0,{PLAIN}", EIGHT, known)
    assert [row[0] for row in more] == [row[0] for row in first]
    assert [len(set(row)) for row in more] == [5] * 8
    # a lexicon without every word is possible only in the limit: no word of the document is left
    none = keys(f"lexrand:least=2,lexica=50,share=0.99,{PLAIN}", EIGHT, known)
    assert all(1 <= len(row) < 6 for row in none)


def sample_key(values: list[int]) -> list[int]:
    offsets = np.array([0, len(values)], np.int64)
    return _kernels.logarithmic_keys(np.array(values, np.uint64), offsets, 1)[0].tolist()


def test_logshingles_takes_the_least_of_each_power_of_two():
    # 3 is the least of all, 4 of the multiples of 2 and 4, 16 of those of 8 and 16; 32 has none
    assert sample_key([3, 4, 10, 12, 16, 40]) == sample_key([3, 4, 16])
    assert sample_key([3, 4, 10, 12, 40]) == sample_key([3, 4, 40])
    assert sample_key([3, 4, 16]) != sample_key([3, 4, 40])


def test_logshingles_goes_on_from_the_end_to_the_beginning():
    turned = ["one two three four five six", "three four five six one two"]
    first, second = keys(f"logshingles:{PLAIN}", turned)
    assert first == second
    other = keys(f"logshingles:{PLAIN}", ["one two three four six five"])
    assert other != [first]


def test_grams_stay_inside_what_they_are_of_and_pass_words_over():
    """As Li et al. skip words and cut at pauses, and Wang and Chang stay inside sentences."""
    texts = ["One two, three four five: six. Seven eight", "", "Nine", "1,000 (two words) here"]
    of = {
        "document": ["one two three four five six seven eight", "", "nine", "1 000 two words here"],
        "sentence": ["one two three four five six|seven eight", "", "nine", "1 000 two words here"],
        "pause": ["one two|three four five|six|seven eight", "", "nine", "1 000|two words|here"],
    }
    for length, distance in ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (1000, 1)):
        for inside, stretches in of.items():
            spec = f"grams:length={length},distance={distance},inside={inside}"
            found, sizes = made(spec).extract(pa.array(texts), 1)
            assert sizes.tolist() == [8, 0, 1, 5]
            for row, written in zip(found, stretches, strict=True):
                grams = []
                for run in (stretch.split() for stretch in written.split("|") if stretch):
                    starts = range(len(run) - (length - 1) * distance)
                    grams += [run[i::distance][:length] for i in starts] or [run]
                hashes = [[text_twins.hash_word(word) for word in gram] for gram in grams]
                assert row.tolist() == sorted(
                    {text_twins.shingle([text_twins.shingle(each)]) for each in hashes}
                )


def test_grams_of_whole_documents_without_gaps_are_shingles():
    texts = ["a rose is a rose is a rose", "a rose is a rose", "another. thing, altogether"]
    plain, _ = made("exact:shingle=4").features().extract(pa.array(texts), 1)
    found, _ = made("grams:length=4,inside=document").extract(pa.array(texts), 1)
    assert found == sorted_set(plain, 1)


def test_spotsigs():
    text = (
        "At a rally to kick off a weeklong campaign for the South Carolina primary "
        "Obama tried to set the record straight"
    )
    spots = [
        "at rally kick",
        "a rally kick",
        "to kick weeklong",
        "off weeklong campaign",
        "a weeklong campaign",
        "for south carolina",
        "the south carolina",
        "to set record",
        "the record straight",
    ]
    expected = {text_twins.shingle([text_twins.hash_word(w) for w in s.split()]) for s in spots}
    spots_found, _ = SpotSignatures(Cleaning("en", 0)).extract([text], 1)
    assert set(spots_found.values.tolist()) == expected
    spots_found, _ = SpotSignatures(Cleaning("en", 0), ("a", "the"), 2, 2).extract([text], 1)
    # every second word: a: kick campaign; a: campaign carolina; the: carolina obama; the: none left
    apart = ["a kick campaign", "a campaign carolina", "the carolina obama"]
    assert set(spots_found.values.tolist()) == {
        text_twins.shingle([text_twins.hash_word(w) for w in s.split()]) for s in apart
    }


def test_wordlists_deals_distinct_words_out_by_their_hash():
    text = "amber birch cedar dogwood elder fir ginkgo hazel ivy juniper"
    words = text.split()
    dealt: dict[int, list[str]] = {}
    for word in words:
        number = text_twins.mix(text_twins.hash_word(word) ^ text_twins.mix(1)) % 3
        dealt.setdefault(number, []).append(word)
    (whole,) = keys(f"wordlists:lists=3,least=1,{PLAIN}", [" ".join(words + words[:4])])
    assert len(whole) == len(dealt)
    for number, own in dealt.items():
        # the words of one list alone: its key is the same, the other lists are not there
        (alone,) = keys(f"wordlists:lists=3,least=1,{PLAIN}", [" ".join(reversed(own))])
        assert alone == [whole[sorted(dealt).index(number)]]
    long = [own for own in dealt.values() if len(own) >= 4]
    assert len(keys(f"wordlists:lists=3,least=4,{PLAIN}", [" ".join(words)])[0]) == len(long)


LONGEST = "Kangaroos carry elephants beside wonderful mountains tonight"
SECOND = "Seventeen crocodiles swallowed umbrellas yesterday morning"
THIRD = "Purple butterflies followed ancient caravans"
SHORT = ["Winds blow", "Rain falls", "Snow melts", "Cats sleep"]


def story(*sentences: str) -> str:
    return ". ".join(sentences) + "."


def three_five(one: str, other: str, options: str = "") -> bool:
    found = twinset.find([("a", one), ("b", other)], method=f"threefive:{options}".rstrip(":"))
    return len(found.pairs) == 1


def test_threefive_keeps_a_record():
    text = story(SHORT[0], LONGEST, THIRD, SECOND, SHORT[1], "A cat on it")
    records = Records.of(ThreeFive(), [text], 1)
    # all words of three letters and more: 2 + 7 + 5 + 6 + 2 and cat; sentences with words left: 5
    assert records.length.tolist() == [23]
    assert records.number.tolist() == [5]
    wanted = [text_twins.hash_word(s.lower()) for s in (LONGEST, SECOND, THIRD)]
    assert records.sentences.tolist() == [wanted]
    # 11 letters: butterflies; 10: crocodiles; 9: elephants, kangaroos, mountains, seventeen,
    # swallowed, umbrellas, wonderful, yesterday: three of them, by signature
    nine = "elephants kangaroos mountains seventeen swallowed umbrellas wonderful yesterday"
    ties = sorted(text_twins.hash_word(w) for w in nine.split())[:3]
    first = [text_twins.hash_word(w) for w in ("butterflies", "crocodiles")]
    assert records.words.tolist() == [first + ties]


def test_threefive_fills_up_with_nothing():
    records = Records.of(ThreeFive(), ["Kangaroos carry elephants. Winds blow.", ""], 1)
    assert (records.sentences != 0).sum(axis=1).tolist() == [2, 0]
    assert (records.words != 0).sum(axis=1).tolist() == [5, 0]
    assert records.number.tolist() == [2, 0]


def test_threefive_longest_sentence_in_common_is_enough():
    one = story(LONGEST, SECOND, THIRD, *SHORT[:2])
    other = story(LONGEST, SECOND, "Purple butterflies followed modern caravans", *SHORT[:2])
    assert three_five(one, other)
    only = story(LONGEST, "Nineteen hippopotamuses devoured parasols yesterday evening", THIRD)
    assert three_five(story(LONGEST, SECOND, THIRD), only)


def test_threefive_two_of_three_need_more_than_five_sentences():
    changed = LONGEST.replace("carry", "bring")
    six = [SECOND, THIRD, *SHORT]
    assert three_five(story(LONGEST, *six), story(changed, *six))
    assert not three_five(story(LONGEST, *six[:4]), story(changed, *six[:4]))
    assert three_five(story(LONGEST, *six[:4]), story(changed, *six[:4]), "many=4")


def test_threefive_only_compares_documents_of_similar_length():
    base = [LONGEST, SECOND, THIRD, *SHORT]  # 26 words; 29 are within 1.15, 30 are not
    assert three_five(story(*base), story(*base[:-1], "Cats sleep while dogs bark"))
    assert not three_five(story(*base), story(*base[:-1], "Cats sleep while dogs bark loudly"))
    assert three_five(
        story(*base), story(*base[:-1], "Cats sleep while dogs bark loudly"), "ratio=1.2"
    )


def test_threefive_compares_numbers_of_sentences():
    # five sentences and seven of the same words: 7/5 is more than 1.2
    one = story(LONGEST, SECOND, THIRD, "Winds blow rain falls", "Snow melts cats sleep")
    other = story(LONGEST, SECOND, THIRD, *SHORT)
    assert not three_five(one, other)
    assert three_five(one, other, "sentence_ratio=1.4")


def test_threefive_wants_two_of_five_words():
    # the longest sentence has words of six letters at most; all longer words differ
    shared = "Seven brown foxes chase seven black crows along every green river"
    one = story(
        shared, "Extraordinary kaleidoscopes", "Incomprehensible thermodynamics misunderstood"
    )
    other = story(
        shared, "Unconstitutional representations", "Straightforward counterexamples multiplied"
    )
    assert not three_five(one, other)
    assert three_five(one, other, "words=0")
