"""Types of the compiled kernels; one section a bind_*.cpp."""

from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray
from typing_extensions import NotRequired

_Bytes = NDArray[np.uint8]
_Ints = NDArray[np.int64]
_Hashes = NDArray[np.uint64]
_Counts = NDArray[np.uint16]

# bind_stop.cpp

class StopFlag:
    """Ends the kernels of the threads that are inside its ``with`` block, with `Stopped`."""

    def __init__(self) -> None: ...
    def set(self) -> None: ...
    def is_set(self) -> bool: ...
    def __enter__(self) -> StopFlag: ...
    def __exit__(self, *exception: object) -> None: ...

# bind_cpu.cpp: the vector instructions in use, by name (plain, sse2, neon, avx2, avx512).

def instructions() -> str: ...
def instructions_here() -> list[str]: ...
def use_instructions(name: str) -> None: ...

# bind_text.cpp: texts are the bytes and the offsets (one more than documents) of an Arrow array.

unicode_version: str

def shingles(
    data: _Bytes, offsets: _Ints, length: int, step: int, unit: int, threads: int
) -> tuple[_Hashes, _Ints, _Ints]: ...
def words(
    data: _Bytes, offsets: _Ints, threads: int, plain: bool = False
) -> tuple[_Bytes, _Ints, _Ints]: ...
def sentences(data: _Bytes, offsets: _Ints, threads: int) -> tuple[_Ints, _Ints]: ...
def paragraphs(data: _Bytes, offsets: _Ints, threads: int) -> tuple[_Ints, _Ints]: ...
def split_texts(
    data: _Bytes, offsets: _Ints, level: int, size: int, threads: int
) -> tuple[_Bytes, _Ints, _Ints, _Ints]: ...
def keyed_paragraphs(
    data: _Bytes, offsets: _Ints, threads: int
) -> tuple[_Hashes, _Ints, _Ints]: ...
def valid_utf8(data: _Bytes, offsets: _Ints, threads: int) -> _Bytes: ...
def may_be_pages(
    data: _Bytes,
    offsets: _Ints,
    head: int,
    least_closed: int,
    least_tags: int,
    most_before: float,
    least_in_tags: float,
    elements: _Bytes,
) -> _Bytes: ...
def heads(data: _Bytes, offsets: _Ints, width: int) -> NDArray[np.uint8]: ...
def sorted_unique(values: _Hashes) -> _Hashes: ...

# bind_sketch.cpp: feature lists are sorted values with offsets; rows of sketches are documents.

def oph(
    values: _Hashes,
    offsets: _Ints,
    size: int,
    seed: int,
    matrix: bool,
    rounds: bool,
    threads: int,
) -> _Hashes: ...
def minwise(
    values: _Hashes, offsets: _Ints, size: int, seed: int, matrix: bool, threads: int
) -> _Hashes: ...
def weighted_minwise(
    values: _Hashes,
    weights: NDArray[np.uint32],
    offsets: _Ints,
    size: int,
    seed: int,
    threads: int,
) -> _Hashes: ...
def bottom(
    values: _Hashes, offsets: _Ints, size: int, seed: int, matrix: bool, threads: int
) -> tuple[_Hashes, _Ints]: ...
def mod(
    values: _Hashes, offsets: _Ints, size: int, seed: int, matrix: bool, threads: int
) -> tuple[_Hashes, _Ints]: ...
def logarithmic(
    values: _Hashes, offsets: _Ints, seed: int, matrix: bool, threads: int
) -> tuple[_Hashes, _Ints]: ...
def band_keys(sketches: _Hashes, bands: int, rows: int) -> _Hashes: ...

# bind_pairs.cpp: documents are their numbers in reading order.

_Numbers = NDArray[np.uint32]

class FeatureBlock:
    def __len__(self) -> int: ...

class FeatureStore:
    def __init__(self, memory: int, folder: str) -> None: ...
    def __len__(self) -> int: ...
    def prepare(self, values: _Hashes, offsets: _Ints, threads: int) -> FeatureBlock: ...
    def add(self, block: FeatureBlock) -> None: ...
    def append(self, values: _Hashes, offsets: _Ints, threads: int) -> None: ...
    def settle(self, memory: int) -> None: ...
    def release(self) -> None: ...
    def features(self, document: int) -> _Hashes: ...
    def shared(self, left: _Numbers, right: _Numbers, threads: int) -> _Ints: ...
    @property
    def sizes(self) -> NDArray[Any]: ...
    @property
    def classes(self) -> _Ints: ...
    @property
    def spilled_bytes(self) -> int: ...

class KeyBlock:
    def __init__(self, keys: _Hashes) -> None: ...
    def __getstate__(self) -> tuple[_Hashes, _Numbers]: ...
    def __setstate__(self, rows: tuple[_Hashes, _Numbers]) -> None: ...

class Grouper:
    def __init__(self, memory: int, folder: str) -> None: ...
    def add(self, block: KeyBlock, first: int, threads: int) -> None: ...
    def add_prefixes(
        self,
        store: FeatureStore,
        documents: _Numbers,
        measure: int,
        threshold: float,
        counters: int,
        counts: _Counts,
        memory: int,
        folder: str,
        prune: bool,
        threads: int,
    ) -> _Numbers: ...
    def finish(self, use: _Bytes, distinct: bool, threads: int) -> tuple[_Ints, _Numbers]: ...
    @property
    def spilled_bytes(self) -> int: ...

def prefix_keys(
    values: _Hashes,
    offsets: _Ints,
    counts: _Counts,
    measure: int,
    threshold: float,
    threads: int,
) -> tuple[_Hashes, _Ints]: ...
def verified_pairs(
    store: FeatureStore,
    order: _Numbers,
    kept: _Bytes,
    positions: _Hashes,
    alone: _Numbers,
    group_offsets: _Ints,
    group_documents: _Numbers,
    measure: int,
    threshold: float,
    dense: int,
    crowd: int,
    memory: int,
    threads: int,
) -> tuple[_Numbers, _Numbers, _Ints, int, int, int]: ...
def give_back_memory() -> None: ...
def keep_arrays_apart(bytes: int) -> None: ...
def needed_overlap(a: _Ints, b: _Ints, measure: int, threshold: float) -> _Ints: ...

# bind_graph.cpp: vertices are slots, in order of preference.

def anchored_edges(
    kept: _Bytes, a: _Numbers, b: _Numbers, score: NDArray[np.float64], threads: int
) -> _Ints: ...
def component_roots(n: int, a: _Numbers, b: _Numbers) -> _Ints: ...
def maximal_cliques(
    n: int, a: _Numbers, b: _Numbers, limit: int, work: int
) -> tuple[_Ints, _Numbers, bool]: ...

# bind_words.cpp: items are slices [start, stop) of bytes; offsets are documents'.

def tokens(
    data: _Bytes,
    offsets: _Ints,
    least_letters: int,
    stop: _Hashes,
    keep_stopped: bool,
    sentences: bool,
    threads: int,
) -> tuple[_Bytes, _Ints, _Hashes, NDArray[np.int32], _Bytes, _Ints, _Ints, _Ints]: ...
def replaced_characters(
    data: _Bytes,
    offsets: _Ints,
    codes: NDArray[np.uint32],
    written: _Bytes,
    ends: _Ints,
    threads: int,
) -> tuple[_Bytes, _Ints]: ...
def written_words(
    bytes: _Bytes,
    ends: _Ints,
    numbers: _Ints,
    offsets: _Ints,
    sentence_first: _Ints,
    sentence_offsets: _Ints,
    threads: int,
) -> tuple[_Bytes, _Ints]: ...
def distinct(
    values: _Hashes, offsets: _Ints, entries: bool, threads: int
) -> tuple[_Ints, NDArray[np.int32], _Ints, _Ints]: ...
def heaviest(
    bytes: _Bytes,
    starts: _Ints,
    stops: _Ints,
    offsets: _Ints,
    weights: NDArray[np.float64],
    ties: _Hashes,
    most: int,
    threads: int,
) -> tuple[_Ints, _Ints]: ...
def joined_keys(
    bytes: _Bytes, starts: _Ints, stops: _Ints, chosen: _Ints, offsets: _Ints, crc: bool
) -> _Hashes: ...
def slice_hashes(bytes: _Bytes, starts: _Ints, stops: _Ints, threads: int) -> _Hashes: ...

class WordCounts:
    def __init__(self) -> None: ...
    def add(
        self,
        bytes: _Bytes,
        starts: _Ints,
        stops: _Ints,
        hashes: _Hashes,
        times: NDArray[np.int32],
        threads: int,
    ) -> None: ...
    def all(self) -> tuple[_Hashes, _Ints, _Ints, _Bytes, _Ints]: ...

class TermTable:
    def __init__(self) -> None: ...
    def add(self, hashes: _Hashes, threads: int) -> _Numbers: ...
    def all(self) -> tuple[_Hashes, _Numbers]: ...

class HashPlaces:
    def __init__(self, hashes: _Hashes) -> None: ...
    def find(self, hashes: _Hashes, threads: int) -> _Ints: ...

# bind_keys.cpp

def lexicon_keys(
    hashes: _Hashes,
    offsets: _Ints,
    inside: _Bytes,
    lexica: int,
    share: float,
    seed: int,
    least: int,
    threads: int,
) -> tuple[_Hashes, _Ints]: ...
def list_keys(
    hashes: _Hashes, offsets: _Ints, lists: int, seed: int, least: int, threads: int
) -> tuple[_Hashes, _Ints]: ...
def logarithmic_keys(values: _Hashes, offsets: _Ints, threads: int) -> tuple[_Hashes, _Ints]: ...
def unit_shingles(
    units: _Hashes, offsets: _Ints, length: int, wrap: bool, unique: bool, threads: int
) -> tuple[_Hashes, _Ints]: ...
def characters(bytes: _Bytes, offsets: _Ints, threads: int) -> tuple[_Hashes, _Ints]: ...
def spot_signatures(
    hashes: _Hashes,
    antecedent: _Bytes,
    stopped: _Bytes,
    offsets: _Ints,
    chain: int,
    distance: int,
    threads: int,
) -> tuple[_Hashes, _Ints]: ...
def simhashes(
    features: _Hashes, offsets: _Ints, weights: NDArray[np.int32], threads: int
) -> _Hashes: ...
def text_digests(data: _Bytes, offsets: _Ints, threads: int) -> _Hashes: ...

# bind_near.cpp

def hamming_pairs(
    fingerprints: _Hashes, distance: int, threads: int
) -> tuple[_Numbers, _Numbers, _Ints]: ...
def add_features(
    grouper: Grouper, store: FeatureStore, documents: _Numbers, sample: int
) -> None: ...
def sharing(
    store: FeatureStore, left: _Numbers, right: _Numbers, part: float, threads: int
) -> _Bytes: ...
def chains(
    offsets: _Ints, documents: _Numbers, lengths: _Ints, ratio: float
) -> tuple[_Ints, _Numbers]: ...
def chain_pairs(
    offsets: _Ints, documents: _Numbers, lengths: _Ints, ratio: float
) -> tuple[_Numbers, _Numbers]: ...
def cosine_pairs(
    features: _Numbers,
    weights: NDArray[np.float64],
    offsets: _Ints,
    dimensions: int,
    threshold: float,
    rarity: _Numbers,
    sums: NDArray[np.uint64],
    eligible: _Bytes,
    share: float,
    kept: _Bytes,
    dense: int,
    threads: int,
) -> tuple[_Numbers, _Numbers, NDArray[np.float64], NDArray[np.float64], int, int, int]: ...
def tfidf_pairs(
    terms: _Numbers,
    tf: NDArray[np.int32],
    offsets: _Ints,
    documents: _Numbers,
    by_tf: NDArray[np.float64],
    names: _Hashes,
    idf: NDArray[np.float64],
    rarity: _Numbers,
    df: _Numbers,
    threshold: float,
    eligible: _Bytes,
    share: float,
    kept: _Bytes,
    dense: int,
    threads: int,
) -> tuple[_Numbers, _Numbers, NDArray[np.float64], NDArray[np.float64], int, int, int]: ...
def inverted_pairs(
    terms: _Numbers,
    weights: NDArray[np.float64],
    offsets: _Ints,
    dimensions: int,
    formula: int,
    least: float,
    threads: int,
) -> tuple[_Numbers, _Numbers, NDArray[np.float64]]: ...
def overlaps(
    features: _Hashes,
    weights: NDArray[np.float64],
    offsets: _Ints,
    left: _Numbers,
    right: _Numbers,
    threads: int,
) -> tuple[_Ints, NDArray[np.float64], NDArray[np.float64]]: ...

# bind_signals.cpp: terms are ascending lists with offsets; pairs are numbers of documents.

def counted_runs(
    units: _Hashes, offsets: _Ints, length: int, places: bool, threads: int
) -> tuple[_Hashes, NDArray[np.uint16], _Ints, _Numbers]: ...  # terms, tf, offsets, places
def counted_folded(
    bytes: _Bytes, offsets: _Ints, length: int, most: int, threads: int
) -> tuple[_Hashes, NDArray[np.uint16], _Ints, _Numbers]: ...
def folded_text(bytes: _Bytes, offsets: _Ints, threads: int) -> tuple[_Bytes, _Ints]: ...
def numbered_terms(terms: _Hashes, offsets: _Ints, threads: int) -> tuple[_Numbers, _Ints]: ...
def scaled_weights(
    numbers: _Numbers,
    tf: NDArray[np.uint16],
    offsets: _Ints,
    by_number: NDArray[np.float64],
    alone: float,
    by_tf: NDArray[np.float64],
    scale: float,
    threads: int,
) -> NDArray[np.int32]: ...
def shared_terms(
    terms: _Numbers,
    weights: NDArray[np.int32],
    offsets: _Ints,
    dimensions: int,
    left: _Numbers,
    right: _Numbers,
    threads: int,
) -> tuple[_Ints, _Ints, _Ints]: ...
def covered_words(
    terms: _Numbers,
    offsets: _Ints,
    dimensions: int,
    places: _Numbers,
    place_offsets: _Ints,
    words: _Ints,
    length: int,
    left: _Numbers,
    right: _Numbers,
    threads: int,
) -> _Ints: ...
def common_subsequences(
    numbers: _Numbers,
    offsets: _Ints,
    dimensions: int,
    left: _Numbers,
    right: _Numbers,
    threads: int,
) -> _Ints: ...
def nearest_neighbours(
    terms: _Numbers,
    weights: NDArray[np.uint16],
    offsets: _Ints,
    sizes: _Ints,
    dimensions: int,
    least: int,
    most: int,
    above: float,
    threads: int,
) -> tuple[_Numbers, NDArray[np.float64], _Ints]: ...

# bind_closed.cpp: feature lists as above; `least` is what a set with that document has to share.

_Int32s = NDArray[np.int32]

def closed_sets(
    values: _Hashes,
    offsets: _Ints,
    least: _Int32s,
    maximal: bool,
    max_sets: int,
    max_work: int,
    max_members: int,
    pair_cover: bool,
    threads: int,
) -> tuple[
    _Ints,  # offsets of the sets
    _Int32s,  # members
    _Int32s,  # support
    _Int32s,  # component of each set
    _Bytes,  # in the cover
    _Ints,  # documents of each component
    _Ints,  # its classes
    _Ints,  # its sets
    _Ints,  # its work
    _Bytes,  # truncated
    _Int32s,  # component of each document
    int,  # documents with too few features
    int,  # classes not compared with all candidates
]: ...
def worst_pairs(
    values: _Hashes,
    offsets: _Ints,
    least: _Int32s,
    members: _Int32s,
    group_offsets: _Ints,
    threads: int,
) -> tuple[_Int32s, _Int32s, _Ints, _Ints, _Bytes]: ...

class InvertedLines:
    """For each feature, ascending, a line of its documents' numbers, a range at a time."""

    def __init__(
        self, values: _Hashes, offsets: _Ints, numbers: _Ints, least: int, slice: int
    ) -> None: ...
    def next(self) -> _Bytes | None: ...

# bind_mine.cpp: lines of items as offsets and items, ascending; sets as offsets, items, supports.

_MinedArrays = tuple[_Ints, _Int32s, _Int32s, int]  # the last is the number of steps

def mine_fpmax(
    offsets: _Ints, items: _Int32s, n_items: int, support: int, maximal: bool, prune: bool
) -> _MinedArrays: ...
def mine_lcm(
    offsets: _Ints, items: _Int32s, n_items: int, support: int, maximal: bool, prune: bool
) -> _MinedArrays: ...
def read_fimi_lines(
    text: _Bytes,
) -> tuple[
    _Ints,  # offsets of the lines
    _Int32s,  # items
    _Ints,  # labels
    int,  # blank lines
    int,  # numbers repeated in a line
    int,  # the first line with one, from 1
    tuple[int, int, int, int],  # fault: kind (0 none, 1 no number, 2 too large), line, begin, end
]: ...
def write_fimi_lines(offsets: _Ints, items: _Int32s, labels: _Ints, last: _Int32s) -> _Bytes: ...
def transpose_lines(offsets: _Ints, items: _Int32s, n_items: int) -> tuple[_Ints, _Hashes]: ...
def closed_items(offsets: _Ints, items: _Int32s, n_items: int) -> _Bytes: ...
def sort_sets(offsets: _Ints, items: _Int32s, supports: _Int32s, least: int) -> _MinedArrays: ...
def mine_afopt(
    offsets: _Ints, items: _Int32s, n_items: int, support: int, maximal: bool, prune: bool
) -> _MinedArrays: ...
def mine_mafia(
    offsets: _Ints, items: _Int32s, n_items: int, support: int, maximal: bool, prune: bool
) -> _MinedArrays: ...
def mine_addintent(
    offsets: _Ints, items: _Int32s, n_items: int, support: int, maximal: bool, prune: bool
) -> _MinedArrays: ...

# bind_mine_text.cpp

class FimiSets:
    """Sets of labelled items, sorted; the text has a line per set, from ``first`` to ``last``."""

    def __len__(self) -> int: ...
    def text(self, first: int, last: int) -> bytes: ...

class FimiText:
    """The lines of a FIMI file; without flaws if all are numbers, none blank or repeated."""

    def __init__(self, text: bytes) -> None: ...
    @property
    def flawless(self) -> bool: ...
    @property
    def lines(self) -> int: ...
    def frequent(self, support: int) -> tuple[int, int]: ...  # items, and the sum of their lines
    def mine(self, algorithm: str, support: int, maximal: bool, least_items: int) -> FimiSets: ...

# bind_csv.cpp: a block is bytes that begin where a record begins.

class _Records(TypedDict):
    begin: _Ints
    end: _Ints
    line: _Ints  # one more than records: the last is the number of lines
    fields: _Ints
    closed: _Bytes

class _Column(TypedDict):
    state: _Bytes  # 0: missing, 1: present, 2: present but not UTF-8
    offsets: _Ints
    bytes: _Bytes

def csv_rows(
    block: _Bytes, delimiter: int, wanted: _Ints, threads: int
) -> tuple[_Records, list[_Column]]: ...
def csv_last_end(block: _Bytes, delimiter: int) -> int: ...

# bind_tables.cpp: after the pass.

def repeated_texts(data: _Bytes, offsets: _Ints, threads: int) -> tuple[_Numbers, _Numbers]: ...
def listed_pairs(
    left: _Numbers, right: _Numbers, first: _Numbers, second: _Numbers, threads: int
) -> _Ints: ...
def sorted_order(first: _Numbers, second: _Numbers, threads: int) -> _Numbers: ...

# bind_index.cpp: keys in rising order, with the documents that have them.

def sorted_keys(keys: _Hashes, numbers: _Numbers, threads: int) -> tuple[_Hashes, _Numbers]: ...
def key_directory(keys: _Hashes, bits: int) -> _Numbers: ...

class KeySearch:
    """Sorted keys of several files, looked up together."""

    def __init__(self) -> None: ...
    def add(self, keys: _Hashes, numbers: _Numbers, directory: _Numbers, bits: int) -> None: ...
    def find(
        self, wanted: _Hashes, offsets: _Ints, gone: _Bytes, dense: int, few: int
    ) -> tuple[_Ints, _Numbers, _Numbers, _Ints]: ...

def matches_between(
    first: _Hashes,
    first_offsets: _Ints,
    second: _Hashes,
    second_offsets: _Ints,
    left: _Ints,
    right: _Ints,
    measure: int,
    threshold: float,
    threads: int,
) -> tuple[_Ints, _Ints, NDArray[np.float64], _Ints, _Ints]: ...

# bind_jsonl.cpp: a block is bytes that begin where a line begins.

class _Rows(TypedDict):
    begin: _Ints
    end: _Ints
    line: _Ints
    lines: int
    odd: _Bytes
    texts: NotRequired[_Bytes]  # unless they are in the room
    text_offsets: _Ints
    ids: _Bytes
    id_offsets: _Ints
    has_id: _Bytes
    order: NDArray[np.float64]

def jsonl_rows(
    block: _Bytes, id: str, text: str, order: str, threads: int, room: _Bytes | None = None
) -> _Rows: ...
def line_ends(block: _Bytes, threads: int) -> _Ints: ...
def line_count(block: _Bytes) -> int: ...
def blank_lines(block: _Bytes, ends: _Ints) -> _Bytes: ...
def spliced(
    block: _Bytes,
    begins: _Ints,
    ends: _Ints,
    tails: _Bytes,
    tail_offsets: _Ints,
    tail_of: _Ints,
    out: _Bytes,
) -> int: ...
def plain_files(
    names: _Bytes, room: int, limit: int, marks: _Bytes, head: int, least_closed: int
) -> tuple[_Bytes, _Ints, _Bytes, _Hashes, NDArray[np.uint8]]: ...

class Digest:
    """A 64-bit digest of bytes as they stream by; not cryptographic."""

    def __init__(self) -> None: ...
    def update(self, bytes: _Bytes) -> None: ...
    def value(self) -> int: ...
    def state(self) -> _Bytes: ...
    @staticmethod
    def of_state(state: _Bytes) -> Digest: ...

# bind_spans.cpp

GRAM_PARTS: int

class GramSamples:
    """Samples of N-grams, of which equal ones have equal samples."""

    def __init__(self, most_bytes: int, folder: str) -> None: ...
    def finish(self, threads: int) -> None: ...
    def runs(
        self,
        data: _Bytes,
        offsets: _Ints,
        unit: int,
        least: int,
        sample: int,
        candidates: _Ints,
        facts: _Numbers,
    ) -> tuple[_Hashes, _Numbers, _Ints, _Ints, _Ints, _Ints, _Ints, _Ints]: ...
    @property
    def count(self) -> int: ...

class GramCounts:
    """Counts of N-grams, as many parts as fit; of repeated samples alone, if these are known."""

    def __init__(self, samples: GramSamples, first: int, most_bytes: int, folder: str) -> None: ...
    def count(
        self, data: _Bytes, offsets: _Ints, unit: int, least: int, sample: int
    ) -> tuple[_Ints, _Ints, _Hashes]: ...
    def finish(self, threads: int) -> None: ...
    def facts(self, marks: _Hashes) -> _Numbers: ...
    def runs(
        self,
        data: _Bytes,
        offsets: _Ints,
        unit: int,
        least: int,
        sample: int,
        marks_of: _Ints,
        marks: _Hashes,
    ) -> tuple[_Hashes, _Numbers, _Ints, _Ints, _Ints, _Ints, _Ints, _Ints]: ...
    def word_runs(
        self, least: int, marks_of: _Ints, marks: _Hashes, characters: _Ints, masks: _Hashes
    ) -> tuple[_Hashes, _Numbers, _Ints, _Ints, _Ints, _Ints, _Ints, _Ints]: ...
    @property
    def end(self) -> int: ...

def word_masks(data: _Bytes, offsets: _Ints) -> tuple[_Ints, _Hashes]: ...
def group_runs(key: _Hashes, check: _Numbers) -> tuple[_Ints, _Ints]: ...

# bind_reuse.cpp

class ReuseIndex:
    """Where runs of words stand in the documents of one side."""

    def __init__(
        self, words: _Hashes, offsets: _Ints, seed: int, most: int, threads: int
    ) -> None: ...
    def count(self, words: _Hashes, offsets: _Ints) -> None: ...
    def search(
        self, words: _Hashes, offsets: _Ints, least: int, gap: int
    ) -> tuple[_Ints, _Ints, _Ints, _Ints, _Ints, _Ints, _Ints, _Ints, _Ints, _Ints]: ...
    @property
    def needs_count(self) -> bool: ...
    @property
    def dropped(self) -> int: ...

def word_places(
    data: _Bytes, offsets: _Ints, document: _Ints, word: _Ints
) -> tuple[_Ints, _Ints]: ...
