"""One result: what a command has found, as named tables, a manifest and a page, in a folder."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from twinset._version import VERSION
from twinset.model import spreadsheet
from twinset.pages import engine
from twinset.pages.language import ensure_known
from twinset.result.folder import manifest_text
from twinset.result.places import MANIFEST, ReportPlaces
from twinset.result.staging import staged_places
from twinset.result.tables import write_parquet
from twinset.system.files import fresh_file, write_file
from twinset.system.remote import Place, place_of

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.pages.charts import Figure


def made() -> dict[str, Any]:
    """What every manifest begins with: by which version, and when."""
    now = datetime.datetime.now(datetime.timezone.utc)
    return {"twinset": VERSION, "created": now.isoformat(timespec="seconds")}


class Result:
    """What a command has found.

    A subclass has a ``manifest`` and `tables`; `said` and `values` are what its page shows, by the
    ``TEMPLATE``. A result that ``GOES_ON`` is written again into a folder that holds what it was
    made of, with its tables as CSV, too; any other makes a new folder, whole or not at all.
    """

    TEMPLATE: ClassVar[str]
    PAGE: ClassVar[str] = "report.html"
    GOES_ON: ClassVar[bool] = False
    manifest: Mapping[str, Any]

    @property
    def tables(self) -> Mapping[str, pa.Table]:
        """The tables of the folder, by name."""
        return {}

    def said(self, language: str = "en") -> list[str]:
        """What was found, in sentences, the headline first."""
        raise NotImplementedError

    def grid(self, language: str = "en") -> list[Sequence[str]]:
        """The table that is printed, as texts, its head first."""
        return [()]

    def charts(self, language: str) -> list[Figure]:
        """The charts of the page."""
        return []

    def values(self, language: str, part: bool) -> dict[str, Any]:
        """What the template shows besides; ``part`` is for a notebook."""
        return {}

    def page(self, language: str = "en", part: bool = False) -> str:
        """The whole page, or a part of one for a notebook."""
        (headline, *sentences), (head, *rows) = self.said(language), self.grid(language)
        facts = self.manifest
        return engine.page(
            self.TEMPLATE,
            language,
            layout=f"paper/{'part' if part else 'page'}.html",
            headline=headline,
            sentences=sentences,
            input_names=[str(entry["source"]) for entry in facts.get("inputs", [])],
            made_by=facts["twinset"],
            created=facts.get("created", ""),
            head=head,
            rows=rows,
            figures=self.charts(language),
            **self.values(language, part),
        )

    def save(self, folder: str | Place, force: bool = False, language: str = "en") -> Place:
        """Write the folder; ``force`` replaces an older one."""
        return self._write(folder, force, language)

    def _write(
        self,
        folder: str | Place,
        force: bool,
        language: str,
        also: Callable[[Path, Place], dict[str, Any]] | None = None,
    ) -> Place:
        """Write the folder; ``also`` adds documents first, and says what the manifest has of it."""
        ensure_known(language)
        target = place_of(folder)
        places: AbstractContextManager[ReportPlaces] = nullcontext(
            ReportPlaces(Path(str(target)), target)
        )
        if self.GOES_ON:
            Path(str(target)).mkdir(parents=True, exist_ok=True)
        else:
            inputs = [str(entry["source"]) for entry in self.manifest.get("inputs", [])]
            places = staged_places(target, force, inputs)
        with places as here:
            more = also(here.files, here.documents) if also else {}
            self.fill(here.files, language)
            write_file(here.files / self.PAGE, self.page(language).encode("utf-8", "replace"))
            write_file(here.files / MANIFEST, manifest_text({**self.manifest, **more}))
        return target

    def fill(self, folder: Path, language: str) -> None:
        """Write what stands in the folder beside the page and the manifest."""
        for name, table in self.tables.items():
            with fresh_file(folder / f"{name}.parquet") as draft:
                write_parquet(table, draft)
            if self.GOES_ON:
                with fresh_file(folder / f"{name}.csv") as draft:
                    spreadsheet.write_table(_flat(table), draft)

    def _repr_html_(self) -> str:
        return self.page(part=True)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.said()[0].rstrip('.')})"


def _flat(table: pa.Table) -> pa.Table:
    """Lists as texts with blanks between the items, for CSV has no lists."""
    import pyarrow as pa

    for number, named in enumerate(table.schema):
        if pa.types.is_list(named.type) or pa.types.is_large_list(named.type):
            rows = table.column(number).to_pylist()
            joined = [None if row is None else " ".join(map(str, row)) for row in rows]
            table = table.set_column(number, named.name, pa.array(joined, pa.string()))
    return table
