"""Targets of every reader: none may crash, hang or hand on what is not UTF-8."""

from __future__ import annotations

import io
import tempfile
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzz.mutation import Target
from tests.reading.compounds import compound, outlook
from tests.reading.documents.make_samples import SAMPLES
from tests.reading.helpers import outcomes, split
from tests.reading.samples import DOCS, FORMATS, PACKERS
from tests.reading.test_office import docx, paragraph, pdf
from twinset.documents.base import FORMATS as FORMATS_OF_DOCUMENTS
from twinset.documents.base import NOTATIONS
from twinset.errors import PlanError
from twinset.plan import OutputForm, ReadOptions
from twinset.plan import spec as parts
from twinset.reading import open_inputs
from twinset.text.clean import html_to_text, strip_tags
from twinset.text.encoding import decode
from twinset.writing import write_documents

LIMIT = 1 << 16
ANNOTATED = OutputForm(annotate=True, shards=2)
NOTABLE = ("jsonl", "csv", "tsv", "parquet")
PACKED = (b"BZ", b"\x1f\x8b", b"\x28\xb5", b"\xfd7")


def read_bytes(suffix: str, data: bytes) -> None:
    """Reads the bytes as a file of this name, twice with other batches, and writes them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{suffix}"
        path.write_bytes(data)
        options = ReadOptions(max_document_bytes=LIMIT, order="n")
        # Two kilobytes may unpack to nine megabytes, of which few bytes at a time take a minute.
        sizes = (997 if data[:2] in PACKED else len(data) % 97 + 1, LIMIT)
        try:
            texts = [_texts(path, options, size) for size in sizes]
        except PlanError:  # no row has the field: that is said, and the rest is still to be tried
            options = ReadOptions(max_document_bytes=LIMIT)
            texts = [_texts(path, options, size) for size in sizes]
        assert texts[0] == texts[1], "the batch size changed the documents"
        keep = np.arange(len(texts[0])) % 2 == 0
        inputs = open_inputs([path], options)
        split(inputs, keep, Path(folder))
        if (reader := inputs.sources[0].reader) in NOTABLE:
            written = write_documents(inputs, outcomes(keep), Path(folder) / "out", ANNOTATED)
            annotated = written.routes["annotated"]
            # A Parquet file that cannot be opened has no columns to write.
            assert annotated.files == 2 or reader == "parquet"
            assert annotated.documents <= len(keep)


def _texts(path: Path, options: ReadOptions, batch_bytes: int) -> list[str | None]:
    texts: list[str | None] = []
    for batch in open_inputs([path], options, batch_bytes=batch_bytes).batches():
        batch.ids.validate(full=True)
        batch.texts.validate(full=True)
        assert len(batch.ids) == len(batch.texts) == len(batch.places)
        texts += batch.texts.to_pylist()
    return texts


def read_in_folder(suffix: str, data: bytes) -> list[str | None]:
    """Reads the bytes as the only file of a folder: there a broken one is a fault, not an error."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"x{suffix}").write_bytes(data)
        return _texts(Path(folder), ReadOptions(max_document_bytes=LIMIT), 1 << 20)


def read_docx_body(data: bytes) -> list[str | None]:
    """The bytes as the text of a sound DOCX file; its packing would hide them behind a checksum."""
    return read_in_folder(".docx", packed({"word/document.xml": data}))


def clean_bytes(data: bytes) -> None:
    """Decodes the bytes and strips mark-up in both ways."""
    text = decode(data, html=True).text
    text.encode("utf-8")
    html_to_text(text).encode("utf-8")
    strip_tags(text).encode("utf-8")


def packed(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP file with these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return out.getvalue()


def seeds(name: str) -> list[bytes]:
    """Well-formed input of a format, plain and packed."""
    if name in FORMATS:
        data = FORMATS[name][1](DOCS)
        plain = [data, parquet_by_others()] if name == "parquet" else [data]
        return [*plain, *(pack(data) for pack in PACKERS.values())]
    return [f"<html><body><p>{text}</body>".encode() for _, text in DOCS]


def parquet_by_others() -> bytes:
    """Without Arrow's own copy of the schema, which would stand in for damaged names."""
    out = io.BytesIO()
    pq.write_table(pa.table({"id": ["a", "b"], "text": ["words", None]}), out, store_schema=False)
    return out.getvalue()


def unnamed_seeds() -> list[bytes]:
    """Some of every format, since the content must tell which it is."""
    return [FORMATS[name][1](DOCS) for name in FORMATS] + seeds("files")


BODY = paragraph("First ", "words") + paragraph("наука &amp; жизнь") + "<w:p><w:tab/></w:p>"


def docx_bodies() -> list[bytes]:
    """The mark-up inside a DOCX file."""
    with zipfile.ZipFile(io.BytesIO(docx(BODY))) as file:
        return [file.read("word/document.xml")]


# Every other format of documents, by a suffix of it; the sample of PPT is too large.
DOCUMENTS = {
    name: format.suffixes[0]
    for name, format in {**FORMATS_OF_DOCUMENTS, **NOTATIONS}.items()
    if format.suffixes and name not in ("docx", "pdf", "ppt")
}


def documents(suffix: str) -> list[bytes]:
    """The samples with this suffix, or a text where there is none."""
    paths = sorted(SAMPLES.glob(f"*{suffix}")) or sorted(SAMPLES.glob("*.txt"))
    return [path.read_bytes() for path in paths if path.stat().st_size < LIMIT]


def read_mailbox(raw: bytes) -> list[str | None]:
    """The texts of its letters; the mailbox itself has none."""
    return read_in_folder(".mbox", raw)[1:]


def mails(suffix: str) -> list[bytes]:
    """A letter with an attachment and an attached letter."""
    if suffix == ".msg":
        inner = outlook("Offer", "words", {"n.txt": b"a note"}, header=24)
        return [compound(outlook("Rent", "words", {"a.docx": docx(BODY), "b": inner}))]
    letter = (
        b"From: a@example.org\nSubject: =?utf-8?B?0JTQvtCz0L7QstC+0YA=?=\nMIME-Version: 1.0\n"
        b'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: multipart/alternative;'
        b" boundary=c\n\n--c\nContent-Transfer-Encoding: quoted-printable\n\nw=6Frds\n--c\n"
        b"Content-Type: text/html; charset=koi8-r\n\n<p>words</p>\n--c--\n--b\nContent-Type: "
        b'text/plain; name="n.txt"\nContent-Transfer-Encoding: base64\n\nd29yZHM=\n--b\n'
        b"Content-Type: message/rfc822\n\nSubject: inner\n\nwords\n--b--\n"
    )
    line = b"From a@example.org Mon Jan  1 00:00:00 2024\n"
    return [letter] if suffix == ".eml" else [line + letter + b"\n" + line + letter]


TARGETS = [
    *(
        Target(
            name,
            partial(read_bytes, parts.load("reader", name).suffixes[0]),
            partial(seeds, name),
        )
        for name in parts.names("reader")
    ),
    Target("unnamed", partial(read_bytes, ""), unnamed_seeds),
    Target("docx", partial(read_in_folder, ".docx"), lambda: [docx(BODY), docx("")]),
    Target("docx-body", read_docx_body, docx_bodies),
    Target("pdf", partial(read_in_folder, ".pdf"), lambda: [pdf("Printed words"), pdf("")]),
    Target("eml", partial(read_in_folder, ".eml"), partial(mails, ".eml")),
    Target("mbox", read_mailbox, partial(mails, ".mbox")),
    Target("msg", partial(read_in_folder, ".msg"), partial(mails, ".msg")),
    *(
        Target(name, partial(read_in_folder, suffix), partial(documents, suffix))
        for name, suffix in DOCUMENTS.items()
    ),
    Target("clean", clean_bytes, partial(seeds, "clean")),
]
