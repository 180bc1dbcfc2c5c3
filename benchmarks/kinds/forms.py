"""Papers that people fill in, from the templates of ``forms.toml``.

``{name=what}`` draws a fact and keeps it under the name, ``{what}`` draws a new one, and
``{@name=what}`` is drawn once for all papers of the template: the sender's own facts.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import tomllib

from kinds.facts import DE, EN, RU, Facts

_SLOT = re.compile(r"\{(@?)(?:(\w+)(?:=(\w+))?)(?::([\w,]+))?\}")

LOCALES = {"en": EN, "ru": RU, "de": DE}
FORMS: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("forms.toml").read_text("utf-8")
)


class Filled:
    """Papers of one template; `draw` fills it in anew, `redrawn` changes some facts of one."""

    def __init__(self, name: str, rng: random.Random, prose: dict[str, list[str]]) -> None:
        form = FORMS[name]
        self.template = form["text"]
        self.facts, self.rng = Facts(rng, LOCALES[form["language"]]), rng
        self.prose = prose.get(form["language"], prose["en"])
        self.sender: dict[str, str] = {}

    def slots(self) -> int:
        """How many facts a paper has, the sender's not counted."""
        return len(self._own_slots())

    def draw(self) -> list[str]:
        """New facts for the slots that are not the sender's."""
        return [self._fact(match) for match in self._own_slots()]

    def redrawn(self, facts: list[str], count: int, figures: bool) -> list[str]:
        """The facts with ``count`` of them drawn anew, of ``figures`` only sums and counts."""
        slots = self._own_slots()
        open_slots = [
            n
            for n, slot in enumerate(slots)
            if not figures or self._what(slot) in ("sum", "small", "good")
        ]
        changed = list(facts)
        for n in self.rng.sample(open_slots, min(count, len(open_slots))):
            changed[n] = self._fact(slots[n])
        return changed

    def text(self, facts: list[str]) -> str:
        """The paper with these facts."""
        rest, named = list(facts), {}

        def fill(match: re.Match[str]) -> str:
            at, name, what, _ = match.groups()
            if at:
                return self.sender.setdefault(name, self._fact(match))
            if what is None and name in named:
                return named[name]
            fact = rest.pop(0)
            if what:
                named[name] = fact
            return fact

        return _SLOT.sub(fill, self.template)

    def _own_slots(self) -> list[re.Match[str]]:
        slots, named = [], set()
        for match in _SLOT.finditer(self.template):
            at, name, what, _ = match.groups()
            if at or (what is None and name in named):
                continue
            if what:
                named.add(name)
            slots.append(match)
        return slots

    def _what(self, match: re.Match[str]) -> str:
        return match[3] or match[2]

    def _fact(self, match: re.Match[str]) -> str:
        what, arguments = self._what(match), match[4]
        if what == "prose":
            return self.rng.choice(self.prose)
        numbers = [int(part) for part in arguments.split(",")] if arguments else []
        return str(getattr(self.facts, what)(*numbers))
