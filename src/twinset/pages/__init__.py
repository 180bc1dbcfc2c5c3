"""All HTML of the project: one engine, one style sheet; plain data in, text out.

``engine``     `page`: a template's name and values to text, in a language
``language``   sentences by key (``sentences/LANGUAGE/*.toml``), numbers, plurals, amounts
``charts``     charts as data, drawn as SVG; ``grids``: those of the laboratory
``shown``      makes characters visible that cannot be seen
``templates/`` ``paper/``: pages that are files of their own; ``web/``: those of ``twinset ui``
``static/``    ``style.css`` of all pages and pictures; ``paper.css`` and so on of some
"""
