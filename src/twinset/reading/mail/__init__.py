"""Mail: letters and mailboxes, and the documents inside them.

`mime` takes EML apart, `msg` Outlook's MSG, `mailbox` lists what one file holds: each letter and
each attachment is a document of its own. `letter` says what they have in common.
"""
