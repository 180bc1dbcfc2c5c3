"""``python -m twinset.cli`` is the ``twinset`` command."""

from twinset.cli import main

main()
