"""From nothing to a running search: the first page and the progress of what it started.

``tree`` the folders to choose from; ``places`` the usual ones and what to know about one;
``priorities`` which copy stays; ``pages`` the first page; ``running`` the progress of a
search that was started there.
"""
