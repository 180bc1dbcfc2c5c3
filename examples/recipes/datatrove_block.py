"""datatrove: a block of a pipeline that drops near-duplicates from the stream of documents."""

from collections.abc import Iterator

from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.readers import ParquetReader
from datatrove.pipeline.writers import ParquetWriter

import twinset


class DropNearDuplicates(PipelineStep):
    """Holds the documents of its task until the last one was read; then lets the kept ones go."""

    type, name = "🫂 - DEDUP", "twinset"

    def __init__(self, **options: object) -> None:
        super().__init__()
        self.options = options

    def run(
        self, data: Iterator[Document], rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        """The documents that stay, in their order."""
        documents = list(data)
        with self.track_time():
            mask = twinset.dedup([document.text for document in documents], **self.options).mask
        for document, stays in zip(documents, mask, strict=True):
            self.stat_update("kept" if stays else "removed")
            if stays:
                self.update_doc_stats(document)
                yield document


if __name__ == "__main__":
    LocalPipelineExecutor(
        pipeline=[
            ParquetReader("pages", text_key="body", id_key="url"),
            DropNearDuplicates(threshold=0.8),
            ParquetWriter("clean"),
        ],
        tasks=1,  # a task sees its own documents only, so one task sees all copies
        logging_dir="logs",
    ).run()
