"""What OpenAPI says of the addresses: their bodies, parameters and answers."""

from __future__ import annotations

from typing import Any

ABOUT = (
    "An index of documents: what is already there? Every match carries its exact similarity. "
    'Faults come as {"error": SENTENCE}. 429 and 503 say by Retry-After when to try again.'
)
Facts = dict[str, Any]
COMPONENTS: Facts = {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}}
_TEXT = {"type": "string"}
_PERHAPS_TEXT = {"type": ["string", "null"]}
_COUNT = {"type": "integer", "minimum": 0}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}


def _object(required: str = "", /, **properties: Any) -> Facts:
    facts = {"type": "object", "properties": properties}
    return facts | ({"required": required.split()} if required else {})


def _list(items: Facts) -> Facts:
    return {"type": "array", "items": items}


_DOCUMENT = _object("id text", id=_TEXT, text=_TEXT)
_ASKED = _object("text", id=_PERHAPS_TEXT, text=_TEXT)
_PASSAGE = _object(start=_COUNT, end=_COUNT, match_start=_COUNT, match_end=_COUNT, text=_TEXT)
_MATCH = _object(
    "id score",
    id=_TEXT,
    score=_SHARE,
    shared=_COUNT,
    containment_left=_SHARE,
    containment_right=_SHARE,
    passages=_list(_PASSAGE),
)
_ANSWER = _object("id matches", id=_PERHAPS_TEXT, matches=_list(_MATCH), more=_COUNT)
_ADDED = _object(
    "added replaced unchanged",
    added=_COUNT,
    replaced=_COUNT,
    unchanged=_COUNT,
    duplicates=_list(_ANSWER),
)
_COMPARED = _object(
    similarity=_SHARE | {"type": ["number", "null"]},
    match={"type": ["boolean", "null"]},
    threshold=_SHARE,
    shared=_COUNT,
    containment_left=_SHARE,
    containment_right=_SHARE,
    equal={"type": "boolean"},
    kind=_TEXT,
    differences=_COUNT,
    numbers_only={"type": "boolean"},
    moved=_COUNT,
    cut={"type": "boolean"},
    diff=_list(_object(change={"enum": ["same", "left", "right"]}, words=_list(_TEXT))),
)
_REMOVED = _object("removed", removed=_COUNT)
_FAULT = _object("error", error=_TEXT)
_STATUS = _object("status", status=_TEXT)
_FAULTS = {
    400: "The request cannot be read.",
    401: "A key is missing, wrong or revoked.",
    403: "The key may read only.",
    404: "There is no such document.",
    408: "The request did not arrive in time.",
    409: "An id is there, or twice in the body, with another text.",
    413: "The request is too large.",
    429: "Too many requests wait; Retry-After says when to try again.",
    503: "There was not enough time, or another program writes to the index.",
}


def _flag(name: str, sentence: str) -> Facts:
    kind = {"type": "boolean", "default": False}
    return {"name": name, "in": "query", "description": sentence, "schema": kind}


_ID = {
    "name": "id",
    "in": "path",
    "required": True,
    "description": "The id, percent-encoded; slashes may stay.",
    "schema": _TEXT,
}
_TOP = {
    "name": "top",
    "in": "query",
    "description": "The most matches to list of each document; 0 lists all.",
    "schema": _COUNT | {"default": 1000},
}
_REPLACE = _flag("replace", "Another text for an id that is there replaces the older one.")
_DEDUP = _flag("dedup", "Leave out documents that have a near-duplicate, and list them.")
_PASSAGES = _flag("passages", "Add the passages that both texts share.")


def _facts(
    tag: str,
    summary: str,
    answer: Facts | str,
    faults: tuple[int, ...] = (),
    body: tuple[Facts, Any] | None = None,
    parameters: tuple[Facts, ...] = (),
) -> Facts:
    """What `FastAPI.add_api_route` takes; an ``answer`` is its schema, or its media type."""
    content: Facts = {answer: {}} if isinstance(answer, str) else _json(answer)
    responses: dict[int, Facts] = {200: {"description": "Done.", "content": content}}
    listed = sorted(
        {
            *faults,
            *((401,) if tag != "Operation" else ()),
            *((400, 408, 413, 429, 503) if body else ()),
        }
    )
    for status in listed:
        responses[status] = {"description": _FAULTS[status], "content": _json(_FAULT)}
    extra: Facts = {"parameters": list(parameters)} if parameters else {}
    if body is not None:
        schema, example = body
        content = {"application/json": {"schema": schema, "example": example}}
        extra["requestBody"] = {"required": True, "content": content}
    if tag != "Operation":
        extra["security"] = [{"key": []}]
    return {"summary": summary, "responses": responses, "openapi_extra": extra, "tags": [tag]}


def _json(schema: Facts) -> Facts:
    return {"application/json": {"schema": schema}}


_DOCUMENTS = [{"id": "first", "text": "The text of a document."}]
_TEXTS = {"left": "The text of a document.", "right": "The text of another document."}
_TWO = _object("left right", left=_TEXT, right=_TEXT)

ROUTES: tuple[tuple[str, str, str, Facts], ...] = (
    (
        "/query",
        "POST",
        "post_query",
        _facts(
            "Questions",
            "What is near these documents? One that is there matches its copies, not itself.",
            _list(_ANSWER),
            (),
            (_list(_ASKED), _DOCUMENTS),
            (_TOP, _PASSAGES),
        ),
    ),
    (
        "/compare",
        "POST",
        "post_compare",
        _facts("Questions", "How alike are two texts?", _COMPARED, (), (_TWO, _TEXTS)),
    ),
    (
        "/documents",
        "POST",
        "post_documents",
        _facts(
            "Documents",
            "Add documents, all or none; they are safe when this is answered.",
            _ADDED,
            (403, 409),
            (_list(_DOCUMENT), _DOCUMENTS),
            (_REPLACE, _DEDUP),
        ),
    ),
    (
        "/documents",
        "GET",
        "get_documents",
        _facts("Documents", "All documents, a line of JSON each.", "application/x-ndjson", (429,)),
    ),
    (
        "/documents/{id:path}",
        "GET",
        "get_document",
        _facts("Documents", "A document.", _DOCUMENT, (404, 429, 503), None, (_ID,)),
    ),
    (
        "/documents/{id:path}",
        "DELETE",
        "delete_document",
        _facts("Documents", "Remove a document.", _REMOVED, (403, 404, 429, 503), None, (_ID,)),
    ),
    (
        "/remove",
        "POST",
        "post_remove",
        _facts(
            "Documents",
            "Remove documents by their ids; how many were there.",
            _REMOVED,
            (403,),
            (_list(_TEXT), ["first"]),
        ),
    ),
    (
        "/info",
        "GET",
        "get_info",
        _facts("Documents", "What the index is made by, counts and bounds.", _object()),
    ),
    (
        "/health",
        "GET",
        "get_health",
        _facts("Operation", "Whether the process answers.", _STATUS),
    ),
    (
        "/ready",
        "GET",
        "get_ready",
        _facts("Operation", "Whether the index can be read.", _STATUS, (503,)),
    ),
    (
        "/metrics",
        "GET",
        "get_metrics",
        _facts("Operation", "Figures for Prometheus; needs a key where others do.", "text/plain"),
    ),
    ("/", "GET", "get_page", {"include_in_schema": False}),
)
