"""Which words are numbers or parts of a date: versions of one form often differ in these alone."""

from __future__ import annotations

LETTERS = 3
"""Letters that a number may carry: 3rd, 10am, Q4, 2024г."""
_MONTHS = (
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec "
    "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь "
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря "
    "январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре "
    "янв фев мар апр июн июл авг сен сент окт ноя нояб дек"
)
_DAYS = (
    "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun "
    "понедельник вторник среда четверг пятница суббота воскресенье "
    "понедельника вторника среды четверга пятницы субботы воскресенья среду пятницу субботу "
    "пн вт ср чт пт сб вс am pm"
)
NAMES = frozenset(f"{_MONTHS} {_DAYS}".split())


def is_number_or_date(word: str) -> bool:
    """Whether a word is a number, a date, a time, an amount, or the name of a month or a day."""
    letters = sum(mark.isalpha() for mark in word)
    if any(mark.isdigit() for mark in word):
        return letters <= LETTERS
    plain = "".join(mark for mark in word if mark.isalpha()).casefold()
    return plain in NAMES
