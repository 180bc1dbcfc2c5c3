"""The addresses of the service."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, StreamingResponse

from twinset._version import VERSION
from twinset.index.local import LocalWork
from twinset.service.access import Access
from twinset.service.bodies import (
    RequestError,
    add_request,
    compare_request,
    query_request,
    remove_request,
)
from twinset.service.desk import Desk, as_json
from twinset.service.front import Front
from twinset.service.logs import places_of, write_line
from twinset.service.metrics import KIND, Metrics
from twinset.service.schemas import ABOUT, COMPONENTS, ROUTES
from twinset.service.settings import ServiceSettings

Parsed = TypeVar("Parsed")
LARGE = 1 << 17
"""Bytes of a body from which it is parsed in a thread, so that others are answered meanwhile."""
OFTEN = 1.0
"""Seconds between two looks at the keys."""


class Api:
    """One method for each address, of the name in ``schemas.ROUTES``."""

    def __init__(self, desk: Desk, access: Access, metrics: Metrics) -> None:
        self.desk, self.access, self.metrics = desk, access, metrics

    async def post_documents(self, request: Request) -> Response:
        """Add documents."""
        self._check_writing(request)
        asked = await self._parsed(request, add_request)
        added = await self.desk.add(asked)
        self._count(request, "added", added.added + added.replaced)
        return _json(added.as_dict())

    async def post_query(self, request: Request) -> Response:
        """Ask about documents."""
        asked = await self._parsed(request, query_request)
        answer = await self.desk.query(asked)
        self._count(request, "queried", len(asked.texts))
        return Response(answer, media_type="application/json")

    async def post_compare(self, request: Request) -> Response:
        """Compare two texts."""
        texts = await _off_loop(compare_request, await self._body(request))
        return Response(await self.desk.compare(texts), media_type="application/json")

    async def post_remove(self, request: Request) -> Response:
        """Take documents out."""
        self._check_writing(request)
        ids = remove_request(await self._body(request), self.desk.settings.most_documents)
        removed = await self.desk.remove(ids)
        self._count(request, "removed", removed)
        return _json({"removed": removed})

    async def get_documents(self, request: Request) -> Response:
        """All documents, a line each."""
        return StreamingResponse(self.desk.documents(), media_type="application/x-ndjson")

    async def get_document(self, request: Request) -> Response:
        """One document."""
        return _json(await self.desk.document(request.path_params["id"]))

    async def delete_document(self, request: Request) -> Response:
        """Take one document out."""
        self._check_writing(request)
        removed = await self.desk.remove([request.path_params["id"]])
        if not removed:
            raise RequestError(404, "the index has no document of this id")
        self._count(request, "removed", removed)
        return _json({"removed": removed})

    async def get_info(self, request: Request) -> Response:
        """What the index is made by, counts and bounds."""
        facts = await self.desk.aside(self.desk.work.info)
        del facts["index"]  # where it lies is nobody's business
        settings = self.desk.settings
        bounds = {"documents": settings.most_documents, "bytes": settings.most_bytes}
        return _json({"twinset": VERSION, "limits": bounds} | facts)

    async def get_health(self, request: Request) -> Response:
        """Whether the process answers."""
        return _json({"status": "ok"})

    async def get_ready(self, request: Request) -> Response:
        """Whether the index can be read."""
        await asyncio.wait_for(self.desk.aside(self._look), self.desk.settings.timeout)
        return _json({"status": "ready"})

    def _look(self) -> None:
        with self.desk.work.store.view():
            pass

    async def get_metrics(self, request: Request) -> Response:
        """Figures for Prometheus."""
        facts = await self.desk.aside(self.desk.work.store.info)
        text = self.metrics.text(facts["documents"], self.desk.waiting)
        return Response(text, media_type=KIND)

    async def get_page(self, request: Request) -> Response:
        """The addresses, for people."""
        from twinset.pages.engine import page

        html = page("service/api.html", "en", api=request.app.openapi())
        policy = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'"}
        return HTMLResponse(html, headers=policy)

    def _check_writing(self, request: Request) -> None:
        if not request.scope.get("twinset.may_write"):
            raise RequestError(403, "this key may read only, and this needs one of role write")

    def _count(self, request: Request, work: str, count: int) -> None:
        self.metrics.count_documents(work, count)
        request.scope["twinset.facts"]["documents"] = count

    async def _parsed(self, request: Request, parse: Callable[..., Parsed]) -> Parsed:
        body = await self._body(request)
        most = self.desk.settings.most_documents
        return await _off_loop(parse, body, request.query_params, most)

    async def _body(self, request: Request) -> bytes:
        """The whole body, which must be here in time."""
        with _Deadline(self.desk.settings.timeout):
            parts = []
            while True:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    raise RequestError(400, "the request was cut short")
                parts.append(message.get("body", b""))
                if not message.get("more_body"):
                    return b"".join(parts)


class _Deadline:
    """Ends what waits inside after some seconds; `asyncio.wait_for` would begin a task for it."""

    def __init__(self, seconds: float) -> None:
        self._task, self._over = asyncio.current_task(), False
        self._timer = asyncio.get_running_loop().call_later(seconds, self._end)

    def _end(self) -> None:
        if self._task is not None:
            self._over = self._task.cancel()

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._timer.cancel()
        if self._over and kind is asyncio.CancelledError:
            if self._task is not None and hasattr(self._task, "uncancel"):  # from Python 3.11 on
                self._task.uncancel()
            raise RequestError(408, "the request did not arrive in time") from None


async def _off_loop(parse: Callable[..., Parsed], body: bytes, *arguments: Any) -> Parsed:
    if len(body) < LARGE:
        return parse(body, *arguments)
    return await asyncio.to_thread(parse, body, *arguments)


def _json(value: Any) -> Response:
    return Response(as_json(value), media_type="application/json")


def create_app(work: LocalWork, settings: ServiceSettings, figures: Path | None = None) -> FastAPI:
    """The service as an ASGI app; ``figures`` is a folder that several processes share."""
    needs_keys = not (settings.is_local or settings.is_open)
    access = Access(work.store.roles(), needs_keys)
    metrics = Metrics(figures)
    desk = Desk(work, settings)
    api = Api(desk, access, metrics)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await asyncio.to_thread(desk.warm_up)
        keeper = asyncio.create_task(_keep(api))
        yield
        keeper.cancel()
        with suppress(asyncio.CancelledError):
            await keeper
        await asyncio.to_thread(desk.close)
        metrics.share({})

    app = FastAPI(
        title="twinset",
        version=VERSION,
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    for path, method, name, facts in ROUTES:
        app.add_api_route(
            path, getattr(api, name), methods=[method], response_model=None, name=name, **facts
        )
    app.openapi()["components"] = COMPONENTS
    app.add_exception_handler(HTTPException, _raise)
    front: Any = partial(Front, settings=settings, access=access, metrics=metrics)
    app.add_middleware(front)
    app.state.api = api
    return app


async def _raise(request: Request, fault: Exception) -> Response:
    """Leave it to the front, which has the sentences."""
    raise fault


async def _keep(api: Api) -> None:
    """Look at the keys, and share figures, again and again."""
    read: Callable[[], Awaitable[dict[str, tuple[str, str]]]]
    read = partial(api.desk.aside, api.desk.work.store.roles)
    while True:
        await asyncio.sleep(OFTEN)
        try:
            api.access.update(await read())
        except Exception as fault:
            write_line("error", "keys", fault=type(fault).__name__, places=places_of(fault))
        api.metrics.share(api.desk.waiting)
