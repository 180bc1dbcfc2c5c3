"""Forms that recur: the same person or firm, another month, amount or addressee.

They are harder to tell from versions than forms of different people, for names stay the same and
figures alone change; and beside each there is a true version, in which wording changes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from tests.folders.papers import Paper
from tests.folders.prose import VOCABULARIES, sentence

Form = Callable[[random.Random, str, int], Paper]
"""From a draw, a language and the number of the paper in its series."""


def _money(draw: random.Random, low: int, high: int) -> str:
    return f"{draw.randrange(low, high):,}.{draw.randrange(100):02}"


def _filled(
    lines: tuple[str, ...], values: Mapping[str, object], name: str, language: str, form: str
) -> Paper:
    return Paper(name, language, tuple(line.format(**values) for line in lines), form)


def payslip(draw: random.Random, language: str, number: int) -> Paper:
    """One employee, month after month."""
    words = VOCABULARIES[language]
    month, year = words.months[number % 12], 2022 + number // 12
    values = {
        "person": words.people[3],
        "firm": words.companies[2],
        "month": month,
        "year": year,
        "hours": draw.randrange(140, 176),
        "gross": _money(draw, 2400, 3300),
        "tax": _money(draw, 400, 700),
        "fund": _money(draw, 100, 300),
        "net": _money(draw, 1700, 2500),
    }
    lines = {
        "en": (
            "Payslip {month} {year}",
            "Employer: {firm}. Employee: {person}, personnel number 00417, tax class 1.",
            "Hours worked: {hours}. Gross pay: {gross}. Income tax: {tax}. Pension fund: {fund}.",
            "Net pay: {net}, transferred to the account known to us on the last working day.",
            "Please keep this statement; it may be required for your tax return and for benefits.",
        ),
        "ru": (
            "Расчётный листок за {month} {year} г.",
            "Работодатель: {firm}. Работник: {person}, табельный номер 00417, оклад по договору.",
            "Отработано часов: {hours}. Начислено: {gross}. Налог: {tax}. Взносы: {fund}.",
            "К выплате: {net}, перечислено на карту в последний рабочий день месяца.",
            "Сохраните листок: он может понадобиться для налоговой декларации и субсидий.",
        ),
    }
    return _filled(lines[language], values, f"Payslip {month} {year}", language, "payslip")


def policy(draw: random.Random, language: str, number: int) -> Paper:
    """An insurance policy renewed every year: the period and the premium change."""
    words, year = VOCABULARIES[language], 2015 + number
    values = {"person": words.people[5], "year": year, "premium": _money(draw, 200, 900)}
    lines = {
        "en": (
            "Household insurance, policy number HI-2207-881",
            "Policyholder: {person}, 14 Canal Walk, York. Insured sum: 60,000.00.",
            "Period of insurance: 1 January {year} to 31 December {year}.",
            "The annual premium is {premium} and is payable in advance.",
            "Cover includes fire, burst pipes, storm, burglary and vandalism after burglary within "
            "the insured premises. Bicycles are covered if they were locked.",
            "The policyholder reports every loss without delay, keeps damaged things for "
            "inspection and gives the police a list of what was stolen.",
            "Either party may end the contract by notice of three months to the end of the period.",
        ),
        "ru": (
            "Полис страхования домашнего имущества № ДИ-2207-881",
            "Страхователь: {person}, Тверь, Садовая улица, 14. Страховая сумма: 600 000 рублей.",
            "Срок страхования: с 1 января {year} г. по 31 декабря {year} г.",
            "Страховая премия составляет {premium} и уплачивается единовременно.",
            "Застрахованы риски пожара, аварии водопровода, бури, кражи со взломом и порчи "
            "имущества при краже в пределах застрахованного помещения.",
            "Страхователь незамедлительно сообщает о каждом убытке, сохраняет повреждённое "
            "имущество для осмотра и передаёт в полицию список похищенного.",
            "Договор может быть прекращён любой стороной с уведомлением за три месяца.",
        ),
    }
    return _filled(lines[language], values, f"Household insurance {year}", language, "policy")


def reminder(draw: random.Random, language: str, number: int) -> Paper:
    """A payment reminder to one customer after another."""
    words = VOCABULARIES[language]
    values = {
        "person": words.people[number % len(words.people)],
        "number": draw.randrange(1000, 9999),
        "sum": _money(draw, 40, 2000),
        "day": f"{draw.randrange(1, 29)} {draw.choice(words.months)} 2024",
    }
    lines = {
        "en": (
            "Payment reminder",
            "Dear {person},",
            "our invoice {number} of {day} over {sum} pounds has not been settled so far. It may "
            "have escaped your attention, and we should be glad if you transferred the amount "
            "within ten days to the account given below.",
            "If you have paid in the meantime, please regard this letter as void. Should there be "
            "a reason for the delay, do get in touch with us, and a solution will be found.",
            "Yours sincerely, the accounts department",
        ),
        "ru": (
            "Напоминание об оплате",
            "Уважаемый клиент {person}!",
            "Наш счёт {number} от {day} на сумму {sum} рублей до сих пор не оплачен. Возможно, вы "
            "не обратили на него внимания; просим перечислить указанную сумму в течение десяти "
            "дней на счёт, приведённый ниже.",
            "Если вы уже оплатили счёт, считайте это письмо недействительным. Если для задержки "
            "есть причина, свяжитесь с нами, и решение найдётся.",
            "С уважением, отдел расчётов",
        ),
    }
    return _filled(lines[language], values, f"Reminder {values['number']}", language, "reminder")


def application(draw: random.Random, language: str, number: int) -> Paper:
    """One person's letter of application to one firm after another."""
    words = VOCABULARIES[language]
    values = {
        "firm": words.companies[number % len(words.companies)],
        "town": draw.choice(words.towns),
        "day": f"{draw.randrange(1, 29)} {draw.choice(words.months)} 2024",
        "head": words.people[(7 * number) % len(words.people)],
    }
    lines = {
        "en": (
            "Application as a bookkeeper",
            "{firm}, {town}, {day}",
            "Dear {head},",
            "with great interest I have read that you are looking for a bookkeeper. For eleven "
            "years I have kept the books of a wholesaler of building materials, from the daily "
            "entries to the annual statement, and I know the usual programmes well.",
            "I work carefully and like to work in a team. My present employer is moving to another "
            "town, which is why I am looking for a new post from the spring on.",
            "I should be glad to introduce myself in person. Yours sincerely, Ruth Goldberg",
        ),
        "ru": (
            "Заявление о приёме на должность бухгалтера",
            "{firm}, {town}, {day}",
            "Здравствуйте, {head}!",
            "С большим интересом узнала, что вам нужен бухгалтер. Одиннадцать лет я вела учёт в "
            "оптовой компании строительных материалов, от ежедневных проводок до годового отчёта, "
            "и хорошо знаю обычные программы.",
            "Я работаю внимательно и люблю работать в коллективе. Мой нынешний работодатель "
            "переезжает в другой город, поэтому с весны я ищу новое место.",
            "Буду рада рассказать о себе лично. С уважением, Вера Тихонова",
        ),
    }
    return _filled(
        lines[language], values, f"Application {values['firm']}", language, "application"
    )


def laboratory(draw: random.Random, language: str, number: int) -> Paper:
    """One patient's findings, visit after visit."""
    words = VOCABULARIES[language]
    names = {
        "en": "Haemoglobin|Leucocytes|Thrombocytes|Glucose|Creatinine|Cholesterol|Ferritin|Sodium",
        "ru": "Гемоглобин|Лейкоциты|Тромбоциты|Глюкоза|Креатинин|Холестерин|Ферритин|Натрий",
    }[language].split("|")
    day = f"{draw.randrange(1, 29)} {words.months[number % 12]} {2020 + number // 12}"
    title, patient, end = {
        "en": (
            "Laboratory findings of {}",
            "Patient: {}, born 4 March 1971. Sample: venous blood, fasting.",
            "The findings are for the treating doctor and do not replace an examination.",
        ),
        "ru": (
            "Результаты анализов от {}",
            "Пациент: {}, родился 4 марта 1971 г. Материал: венозная кровь, натощак.",
            "Результаты предназначены лечащему врачу и не заменяют осмотра.",
        ),
    }[language]
    rows = [
        f"{name}: {draw.randrange(10, 2000) / 10} ({n + 2}–{n + 90})"
        for n, name in enumerate(names)
    ]
    body = (title.format(day), patient.format(words.people[8]), *rows, end)
    return Paper(f"Findings {day}", language, body, "laboratory")


OTHER_FORMS: dict[str, Form] = {
    "payslip": payslip,
    "policy": policy,
    "reminder": reminder,
    "application": application,
    "laboratory": laboratory,
}


def corrected(draw: random.Random, paper: Paper) -> Paper:
    """A later version of the same paper: a sentence more or less, every figure as it was."""
    body = list(paper.paragraphs)
    place = draw.randrange(1, len(body))
    body.insert(place, sentence(draw, VOCABULARIES[paper.language]))
    return Paper(paper.name, paper.language, tuple(body), paper.form)
