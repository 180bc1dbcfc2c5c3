"""Bytes to text: office files, PDF, scans, mail and notations.

One file for each format; `table` lists them and loads their readers, `recognise` tells them by
content. `mailbox` lists what one file of mail holds, each letter and each attachment a document of
its own: `mime` takes EML apart, `msg` Outlook's MSG. `archive` does so for the files of a ZIP or
TAR archive.
"""
