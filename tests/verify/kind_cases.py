"""Pairs of documents as people have them, written by hand, with what a person calls them."""

from __future__ import annotations

LEASE = """LEASE

Between Margaret Hollis (landlord) and Tom Brewer (tenant), 14 Quay Street, Whitby.

The tenant takes the flat on the second floor for six years from 1 March 2022. The rent is 10,200
pounds a year, payable quarterly in advance. The tenant keeps the flat in good repair, does not
sublet without written consent, and lets the landlord in for inspection twice a year. The landlord
insures the building. Either side may end the lease after three years with six months' notice."""

CV = """Helen Marsh
23 Beech Grove, York
helen.marsh@example.org, 01904 555 0147

Experience
2019 to now: project manager, Ridgeway Housing, York
2015 to 2019: assistant surveyor, Cole & Partners, Leeds

Education
BSc Building Surveying, Leeds, 2015

Skills
Contracts, budgets, CAD, French"""

INVOICE = """Carter Plumbing
8 Canal Wharf, Leeds

Invoice 2024-117
12 April 2024

To: Mrs J. Webb, 4 Elm Close, Otley

Replacing boiler valve      140.00
Labour, 3 hours             105.00
Total                       245.00

Please pay within 14 days. Sort code 20-11-43, account 40718823."""

MINUTES = """Parish council, minutes

Date: 4 March 2024
Present: A. Pine (chair), R. Shaw, D. Okafor

1. Minutes of the last meeting were approved.
2. Playground: the swing will be repaired in spring by the council's own staff.
3. Footpath: the complaint about the stile was passed on to the county.
4. Date of next meeting: 8 April 2024"""

ДОГОВОР = """ДОГОВОР ПОДРЯДА № 15

г. Тула, 3 марта 2024 г.

ООО «Маяк» в лице директора Сергеева П. А. (Заказчик) и ИП Котова Мария Ивановна (Подрядчик)
заключили договор. Подрядчик выполняет ремонт кровли дома по адресу: ул. Новая, д. 7. Стоимость
работ составляет 185 000 рублей. Срок выполнения работ — тридцать дней. Оплата производится после
подписания акта. Споры решаются в суде по месту нахождения ответчика."""

POLICY = """Holiday policy

Every member of staff has twenty-five days of paid leave a year, which may be taken at any time
with the consent of the line manager. Up to five days may be carried over to the next year, but
must be taken before the end of March. Requests are made in writing at least two weeks before the
first day of leave. Where several people ask for the same days, those with school-age children
come first. Unused leave is paid out only when somebody leaves the company."""

FORM = """Registration of a dog

Name of owner: {owner}
Address: {address}
Name of dog: {dog}
Breed: {breed}
Born: {born}

The fee is due each January. Dogs must wear their badge in public. Tell us if you move house."""


def _changed(paper: str, changes: str) -> tuple[str, str]:
    """A paper, and the same paper with other words, each change said as ``before > after``."""
    other = paper
    for change in changes.split(" | "):
        before, _, after = change.partition(" > ")
        assert before in other, before
        other = other.replace(before, after)
    return paper, other


def _dog(*facts: str) -> str:
    return FORM.format(
        **dict(zip(("owner", "address", "dog", "breed", "born"), facts, strict=True))
    )


REX = _dog("Ann Tait", "2 Mill Row, Hexham", "Rex", "collie", "May 2020")
REVISIONS: dict[str, tuple[str, str]] = {
    "a clause added": (LEASE, LEASE + " Pets are allowed."),
    "a clause dropped": _changed(LEASE, " The landlord\ninsures the building. > "),
    "a clause reworded": _changed(
        LEASE, "does not\nsublet without written consent > may sublet if the landlord agrees"
    ),
    "a cv with a new job": _changed(
        CV,
        "2019 to now: project > 2024 to now: head of maintenance, City of York Council\n2019 to "
        "2024: project",
    ),
    "a cv with another skill": _changed(CV, "French > French, Spanish"),
    "minutes corrected": _changed(
        MINUTES, "in spring by the council's own staff > in May by a firm from the village"
    ),
    "minutes with a point more": _changed(
        MINUTES, "4. Date > 4. Thanks to all who cleared the snow.\n5. Date"
    ),
    "пункт добавлен": (ДОГОВОР, ДОГОВОР + " Гарантия на работы — два года."),
    "a policy rewritten in part": _changed(
        POLICY,
        "Where several people ask for the same days, those with school-age children\ncome "
        "first. > If two people want the same days, the manager decides.",
    ),
    "a policy from the next year on": (POLICY, "Valid from 1 January 2025\n\n" + POLICY),
    "slips mended": _changed(POLICY, "manager > manger | several > severel"),
}

FORMS: dict[str, tuple[str, str]] = {
    "the rent and the term": _changed(LEASE, "10,200 > 10,800 | six years > five years"),
    "the rent, the term and the first day": _changed(
        LEASE, "10,200 > 10,800 | six years > five years | 1 March > 15 March"
    ),
    "one figure": _changed(LEASE, "10,200 > 10,450"),
    "an invoice corrected": _changed(
        INVOICE, "105.00 > 70.00 | 3 hours > 2 hours | 245.00 > 210.00"
    ),
    "цена договора": _changed(ДОГОВОР, "185 000 > 197 500"),
    "срок договора": _changed(ДОГОВОР, "тридцать дней > сорок пять дней"),
    "a policy with other numbers": _changed(
        POLICY, "twenty-five > twenty-eight | five days > eight days | two weeks > three weeks"
    ),
    "a lease for another year": _changed(LEASE, "10,200 > 10,800 | 2022 > 2028"),
    "invoices to two customers": _changed(
        INVOICE,
        "2024-117 > 2024-121 | 12 April > 19 April | "
        "Mrs J. Webb, 4 Elm Close, Otley > Mr P. Adeyemi, 31 Station Road, Ilkley | "
        "boiler valve > kitchen tap | 140.00 > 88.50 | 245.00 > 193.50",
    ),
    "invoices to one customer, same amount": _changed(
        INVOICE, "2024-117 > 2024-164 | 12 April > 12 July"
    ),
    "leases of two tenants": _changed(
        LEASE, "Tom Brewer > Sandra Quist | second > third | 1 March 2022 > 1 June 2022"
    ),
    "leases of two tenants, all else equal": _changed(LEASE, "Tom Brewer > Sandra Quist"),
    "two people's cvs": _changed(
        CV,
        "Helen Marsh > Omar Said | 23 Beech Grove, York > 5 Tower Road, Hull | "
        "helen.marsh@example.org, 01904 555 0147 > omar.said@example.org, 01482 555 0102 | "
        "Ridgeway Housing, York > Northgate Homes, Hull | "
        "Cole & Partners, Leeds > Hull City Council | Leeds, 2015 > Hull, 2014",
    ),
    "minutes of two meetings": _changed(
        MINUTES,
        "4 March > 8 April | D. Okafor > L. Finch | "
        "Playground: the swing will be repaired in spring by the council's own staff. > Bus "
        "shelter: two offers were read; the cheaper one is taken. | "
        "Footpath: the complaint about the stile was passed on to the county. > Library: the "
        "opening hours stay as they are. | "
        "8 April 2024 > 13 May 2024",
    ),
    "договоры с двумя подрядчиками": _changed(
        ДОГОВОР,
        "№ 15 > № 22 | 3 марта > 17 июня | "
        "ИП Котова Мария Ивановна > ИП Лосев Игорь Петрович | "
        "ул. Новая, д. 7 > ул. Речная, д. 12 | 185 000 > 92 000",
    ),
    "договоры одного дня": _changed(
        ДОГОВОР, "№ 15 > № 16 | ИП Котова Мария Ивановна > ИП Лосев Игорь Петрович"
    ),
    "two dogs": (
        REX,
        _dog("Leo Burke", "17 Dean Street, Hexham", "Bella", "spaniel", "July 2022"),
    ),
    "two dogs of one owner": (
        REX,
        _dog("Ann Tait", "2 Mill Row, Hexham", "Bella", "spaniel", "July 2022"),
    ),
    "a blank form and a filled one": (
        _dog("", "", "", "", ""),
        REX,
    ),
    "certificates": (
        "This certifies that Rosa Lind has passed the course in first aid on 3 May 2024.\nK. Holm",
        "This certifies that Jan Berg has passed the course in first aid on 3 May 2024.\nK. Holm",
    ),
    "справки": (
        "СПРАВКА\nВыдана Павловой Ирине Сергеевне в том, что она учится в школе № 12 в 7 классе.",
        "СПРАВКА\nВыдана Громову Олегу Ильичу в том, что он учится в школе № 12 в 9 классе.",
    ),
    "payslips of two months": (
        "Payslip for March 2024\nR. Dunn, staff no. 4471\nGross 2,450.00\nTax 310.20\nNet 2,139.80",
        "Payslip for April 2024\nR. Dunn, staff no. 4471\nGross 2,450.00\nTax 310.20\nNet 2,139.80",
    ),
    "tickets": (
        "Boarding pass\nMOORE/ANNA MRS\nFlight BX204 Oslo to Bergen\n14 June 2024 Seat 12A Gate 7",
        "Boarding pass\nMOORE/PETER MR\nFlight BX204 Oslo to Bergen\n14 June 2024 Seat 12B Gate 7",
    ),
}
