"""The page: a local web server over the library, for people with a folder and no code.

The page holds no logic of its own. What it shows comes from the library; what it starts is a
command line (``jobs``), which it also shows, so that everything can be repeated in a terminal.

``settings``   what a server is started with, and what it remembers; `inside` checks every path that
               a visitor names
``app``        `create_app` and `serve`; a new router module is one name in ``ROUTERS``
``security``   the guard in front of every request (token, Host, Origin, sizes, CSP); entering
``render``     templates and sentences of ``twinset.pages`` as responses, exceptions as pages;
               `GoneError` for what does not exist any more
``jobs``       all that runs: jobs, each in a process of ``runner``, and moves of files in threads;
               ``progress`` shows how far a job is and what it has made
``searches``   jobs that are searches: their plans and their start
``start``      the first page; ``folders``: where documents come from
``wizard``     a search step by step; ``ask`` questions from which its plan is made
``laboratory`` the forms of other commands
``forms``      options drawn as fields, and filled forms as options of a plan
``reports``    reports and indexes by name; ``report`` their pages
``already``    an index: which of its documents are near a text or a file

How to add a page:

- A module with ``router = APIRouter(...)`` and plain ``def`` handlers (they run in threads), named
  in ``app.ROUTERS``. Handlers return ``render(request, "name.html", key=value)``; after a POST they
  return ``go("/somewhere")``. Raise `TwinsetError` for a mistake, `GoneError` for what does not
  exist any more.
- ``request.app.state.shelf.folder(name)`` is the folder behind ``/report/{name}``;
  ``request.app.state.settings`` and ``request.app.state.jobs`` exist, too.
- A template, in ``pages/templates/web/``, extends ``web/base.html`` and fills ``title`` and
  ``main`` (``wide`` set to true takes the whole width). Templates know ``t``, ``number``,
  ``language``, ``path``, ``here``, ``theme``. All values are escaped; only our own SVG goes through
  ``|safe``. No inline script, style or ``on...=``: the Content-Security-Policy forbids them.
  Behaviour comes from htmx attributes or from a file in ``pages/static/`` that the template adds in
  its ``scripts`` block.
- Sentences: ``t("group.name", n=3)``, from ``pages/sentences/LANGUAGE/*.toml``; a new area is a
  file of the same name in each language. A test checks that the languages have the same keys and
  fields, and that templates use no key that is not there.
- Forms are plain POST forms (``<form method="post">``) and need no token field: the guard checks
  the Origin and the strict cookie. Parts: ``hx-get``/``hx-post`` with ``hx-target`` and
  ``hx-select``, which takes the part out of the same page; a fault shows in the line ``#messages``
  of the layout.
- Charts are those of ``twinset.pages.charts``; their colours are in
  ``pages/static/page.css``. A chart inside ``<div data-drag="ID" data-low="0" data-high="1">``
  moves the range input with that id when one drags in it (``pages/static/page.js``); the input is
  the part for the keyboard.
- Look: classes ``card``, ``grid``, ``stack``, ``row``, ``muted``, ``tally``, ``button``,
  ``button quiet``, ``field``, ``hint``, ``chip``, ``scroll`` (around wide tables),
  ``visually-hidden`` in ``page.css``. An area with more to style has a style sheet of its own,
  added in the block ``styles``.
"""
