"""The laboratory: commands other than searches, each a form that becomes a command line.

``pages`` has the addresses, ``form`` what all forms share, ``uploads`` lists that are dropped on
one; the other files are one or more commands each.
"""
