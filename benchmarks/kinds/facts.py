"""Invented facts in English, Russian and German."""

from __future__ import annotations

import random
from dataclasses import dataclass


def _words(text: str) -> list[str]:
    return [part.strip() for part in " ".join(text.split()).split(",")]


@dataclass(frozen=True)
class Locale:
    """What facts of a language are drawn from."""

    first: list[str]
    last: list[str]
    firms: list[str]
    streets: list[str]
    towns: list[str]
    months: list[str]
    goods: list[str]
    jobs: list[str]
    date: str
    sum: str


EN = Locale(
    _words("Alice, Brian, Cathy, Derek, Emma, Frank, Gwen, Harold, Iris, Jack, Karen, Liam, Mona"),
    _words(
        "Archer, Bates, Cole, Drake, Ellis, Ford, Gibson, Hale, Ingram, Jones, Kerr, Lane, Moss"
    ),
    _words(
        "Northwind Traders Ltd, Harbour Foods plc, Oakfield Joinery, Blue Lake Hotels, Ridge & Co,"
        "Summit Software Ltd, Redwood Press, Clearwater Services, Stonebridge Homes"
    ),
    _words("Mill Lane, Station Road, High Street, Park Avenue, Queen Street, Abbey Road"),
    _words("Leeds, Bristol, Derby, Exeter, Norwich, Durham, Lincoln, Preston"),
    _words(
        "January, February, March, April, May, June, July, August, September, October, November,"
        "December"
    ),
    _words(
        "office chairs, copper pipe, printer paper, garden hose, roof tiles, desk lamps, cables,"
        "storage boxes, drill bits, paint"
    ),
    _words("accountant, site manager, nurse, editor, driver, analyst, engineer, cook"),
    "{d} {month} {y}",
    "{n:,}.{c:02} GBP",
)
RU = Locale(
    _words("Анна, Борис, Вера, Глеб, Дарья, Егор, Жанна, Захар, Инна, Кирилл, Лариса, Максим"),
    _words("Ковалёв, Петренко, Титов, Гусев, Лапин, Орлов, Сазонов, Чернов, Юдин, Абрамов"),
    _words(
        "ООО «Северный ветер», АО «Ромашка», ООО «Вектор», ЗАО «Стройдом», ООО «Лесная сказка»,"
        "ПАО «Меркурий», ООО «Альфа Плюс»"
    ),
    _words("ул. Лесная, пр. Мира, ул. Садовая, ул. Гагарина, наб. Фонтанки, ул. Победы"),
    _words("Тверь, Самара, Казань, Пермь, Омск, Рязань, Тула, Псков"),
    _words(
        "января, февраля, марта, апреля, мая, июня, июля, августа, сентября, октября, ноября,"
        "декабря"
    ),
    _words(
        "стулья офисные, кабель медный, бумага для принтера, шланг садовый, лампы настольные,"
        "коробки архивные, свёрла, краска"
    ),
    _words("бухгалтер, инженер, водитель, аналитик, редактор, повар, менеджер"),
    "{d} {month} {y} г.",
    "{n},{c:02} руб.",
)
DE = Locale(
    _words("Anke, Bernd, Claudia, Dirk, Eva, Frank, Gisela, Hans, Ines, Jürgen"),
    _words("Albrecht, Brandt, Decker, Engel, Fuchs, Graf, Huber, Jung, Krause, Lorenz"),
    _words("Nordlicht GmbH, Becker & Söhne KG, Rheinwerk AG, Alpenblick Hotels GmbH, Meyer Bau"),
    _words("Lindenweg, Hauptstraße, Bahnhofstraße, Gartenweg, Schulstraße"),
    _words("Kassel, Trier, Ulm, Bremen, Jena, Erfurt, Kiel"),
    _words(
        "Januar, Februar, März, April, Mai, Juni, Juli, August, September, Oktober, November,"
        "Dezember"
    ),
    _words("Bürostühle, Kupferrohr, Druckerpapier, Schreibtischlampen, Kabel, Farbe"),
    _words("Buchhalter, Ingenieur, Fahrer, Redakteur, Koch"),
    "{d}. {month} {y}",
    "{n},{c:02} EUR",
)


class Facts:
    """Draws facts of one language."""

    def __init__(self, rng: random.Random, locale: Locale) -> None:
        self.rng, self.locale = rng, locale

    def person(self) -> str:
        """A first and a last name."""
        return f"{self.rng.choice(self.locale.first)} {self.rng.choice(self.locale.last)}"

    def firm(self) -> str:
        """A company."""
        return self.rng.choice(self.locale.firms)

    def town(self) -> str:
        """A town."""
        return self.rng.choice(self.locale.towns)

    def address(self) -> str:
        """A street with a number, and a town."""
        street = self.rng.choice(self.locale.streets)
        return f"{street} {self.rng.randrange(1, 120)}, {self.town()}"

    def date(self, year: int | None = None) -> str:
        """A day."""
        return self.locale.date.format(
            d=self.rng.randrange(1, 29),
            month=self.rng.choice(self.locale.months),
            y=year or self.rng.randrange(2019, 2026),
        )

    def month(self) -> str:
        """A month with its year."""
        return f"{self.rng.choice(self.locale.months)} {self.rng.randrange(2019, 2026)}"

    def sum(self, most: int = 9000) -> str:
        """An amount of money."""
        return self.locale.sum.format(n=self.rng.randrange(50, most), c=self.rng.randrange(100))

    def number(self, digits: int = 5) -> str:
        """A number of so many digits."""
        return str(self.rng.randrange(10 ** (digits - 1), 10**digits))

    def good(self) -> str:
        """Goods."""
        return self.rng.choice(self.locale.goods)

    def job(self) -> str:
        """What somebody is."""
        return self.rng.choice(self.locale.jobs)

    def email(self) -> str:
        """An address of mail."""
        return f"{self.number(3)}{self.rng.choice('abcdefgh')}@example.org"

    def small(self, low: int, high: int) -> int:
        """A number between two."""
        return self.rng.randrange(low, high)
