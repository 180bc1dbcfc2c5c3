"""What can go: files of a folder in groups, each with the copy that stays and the reason.

the report     ``files`` has the files as arrays, ``copies`` what is a copy of what, ``ranking``
               which file is preferred and why, ``proposal`` the groups and who stays, ``stays``
               who stands for whom
the list       ``cleaning`` is the door; ``standing`` is how things stand, ``listing`` finds and
               sorts groups, ``shown``, ``titles`` and ``differing`` make what a page shows
choosing       ``choices`` keeps what a person has chosen in a journal, ``selection`` lets nothing
               go of which no copy stays, ``rules`` marks many files at once
beyond         ``ignored`` keeps pairs that are no copies for later searches, ``folders`` looks at
               folders as a whole, ``questions`` and ``undecided`` ask where an answer
               changes something, ``priorities`` keeps named sets of keep policies
``model`` has the words for all of this.
"""
