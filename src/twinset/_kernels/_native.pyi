"""Types of the compiled kernels; one section a bind_*.cpp."""

import numpy as np
from numpy.typing import NDArray

_Bytes = NDArray[np.uint8]
_Ints = NDArray[np.int64]
_Hashes = NDArray[np.uint64]

# bind_text.cpp: texts are the bytes and the offsets (one more than documents) of an Arrow array.

unicode_version: str

def shingles(
    data: _Bytes, offsets: _Ints, length: int, step: int, by_char: bool, threads: int
) -> tuple[_Hashes, _Ints, _Ints]: ...
def words(
    data: _Bytes, offsets: _Ints, threads: int, plain: bool = False
) -> tuple[_Bytes, _Ints, _Ints]: ...
def sentences(data: _Bytes, offsets: _Ints, threads: int) -> tuple[_Ints, _Ints]: ...
def paragraphs(data: _Bytes, offsets: _Ints, threads: int) -> tuple[_Ints, _Ints]: ...
def valid_utf8(data: _Bytes, offsets: _Ints, threads: int) -> _Bytes: ...
def heads(data: _Bytes, offsets: _Ints, width: int) -> NDArray[np.uint8]: ...
def sorted_unique(values: _Hashes) -> _Hashes: ...
