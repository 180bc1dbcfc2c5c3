"""The addresses of the service."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Sized
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import chain
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, FastAPI, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, StreamingResponse

from twinset._version import VERSION
from twinset.index.local import LocalWork
from twinset.index.work import Added, QueryAnswer
from twinset.service.access import Access
from twinset.service.desk import Desk, as_json
from twinset.service.front import AGAIN, Front
from twinset.service.models import (
    AddParameters,
    AskedText,
    NewDocument,
    QueryParameters,
    Removed,
    RequestError,
    RequestFault,
    ServiceSettings,
    Text,
)
from twinset.service.operation import KIND, Metrics, places_of, write_line

OFTEN = 1.0
"""Seconds between two looks at the keys."""
SEALED = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src"
)
"""What the page may do: ask this service, by its own script."""
ABOUT = (
    "An index of documents, to ask and to add to. Every match carries its exact similarity. "
    'Faults come as {"error": SENTENCE}. 429 and 503 say by Retry-After when to try again.'
)
FAULTS = {
    400: "The request cannot be read.",
    401: "A key is missing, wrong or revoked.",
    403: "The key may read only.",
    404: "There is no such document.",
    408: "The request did not arrive in time.",
    409: "An id is there, or twice in the body, with another text.",
    413: "The request is too large.",
    415: "The body is packed.",
    429: "Too many requests wait; Retry-After says when to try again.",
    503: "There was not enough time, another program writes to the index, or it cannot be reached.",
    507: "The disk of the index is full; nothing was added.",
}
ASKING = (400, 401, 408, 413, 415, 429, 503)
router = APIRouter(redirect_slashes=False)


def _answers(model: Any, *faults: int) -> dict[int | str, dict[str, Any]]:
    """What OpenAPI says of answers."""
    answers: dict[int | str, dict[str, Any]] = {200: {"description": "Done.", "model": model}}
    for status in sorted(faults):
        answers[status] = {"description": FAULTS[status], "model": RequestFault}
    return answers | {"default": {"description": "Any other fault.", "model": RequestFault}}


def _body(example: Any) -> Any:
    return Body(openapi_examples={"usual": {"value": example}})


def _check_writing(request: Request) -> None:
    if not request.scope.get("twinset.may_write"):
        raise RequestError(403, "this key may read only, and this needs one of role write")


WRITING = [Depends(_check_writing)]
DOCUMENTS = _body([{"id": "first", "text": "The text of a document."}])
Id = Annotated[str, Path(description="The id, percent-encoded; slashes may stay.")]


@router.post("/query", responses=_answers(list[QueryAnswer], *ASKING))
async def query(
    request: Request,
    asked: Annotated[list[AskedText], DOCUMENTS],
    options: Annotated[QueryParameters, Query()],
) -> Response:
    """What is near these documents? One that is there matches its copies, not itself."""
    _ensure_few(request, asked)
    answer = await _desk(request).query(asked, options)
    _count(request, "queried", len(asked))
    return Response(answer, media_type="application/json")


@router.post("/documents", responses=_answers(Added, *ASKING, 403, 409, 507), dependencies=WRITING)
async def add_documents(
    request: Request,
    documents: Annotated[list[NewDocument], DOCUMENTS],
    options: Annotated[AddParameters, Query()],
) -> Response:
    """Add documents, all or none; they are safe when this is answered."""
    _ensure_few(request, documents)
    added = await _desk(request).add(documents, options)
    _count(request, "added", added.added + added.replaced)
    return _json(added.as_dict())


@router.get("/documents", responses=_answers(NewDocument, 401, 429))
async def list_documents(request: Request) -> Response:
    """All documents, a line of JSON each."""
    lines = _desk(request).documents()
    first = await asyncio.to_thread(next, lines, b"")  # a fault is said before the answer
    return StreamingResponse(chain([first], lines), media_type="application/x-ndjson")


@router.get("/documents/{id:path}", responses=_answers(NewDocument, 401, 404, 429, 503))
async def get_document(request: Request, id: Id) -> Response:
    """A document."""
    return _json(await _desk(request).document(id))


@router.delete(
    "/documents/{id:path}",
    responses=_answers(Removed, 401, 403, 404, 429, 503),
    dependencies=WRITING,
)
async def remove_document(request: Request, id: Id) -> Response:
    """Remove a document."""
    if not await _desk(request).remove([id]):
        raise RequestError(404, "the index has no document of this id")
    _count(request, "removed", 1)
    return _json({"removed": 1})


@router.post("/remove", responses=_answers(Removed, *ASKING, 403), dependencies=WRITING)
async def remove(request: Request, ids: Annotated[list[Text], _body(["first"])]) -> Response:
    """Remove documents by their ids; how many were there."""
    _ensure_few(request, ids)
    removed = await _desk(request).remove(ids)
    _count(request, "removed", removed)
    return _json({"removed": removed})


@router.get("/info", responses=_answers(dict[str, Any], 401))
async def info(request: Request) -> Response:
    """What the index is made by, counts and bounds."""
    desk = _desk(request)
    facts = await desk.aside(desk.work.info)
    del facts["index"]  # where it lies is nobody's business
    bounds = {"documents": desk.settings.most_documents, "bytes": desk.settings.most_bytes}
    return _json({"twinset": VERSION, "limits": bounds} | facts)


@router.get("/health")
async def health(request: Request) -> Response:
    """Whether the process answers."""
    return _json({"status": "ok"})


@router.get("/ready", responses=_answers(dict[str, str], 503))
async def ready(request: Request) -> Response:
    """Whether the index can be read."""
    desk = _desk(request)
    try:
        await asyncio.wait_for(desk.aside(desk.look), desk.settings.timeout)
    except Exception as fault:
        raise RequestError(503, "the index cannot be read: try again", AGAIN) from fault
    return _json({"status": "ready"})


@router.get("/metrics", responses=_answers(str, 401))
async def metrics(request: Request) -> Response:
    """Figures for Prometheus; needs a key where others do."""
    desk, figures = _desk(request), request.app.state.metrics
    facts = await desk.aside(desk.work.store.info)
    figures.note_waiting(desk.waiting)
    return Response(figures.text(facts["documents"]), media_type=KIND)


@router.get("/", include_in_schema=False)
async def page(request: Request) -> Response:
    """The addresses, for people, and a form that asks one of them."""
    from twinset.pages.engine import page as filled
    from twinset.pages.language import preferred

    state, nonce = request.app.state, secrets.token_urlsafe(16)
    html = filled(
        "service/api.html",
        preferred(request.headers.get("accept-language", "")),
        api=request.app.openapi(),
        address=str(request.base_url),
        needs_keys=state.access.needs_keys,
        nonce=nonce,
    )
    return HTMLResponse(html, headers={"content-security-policy": f"{SEALED} 'nonce-{nonce}'"})


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


def _count(request: Request, work: str, count: int) -> None:
    request.app.state.metrics.count_documents(work, count)
    request.scope["twinset.facts"]["documents"] = count


def _ensure_few(request: Request, documents: Sized) -> None:
    """Refuse more than the service takes at a time."""
    most, given = _desk(request).settings.most_documents, len(documents)
    if given > most:
        raise RequestError(
            413, f"a request may hold {most:,} documents, and this has {given:,}: send parts"
        )


def _json(value: Any) -> Response:
    return Response(as_json(value), media_type="application/json")


def create_app(work: LocalWork, settings: ServiceSettings) -> FastAPI:
    """The service as an ASGI app."""
    needs_keys = not (settings.is_local or settings.is_open)
    access = Access(work.store.roles(), needs_keys)
    metrics = Metrics()
    desk = Desk(work, settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await asyncio.to_thread(desk.warm_up)
        write_line("info", "started")
        keeper = asyncio.create_task(_keep(desk, access, metrics))
        yield
        keeper.cancel()
        with suppress(asyncio.CancelledError):
            await keeper
        await desk.close()
        write_line("info", "ended")

    app = FastAPI(
        title="twinset",
        version=VERSION,
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.include_router(router)
    app.openapi()["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
    app.openapi()["security"] = [{"key": []}]
    for kind in (HTTPException, RequestValidationError):
        app.add_exception_handler(kind, _raise)
    front: Any = partial(
        Front, settings=settings, access=access, metrics=metrics, routes=router.routes
    )
    app.add_middleware(front)
    app.state.desk, app.state.metrics, app.state.access = desk, metrics, access
    return app


async def _raise(request: Request, fault: Exception) -> Response:
    """Leave it to the front, which has the sentences."""
    raise fault


async def _keep(desk: Desk, access: Access, metrics: Metrics) -> None:
    """Look at the keys, and at what waits, again and again."""
    read: Callable[[], Any] = desk.work.store.roles
    while True:
        await asyncio.sleep(OFTEN)
        try:
            access.update(await desk.aside(read))
        except Exception as fault:
            write_line("error", "keys", fault=type(fault).__name__, places=places_of(fault))
        metrics.note_waiting(desk.waiting)
