"""REST over an index: what other programs ask and fill it through.

* ``server``: listens, and runs one process or several; ``settings``: limits, and who may come in.
* ``heads``: bounds of what comes before a request, on each connection.
* ``app``: the addresses; ``schemas``: the same for OpenAPI; ``bodies``: requests, checked by hand,
  since models cost more than the questions themselves.
* ``front``: what happens to every request (its id, keys, sizes, faults, logs); ``access``: keys.
* ``desk``: requests to work on the index; ``queues``: bounded, and what waits is done together;
  ``comparing``: two texts, in another process.
* ``metrics``: for Prometheus; ``logs``: lines of JSON, which never hold the text of a document.
"""
