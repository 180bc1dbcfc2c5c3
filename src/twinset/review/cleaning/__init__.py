"""What can go: files of a folder in groups, each with the copy that stays and the reason.

the report     ``files`` has the files as arrays, ``ranking`` which file is preferred and why,
               ``proposal`` what is a copy of what, the groups, and who stays
choosing       ``state`` is how things stand: states, what changes them, and the journal; nothing
               goes of which no copy stays
the list       ``cleaning`` is the door; ``shown`` finds and sorts groups and makes what a page
               shows, in the words of ``model``
beyond         ``actions`` removes files and brings them back
"""
