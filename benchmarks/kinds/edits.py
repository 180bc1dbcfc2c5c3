"""What people do to a document between two versions of it, and how programs rewrite its layout."""

from __future__ import annotations

import random
import re
import textwrap

PROSE = {
    "en": [
        "The hall was painted in spring and the windows were cleaned.",
        "Two offers for the new roof were compared and the cheaper one was accepted.",
        "The library is open on two afternoons a week and needs more helpers.",
        "A letter of thanks goes to everybody who helped at the fair.",
        "The heating failed twice in the winter and has to be looked at again.",
        "Members asked for a list of the books that are on loan.",
        "The choir sings in the town hall and the profit goes to the school.",
        "Nobody was against the proposal, and it was agreed without a vote.",
        "The insurance was renewed on the same terms as last year.",
        "Work on the garden goes on, and the new benches have arrived.",
        "The printer was repaired, but it is slow and will be replaced soon.",
        "The question of parking was put off until more is known.",
        "Training for new volunteers starts after the holidays.",
        "The old computers were given to a school that asked for them.",
        "Visitors praised the food and complained about the queue.",
        "The supplier was late again, and the chair will write to him.",
        "A working group was set up to look at costs of energy.",
        "All keys were collected and counted, and one of them is missing.",
    ],
    "ru": [
        "Зал покрасили весной, окна вымыли.",
        "Сравнили два предложения по ремонту крыши и выбрали более дешёвое.",
        "Библиотека открыта два дня в неделю, ей нужны помощники.",
        "Всем, кто помогал на ярмарке, будет направлено благодарственное письмо.",
        "Отопление дважды отказывало зимой, нужна новая проверка.",
        "Хор выступит в ратуше, сбор пойдёт на нужды школы.",
        "Возражений не было, предложение принято без голосования.",
        "Страховка продлена на прежних условиях.",
        "Работы в саду продолжаются, новые скамейки привезли.",
        "Принтер починили, но он медленный и скоро будет заменён.",
        "Вопрос о стоянке отложен до выяснения обстоятельств.",
        "Обучение новых добровольцев начнётся после праздников.",
        "Старые компьютеры передали школе, которая о них просила.",
        "Посетители хвалили угощение и жаловались на очередь.",
    ],
}
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w%]|[.,]\d)")
_NAMES = ["Ferguson", "Whitmore", "Delacroix", "Nakamura", "Lindqvist"]


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with the blanks after it."""
    return re.findall(r".+?(?:[.!?](?=\s)\s+|\n+|$)", text, re.S)


def language(text: str) -> str:
    """The language of the sentences to add."""
    return "ru" if re.search("[а-я]", text) else "en"


def add_sentence(text: str, rng: random.Random) -> str:
    """One more sentence somewhere."""
    parts = sentences(text)
    where = rng.randrange(1, len(parts) + 1)
    parts.insert(where, rng.choice(PROSE[language(text)]) + " ")
    return "".join(parts)


def append_sentence(text: str, rng: random.Random) -> str:
    """One more sentence at the end."""
    return text.rstrip() + " " + rng.choice(PROSE[language(text)])


def drop_sentence(text: str, rng: random.Random) -> str:
    """Without one of the sentences."""
    parts = sentences(text)
    droppable = [at for at, part in enumerate(parts) if len(part.split()) > 3]
    if len(parts) > 3 and droppable:
        parts.pop(rng.choice(droppable))
    return "".join(parts)


def change_figure(text: str, rng: random.Random) -> str:
    """One number with other digits."""
    places = [match for match in _NUMBER.finditer(text) if len(match[0]) > 1]
    if not places:
        return add_sentence(text, rng)
    match = rng.choice(places)
    digits = re.sub(r"\d", lambda digit: str((int(digit[0]) + rng.randrange(1, 9)) % 10), match[0])
    return text[: match.start()] + digits + text[match.end() :]


def change_name(text: str, rng: random.Random) -> str:
    """One name replaced wherever it stands."""
    names = sorted(set(re.findall(r"(?<=[a-z,] )[A-Z][a-z]{3,}", text)))
    if not names:
        return change_figure(text, rng)
    return re.sub(rf"\b{rng.choice(names)}\b", rng.choice(_NAMES), text)


def reword(text: str, rng: random.Random) -> str:
    """Some plain words left out, doubled by another, or put in another order."""
    words = text.split(" ")
    for _ in range(max(2, len(words) // 60)):
        at = rng.randrange(1, len(words) - 1)
        if not words[at].islower():
            continue
        kind = rng.randrange(3)
        if kind == 0:
            words[at] = rng.choice(["also", "however", "usually", "quite", "therefore"])
        elif kind == 1:
            words[at] += " " + rng.choice(["and again", "as agreed", "in full", "if needed"])
        elif words[at + 1 : at + 2] and words[at + 1].islower():
            words[at], words[at + 1] = words[at + 1], words[at]
    return " ".join(words)


def slips(text: str, rng: random.Random) -> str:
    """Letters exchanged in some plain words."""
    words = text.split(" ")
    for at, word in enumerate(words):
        if word.isalpha() and word.islower() and len(word) > 4 and rng.random() < 0.03:
            place = rng.randrange(1, len(word) - 2)
            swapped = word[place + 1] + word[place]
            words[at] = word[:place] + swapped + word[place + 2 :]
    return " ".join(words)


def rewrapped(text: str, rng: random.Random) -> str:
    """Other line ends, and the pages numbered."""
    width = rng.randrange(40, 90)
    lines = [
        line
        for part in text.split("\n")
        for line in (textwrap.wrap(part, width) if part.strip() else [""])
    ]
    pages = [lines[at : at + 30] for at in range(0, len(lines), 30)]
    return "\n".join(
        "\n".join(page) + f"\n- Page {number} of {len(pages)} -"
        for number, page in enumerate(pages, 1)
    )


EDITS = {
    "a sentence added": add_sentence,
    "a sentence at the end": append_sentence,
    "a sentence dropped": drop_sentence,
    "a figure changed": change_figure,
    "a name changed": change_name,
    "words changed": reword,
    "slips": slips,
}
