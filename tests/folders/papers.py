"""What lies in such folders: leases, invoices, CVs, minutes, reports, each as paragraphs.

A paper that is filled in from a form says so by `form`: two of one form are never copies of each
other, however alike they look.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.folders.prose import ENGLISH, VOCABULARIES, Vocabulary, day, paragraph, sentence


@dataclass(frozen=True)
class Paper:
    """A text in paragraphs, the first of which is its title, and the name a person would give."""

    name: str
    language: str
    paragraphs: tuple[str, ...]
    form: str = ""

    @property
    def text(self) -> str:
        """All of it."""
        return "\n\n".join(self.paragraphs) + "\n"


def report(draw: random.Random, language: str) -> Paper:
    """A report or article of a page or three."""
    words = VOCABULARIES[language]
    title = sentence(draw, words).rstrip(".")
    body = tuple(paragraph(draw, words, draw.randrange(3, 8)) for _ in range(draw.randrange(4, 14)))
    return Paper(_short(title, 5), language, (title, *body))


def note(draw: random.Random, language: str) -> Paper:
    """A short note of a few sentences."""
    words = VOCABULARIES[language]
    title = sentence(draw, words).rstrip(".")
    return Paper(_short(title, 3), language, (title, paragraph(draw, words, draw.randrange(3, 6))))


def minutes(draw: random.Random, language: str) -> Paper:
    """Minutes of a meeting: the headings are always the same, what was said is not."""
    words, year = VOCABULARIES[language], draw.randrange(2019, 2026)
    date = day(draw, words, year)
    present = ", ".join(draw.sample(words.people, 4))
    heads = (
        ("Minutes of the meeting of", "Present:", "Matters arising", "Any other business")
        if words is ENGLISH
        else ("Протокол собрания от", "Присутствовали:", "Рассмотренные вопросы", "Разное")
    )
    body = (
        f"{heads[0]} {date}",
        f"{heads[1]} {present}",
        heads[2],
        *(paragraph(draw, words, 4) for _ in range(draw.randrange(2, 5))),
        heads[3],
        paragraph(draw, words, 3),
    )
    name = "Minutes" if words is ENGLISH else "Протокол"
    return Paper(f"{name} {date}".rstrip("."), language, body)


def cv(draw: random.Random, language: str) -> Paper:
    """A curriculum vitae."""
    words = VOCABULARIES[language]
    person, year = draw.choice(words.people), draw.randrange(2008, 2016)
    heads = (
        ("Curriculum vitae", "Work experience", "Skills", "Education")
        if words is ENGLISH
        else ("Резюме", "Опыт работы", "Навыки", "Образование")
    )
    jobs = [
        f"{year + 2 * n}–{year + 2 * n + 2}, {draw.choice(words.companies)}, "
        f"{draw.choice(words.towns)}. {paragraph(draw, words, 3)}"
        for n in range(draw.randrange(3, 6))
    ]
    body = (
        f"{heads[0]}: {person}",
        f"{draw.randrange(2, 200)} {draw.choice(words.streets)}, {draw.choice(words.towns)}",
        heads[1],
        *jobs,
        heads[2],
        paragraph(draw, words, 2),
        heads[3],
        sentence(draw, words),
    )
    return Paper(f"CV {person}", language, body)


def invoice(draw: random.Random, language: str, seller: str = "") -> Paper:
    """An invoice: another customer, number, date and amounts in a form that stays the same."""
    words = VOCABULARIES[language]
    seller = seller or draw.choice(words.companies)
    number, year = draw.randrange(1000, 9999), draw.randrange(2021, 2026)
    customer, date = draw.choice(words.people), day(draw, words, year)
    lines = [
        (item, draw.randrange(1, 20), draw.randrange(5, 900))
        for item in draw.sample(_ITEMS[language].split("|"), draw.randrange(2, 5))
    ]
    total = sum(count * price for _, count, price in lines)
    form = _INVOICE[language]
    address = f"{draw.randrange(2, 200)} {draw.choice(words.streets)}, {draw.choice(words.towns)}"
    body = (
        form["title"].format(number=number),
        form["from"].format(seller=seller),
        form["to"].format(customer=customer, address=address),
        form["date"].format(date=date),
        *(form["line"].format(item=i, count=c, price=p, sum=c * p) for i, c, p in lines),
        form["total"].format(total=total, tax=total // 5, all=total + total // 5),
        *_TERMS[language],
    )
    name = form["name"].format(number=number)
    return Paper(name, language, body, f"invoice of {seller}")


def lease(draw: random.Random, language: str) -> Paper:
    """A lease from one template: the parties, the place, the rent and the term differ."""
    words = VOCABULARIES[language]
    owner, tenant = draw.sample(words.people, 2)
    place = f"{draw.randrange(2, 200)} {draw.choice(words.streets)}, {draw.choice(words.towns)}"
    values = {
        "owner": owner,
        "tenant": tenant,
        "place": place,
        "rent": f"{draw.randrange(60, 400) * 50:,}",
        "deposit": f"{draw.randrange(10, 60) * 100:,}",
        "years": draw.randrange(2, 9),
        "date": day(draw, words, draw.randrange(2020, 2026)),
    }
    body = tuple(clause.format(**values) for clause in _LEASE[language])
    name = f"Lease {tenant}" if words is ENGLISH else f"Договор аренды {tenant}"
    return Paper(name, language, body, "lease")


def certificate(draw: random.Random, language: str) -> Paper:
    """A certificate of attendance, a form of six lines."""
    words = VOCABULARIES[language]
    person = draw.choice(words.people)
    values = {
        "person": person,
        "date": day(draw, words, draw.randrange(2020, 2026)),
        "number": draw.randrange(10_000, 99_999),
        "hours": draw.randrange(4, 60),
        "town": draw.choice(words.towns),
    }
    body = tuple(line.format(**values) for line in _CERTIFICATE[language])
    return Paper(f"Certificate {person}", language, body, "certificate")


KINDS: dict[str, Callable[[random.Random, str], Paper]] = {
    "report": report,
    "note": note,
    "minutes": minutes,
    "cv": cv,
    "invoice": invoice,
    "lease": lease,
    "certificate": certificate,
}
FORMS: dict[str, Callable[[random.Random, str], Paper]] = {
    "invoice": invoice,
    "lease": lease,
    "certificate": certificate,
}


def revised(draw: random.Random, paper: Paper) -> Paper:
    """A later version: sentences rewritten, added and dropped, the facts of a form as they were.

    The rent of a lease may change, and its term: parties, place and date of signing do not.
    """
    words = VOCABULARIES[paper.language]
    body = list(paper.paragraphs)
    if paper.form == "lease":
        place = next(n for n, clause in enumerate(body) if _RENT[paper.language] in clause)
        body[place] = _other_figures(draw, body[place])
    long = [n for n in range(1, len(body)) if len(body[n].split()) > 25]
    for place in draw.sample(long, min(len(long), draw.randrange(1, 3))):
        body[place] = _rewritten(draw, words, body[place])
    if not long or draw.random() < 0.5:
        body.append(sentence(draw, words))
    return replace(paper, paragraphs=tuple(body))


def excerpt(draw: random.Random, paper: Paper) -> Paper:
    """A run of paragraphs of a longer paper, saved on its own."""
    count = max(2, len(paper.paragraphs) // 3)
    start = draw.randrange(1, len(paper.paragraphs) - count + 1)
    return replace(paper, paragraphs=paper.paragraphs[start : start + count])


def _rewritten(draw: random.Random, words: Vocabulary, text: str) -> str:
    sentences = text.split(". ")
    place = draw.randrange(len(sentences))
    change = draw.choice(["replace", "add", "drop"])
    new = sentence(draw, words).rstrip(".")
    if change == "replace":
        sentences[place] = new
    elif change == "add":
        sentences.insert(place, new)
    elif len(sentences) > 2:
        del sentences[place]
    return ". ".join(sentences)


def _other_figures(draw: random.Random, clause: str) -> str:
    """The clause with another amount."""
    parts = clause.split()
    place = next(n for n, part in enumerate(parts) if part.replace(",", "").isdigit())
    parts[place] = f"{int(parts[place].replace(',', '')) + draw.randrange(1, 9) * 50:,}"
    return " ".join(parts)


def _short(title: str, words: int) -> str:
    return " ".join(title.replace(",", "").split()[:words])


_ITEMS = {
    "en": (
        "Printing of leaflets|Garden chairs|Consulting hours|Delivery|Repair of a pump|Paper A4|"
        "Translation, pages|Window cleaning|Office lamps|Catering per person|Cable, metres|Paint"
    ),
    "ru": (
        "Печать буклетов|Садовые стулья|Консультации, часов|Доставка|Ремонт насоса|Бумага А4|"
        "Перевод, страниц|Мойка окон|Настольные лампы|Обслуживание банкета|Кабель, метров|Краска"
    ),
}
_INVOICE = {
    "en": {
        "name": "Invoice {number}",
        "title": "Invoice No. {number}",
        "from": "From: {seller}, registered in England and Wales",
        "to": "Bill to: {customer}, {address}",
        "date": "Date of issue: {date}",
        "line": "{item}: {count} at {price}.00 = {sum}.00",
        "total": "Net {total}.00, VAT 20% {tax}.00, amount due {all}.00 GBP",
    },
    "ru": {
        "name": "Счёт {number}",
        "title": "Счёт № {number}",
        "from": "Поставщик: {seller}, зарегистрирован в Российской Федерации",
        "to": "Плательщик: {customer}, {address}",
        "date": "Дата выставления: {date}",
        "line": "{item}: {count} по {price} руб. = {sum} руб.",
        "total": "Итого {total} руб., НДС 20% {tax} руб., к оплате {all} руб.",
    },
}
_TERMS = {
    "en": (
        "Payment is due within thirty days of the date of this invoice. Please quote the "
        "invoice number with your transfer.",
        "Goods remain the property of the seller until they have been paid for in full. "
        "Interest may be charged on late payments under the applicable law.",
        "Thank you for your business. Questions about this invoice are answered by our "
        "accounts department on weekdays between nine and five.",
    ),
    "ru": (
        "Счёт действителен в течение тридцати дней со дня выставления. В назначении платежа "
        "просим указывать номер счёта.",
        "Товар отпускается по факту прихода денег на расчётный счёт поставщика при наличии "
        "доверенности и документа, удостоверяющего личность.",
        "Благодарим за сотрудничество. По вопросам оплаты обращайтесь в бухгалтерию по "
        "рабочим дням с девяти до восемнадцати часов.",
    ),
}
_LEASE = {
    "en": (
        "Lease agreement",
        "This agreement is made on {date} between {owner}, hereinafter the landlord, and "
        "{tenant}, hereinafter the tenant.",
        "1. The landlord lets and the tenant takes the premises at {place}, together with the "
        "fixtures and fittings listed in the schedule.",
        "2. The term of this lease is {years} years from the date of this agreement, after which "
        "it continues from year to year until ended by either party.",
        "3. The tenant pays a yearly rent of {rent} pounds in equal monthly instalments, each in "
        "advance on the first day of the month.",
        "4. The tenant pays a deposit of {deposit} pounds, which the landlord holds and returns "
        "within one month of the end of the lease less the cost of any damage.",
        "5. The tenant keeps the interior in good repair, does not alter the premises without "
        "written consent, and lets the landlord inspect them on reasonable notice.",
        "6. The landlord insures the building, keeps its structure, roof and drains in repair, "
        "and lets the tenant hold the premises quietly.",
        "7. The tenant does not assign or sublet the whole or any part of the premises without "
        "the landlord's consent, which is not to be withheld without good reason.",
        "8. If the rent is unpaid for twenty-one days, or the tenant breaks any term of this "
        "agreement, the landlord may end the lease by written notice.",
        "9. Notices under this agreement are in writing and are delivered by hand or by recorded "
        "post to the address of the party concerned.",
        "Signed by {owner} and {tenant} in the presence of two witnesses.",
    ),
    "ru": (
        "Договор аренды нежилого помещения",
        "Настоящий договор заключён {date} между {owner}, далее арендодатель, и {tenant}, далее "
        "арендатор.",
        "1. Арендодатель передаёт, а арендатор принимает во временное пользование помещение по "
        "адресу {place} вместе с оборудованием по описи.",
        "2. Срок аренды составляет {years} лет со дня подписания; по его истечении договор "
        "продлевается на год, если ни одна из сторон не возражает.",
        "3. Арендатор уплачивает арендную плату в размере {rent} рублей в месяц не позднее пятого "
        "числа текущего месяца.",
        "4. Арендатор вносит обеспечительный платёж в размере {deposit} рублей, который "
        "возвращается в течение месяца после окончания аренды за вычетом ущерба.",
        "5. Арендатор содержит помещение в исправном состоянии, не производит перепланировку без "
        "письменного согласия и допускает арендодателя для осмотра.",
        "6. Арендодатель страхует здание, содержит в исправности крышу и инженерные сети и не "
        "препятствует арендатору пользоваться помещением.",
        "7. Арендатор не вправе сдавать помещение в субаренду полностью или частично без согласия "
        "арендодателя.",
        "8. При просрочке платежа более чем на двадцать один день арендодатель вправе расторгнуть "
        "договор, письменно уведомив арендатора.",
        "9. Уведомления по настоящему договору направляются в письменной форме заказным письмом "
        "по адресу соответствующей стороны.",
        "Подписи сторон: {owner}, {tenant}.",
    ),
}
_RENT = {"en": "yearly rent of", "ru": "арендную плату в размере"}
_CERTIFICATE = {
    "en": (
        "Certificate of attendance",
        "This is to certify that {person} has attended the course on occupational safety in "
        "{town} on {date}.",
        "The course comprised {hours} hours of instruction and was completed with an examination.",
        "Certificate number {number}, valid for three years from the date of the course.",
    ),
    "ru": (
        "Свидетельство о прохождении обучения",
        "Настоящим подтверждается, что {person} прошёл обучение по охране труда, {town}, {date}",
        "Объём программы составил {hours} часов, обучение завершено проверкой знаний.",
        "Номер свидетельства {number}, срок действия три года со дня выдачи.",
    ),
}
