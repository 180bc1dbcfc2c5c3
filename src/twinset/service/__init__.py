"""REST over an index: what other programs ask and fill it through.

* ``server``: listens, runs one process or several, and bounds what comes before a request.
* ``app``: the addresses; ``models``: settings, bodies, parameters and answers, also for OpenAPI.
* ``front``: what happens to every request (its id, keys, sizes, faults, logs); ``access``: keys.
* ``desk``: requests to work on the index, in bounded queues; what waits is done together.
* ``operation``: figures for Prometheus, and lines of JSON, which never hold the text of a document.
"""
