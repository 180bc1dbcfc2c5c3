"""All HTML of the project: one engine, one style sheet; plain data in, text out.

``engine``     `page`: a template's name and values to text, in a language
``language``   sentences by key (``sentences/LANGUAGE/*.toml``), numbers and plurals
``quantities`` amounts as one reads them: bytes, shares, spans of time, moments
``charts``     plots as SVG, coloured by the style sheet
``shown``      makes characters visible that cannot be seen
``templates/`` one folder for each kind of page; ``static/`` style sheets and scripts
"""
