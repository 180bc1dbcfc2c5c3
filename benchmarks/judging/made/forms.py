"""Forms with other facts: invoices, contracts and letters of a few templates.

A form filled in with other facts is another document, though nearly all its words are equal; the
same facts typed again, with slips, in another order or in the company's new template, are a copy.
"""

from __future__ import annotations

import random
import re
import textwrap
from dataclasses import dataclass

from judging.builder import Builder
from judging.labelled import Collection
from judging.made import facts

DEALS = 330


@dataclass(frozen=True)
class Deal:
    """The facts of one piece of business."""

    number: int
    seller: str
    buyer: str
    contact: str
    address: str
    date: str
    lines: tuple[tuple[str, int, int], ...]

    @property
    def total(self) -> int:
        return sum(count * price for _, count, price in self.lines)


def make(seed: int = 1) -> Collection:
    """Papers of three templates; a third of the deals has its paper a second or third time."""
    why = "The same facts, typed again or in the new template; never the same form with others."
    builder = Builder("forms", "forms", why, seed=seed)
    rng = builder.rng
    sellers = [facts.firm(rng) for _ in range(4)]
    first: dict[int, int] = {}
    for number in range(DEALS):
        deal, template = _deal(number, rng.choice(sellers), rng), number % 3
        original = builder.add(f"{number}/a", TEMPLATES[template](deal), number)
        # The same form with other facts: the last one of the same template.
        if template in first:
            builder.alike(first[template], original)
        first[template] = original
        if number % 3 == 0 or rng.random() < 0.2:
            builder.add(f"{number}/b", _retyped(TEMPLATES[template](deal), rng), number)
        if rng.random() < 0.15:
            builder.add(f"{number}/c", _new_template(deal, template), number)
    return builder.collection()


def _deal(number: int, seller: str, rng: random.Random) -> Deal:
    goods = rng.sample(facts.GOODS, rng.randrange(2, 6))
    return Deal(
        rng.randrange(10_000, 99_999),
        seller,
        facts.firm(rng),
        facts.person(rng),
        facts.address(rng),
        facts.day(rng),
        tuple((good, rng.randrange(1, 60), rng.randrange(150, 19_000)) for good in goods),
    )


def _sum(pence: int) -> str:
    return f"{pence // 100:,}.{pence % 100:02} GBP"


def invoice(deal: Deal) -> str:
    rows = "\n".join(
        f"{count:4} x {good:24} at {_sum(price)} each: {_sum(count * price)}"
        for good, count, price in deal.lines
    )
    return (
        f"{deal.seller}\nINVOICE No. {deal.number}\nDate of issue: {deal.date}\n\n"
        f"Bill to: {deal.buyer}, attention of {deal.contact}, {deal.address}\n\n"
        f"{rows}\n\nTotal amount due: {_sum(deal.total)}\n\n"
        "Payment is due within thirty days of the date of issue by bank transfer to the account "
        "named below. Please state the number of the invoice with your payment. Interest of two "
        "per cent a month is charged on overdue amounts. Goods remain our property until they have "
        "been paid for in full. Claims for damaged or missing goods must reach us in writing "
        "within seven days of delivery. Thank you for your business."
    )


def contract(deal: Deal) -> str:
    goods = "; ".join(f"{count} {good}" for good, count, _ in deal.lines)
    return (
        f"SUPPLY AGREEMENT {deal.number}\n\nThis agreement is made on {deal.date} between "
        f"{deal.seller} (the Supplier) and {deal.buyer} of {deal.address} (the Customer), "
        f"represented by {deal.contact}.\n\n1. Supply. The Supplier sells and the Customer buys "
        f"the following goods: {goods}.\n\n2. Price. The price of all goods is {_sum(deal.total)}, "
        "payable within thirty days of delivery. Prices do not include value added tax.\n\n"
        "3. Delivery. The Supplier delivers the goods to the address of the Customer within four "
        "weeks. Risk passes to the Customer on delivery. The Supplier is not liable for delays "
        "beyond its reasonable control.\n\n4. Warranty. The Supplier warrants that the goods are "
        "free from defects in material and workmanship for twelve months. The Customer's sole "
        "remedy is repair or replacement of defective goods.\n\n5. Liability. Neither party is "
        "liable for indirect or consequential loss. Nothing limits liability for death or personal "
        "injury caused by negligence.\n\n6. Law. This agreement is governed by the laws of England "
        "and the courts of London have jurisdiction."
    )


def letter(deal: Deal) -> str:
    good, count, _ = deal.lines[0]
    return (
        f"{deal.address}\n{deal.date}\n\nDear {deal.contact},\n\nthank you for your order "
        f"{deal.number} of {deal.date}. We are pleased to confirm that {count} {good} and "
        f"{len(deal.lines) - 1} further items will be sent to {deal.buyer} this week. The total is "
        f"{_sum(deal.total)}.\n\nShould anything be missing or damaged on arrival, please let us "
        "know within seven days and keep the packaging, so that we can send a replacement at once. "
        "Our customer service is at your disposal from Monday to Friday between nine and five. We "
        "value your trust and look forward to serving you again.\n\nWith kind regards\n"
        f"for {deal.seller}"
    )


TEMPLATES = (invoice, contract, letter)


def _retyped(text: str, rng: random.Random) -> str:
    """The same paper typed again: slips in words, other lines, a lost paragraph; facts stay."""
    words = []
    for word in text.split(" "):
        if word.isalpha() and word.islower() and len(word) > 4 and rng.random() < 0.06:
            place = rng.randrange(1, len(word) - 2)
            word = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        words.append(word)
    paragraphs = re.split(r"\n\n", " ".join(words))
    if len(paragraphs) > 4 and rng.random() < 0.4:
        paragraphs.pop(rng.randrange(3, len(paragraphs)))
    lines = ["\n".join(textwrap.wrap(part, rng.randrange(50, 90))) for part in paragraphs]
    return "\n\n".join(lines)


def _new_template(deal: Deal, template: int) -> str:
    """The same paper in the template that the company uses now."""
    title = ("Invoice", "Contract of supply", "Confirmation of order")[template]
    rows = "".join(
        f"  - {good}, quantity {count}, unit price {_sum(price)}\n"
        for good, count, price in deal.lines
    )
    return (
        f"{title} / reference {deal.number}\n\nIssued {deal.date} by {deal.seller}\nCustomer: "
        f"{deal.buyer}\nContact: {deal.contact}\nAddress: {deal.address}\n\n{rows}\nSum total: "
        f"{_sum(deal.total)}\n\nOur general terms of business apply; you find them on our web "
        "site. Questions about this document are answered by the accounts department."
    )
