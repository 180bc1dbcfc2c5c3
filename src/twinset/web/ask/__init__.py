"""Questions about pairs, from which the plan of a search is made.

``session`` is the dialogue about the documents of a search: its folder and the job that asks;
``pages`` are its addresses. The job is ``twinset ask --exchange``, so that a dialogue outlives the
page and the server; every answer is on the disk before the next question is shown.
"""
