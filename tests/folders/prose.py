"""Running prose in English and Russian from a seed: two draws share next to no run of words."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Vocabulary:
    """The words of one language, and the patterns that make sentences of them."""

    subjects: tuple[str, ...]
    verbs: tuple[str, ...]
    objects: tuple[str, ...]
    tails: tuple[str, ...]
    openings: tuple[str, ...]
    people: tuple[str, ...]
    streets: tuple[str, ...]
    towns: tuple[str, ...]
    companies: tuple[str, ...]
    months: tuple[str, ...]


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.strip().split("|"))


ENGLISH = Vocabulary(
    subjects=_list(
        "the committee|our supplier|the northern office|the new manager|a small team|the auditor|"
        "the landlord|the school board|the project group|the architect|the driver|the insurer|"
        "the local council|the chief engineer|the customer|the editor|the warehouse|the laboratory|"
        "the finance department|the gardener|the night shift|the museum|the library|the orchestra|"
        "the harbour master|the clinic|the translator|the inspector|the printing house|the bakery|"
        "the railway company|the farmers' union|the programme|the visiting professor|the trainee"
    ),
    verbs=_list(
        "has reviewed|will postpone|considers|rejected|approved|is preparing|repaired|ordered|"
        "measured|described|moved|sold|replaced|compared|delivered|counted|painted|tested|cancelled|"
        "recorded|improved|missed|explained|inherited|published|translated|borrowed|inspected|"
        "financed|rebuilt|insured|archived|advertised|corrected|examined|designed|shortened"
    ),
    objects=_list(
        "the heating system|a draft of the budget|the spring timetable|two older machines|"
        "the roof above the hall|a series of lectures|the delivery terms|the list of members|"
        "the winter collection|a set of maps|the lift in the east wing|the harbour railway|"
        "the results of the survey|several broken windows|the annual statement|the water meter|"
        "a bridge over the canal|the recipe for rye bread|the safety rules|the car park|"
        "an exhibition of glass|the training course|the telephone lines|a shipment of timber|"
        "the choir's programme|the patients' records|the cycle path|the summer festival|"
        "three letters from abroad|the cellar archive|the colour samples|the engine of the ferry|"
        "the application for a grant|the catalogue of coins|the boundary wall|the school kitchen"
    ),
    tails=_list(
        "before the end of the week|without further costs|in spite of the rain|as agreed in spring|"
        "for the third time|with help from volunteers|because the deadline was moved|"
        "after a long discussion|on behalf of the owners|to everybody's surprise|at half the price|"
        "during the holidays|with great care|under the new law|near the old market|in two stages|"
        "at the request of the neighbours|within the present budget|by the light of torches|"
        "with a view to next year|once the paint had dried|against the advice of experts|"
        "in the presence of witnesses|while the road was closed|for reasons of safety"
    ),
    openings=_list(
        "Last month|According to the minutes|In the meantime|As a rule|On Thursday|Nevertheless|"
        "For this reason|Since the move|In the second half of the year|At short notice|"
        "To begin with|Unlike in former years|After the holidays|Until further notice|Finally"
    ),
    people=_list(
        "Anna Whitfield|George Marlowe|Priya Nair|Thomas Okafor|Eleanor Brandt|Daniel Sorensen|"
        "Margaret Lindqvist|Hassan Raza|Julia Castellano|Peter Vandenberg|Sophie Delacroix|"
        "Martin Hruska|Olivia Penrose|Samuel Adeyemi|Ingrid Halvorsen|Walter Kowalczyk|"
        "Beatrice Fontaine|Leo Andersen|Catherine Moss|Victor Almeida|Ruth Goldberg|Henry Ashworth"
    ),
    streets=_list(
        "Mill Lane|Station Road|Queen Street|Harbour View|Orchard Close|Church Hill|Park Avenue|"
        "Canal Walk|Bridge Street|Elm Grove|Castle Terrace|Victoria Square|Meadow Way|Foundry Row"
    ),
    towns=_list(
        "Bristol|York|Leeds|Norwich|Exeter|Durham|Oxford|Cardiff|Dundee|Lincoln|Chester|Bath|Hull"
    ),
    companies=_list(
        "Brightwater Ltd|Oakfield Supplies|Northgate Logistics|Hadley & Sons|Silverline Print|"
        "Meridian Travel|Fernhill Foods|Copperfield Tools|Westbrook Dental|Larkspur Design|"
        "Stonebridge Homes|Amberley Textiles|Kestrel Software|Riverside Catering|Thornton Glass"
    ),
    months=_list(
        "January|February|March|April|May|June|July|August|September|October|November|December"
    ),
)

RUSSIAN = Vocabulary(
    subjects=_list(
        "комиссия|наш поставщик|северный отдел|новый директор|небольшая группа|ревизор|"
        "арендодатель|школьный совет|архитектор|водитель|страховая компания|городская управа|"
        "главный инженер|заказчик|редактор|лаборатория|бухгалтерия|садовник|ночная смена|музей|"
        "библиотека|оркестр|поликлиника|переводчик|типография|пекарня|железная дорога|стажёр|"
        "приглашённый профессор|союз фермеров|театральная студия|метеостанция|склад готовых изделий"
    ),
    verbs=_list(
        "рассмотрит|отложит|проверяет|отклонит|одобрит|готовит|отремонтирует|закажет|измерит|"
        "опишет|перенесёт|продаст|заменит|сравнит|доставит|пересчитает|покрасит|испытает|отменит|"
        "улучшит|объяснит|опубликует|переведёт|осмотрит|оплатит|перестроит|застрахует|исправит"
    ),
    objects=_list(
        "систему отопления|проект бюджета|весеннее расписание|два старых станка|крышу над залом|"
        "цикл лекций|условия поставки|список участников|зимнюю коллекцию|набор карт|"
        "лифт в восточном крыле|результаты опроса|разбитые окна|годовой отчёт|счётчик воды|"
        "мост через канал|рецепт ржаного хлеба|правила безопасности|стоянку у входа|"
        "выставку стекла|учебный курс|телефонные линии|партию древесины|программу хора|"
        "велосипедную дорожку|летний праздник|письма из-за границы|подвальный архив|"
        "образцы красок|двигатель парома|заявку на грант|каталог монет|школьную кухню"
    ),
    tails=_list(
        "до конца недели|без дополнительных расходов|несмотря на дождь|как было решено весной|"
        "в третий раз|с помощью добровольцев|после долгого обсуждения|по поручению владельцев|"
        "к общему удивлению|за полцены|во время каникул|с большой осторожностью|по новому закону|"
        "возле старого рынка|в два этапа|по просьбе соседей|в пределах сметы|при свидетелях|"
        "пока дорога закрыта|по соображениям безопасности|вопреки советам знатоков|к новому году"
    ),
    openings=_list(
        "В прошлом месяце|Согласно протоколу|Тем временем|Как правило|В четверг|Тем не менее|"
        "По этой причине|После переезда|Во второй половине года|Для начала|Наконец|До сих пор"
    ),
    people=_list(
        "Анна Соколова|Пётр Лебедев|Мария Орлова|Сергей Захаров|Елена Морозова|Игорь Белов|"
        "Татьяна Громова|Алексей Дорофеев|Ольга Яковлева|Николай Фомин|Вера Тихонова|Роман Усов|"
        "Ирина Калашникова|Денис Широков|Людмила Назарова|Григорий Панов|Юлия Ершова"
    ),
    streets=_list(
        "улица Мира|Садовая улица|Речной проспект|Вокзальная улица|Липовая аллея|улица Гагарина|"
        "Кузнечный переулок|Школьная улица|набережная Труда|Полевая улица|Рябиновый проезд"
    ),
    towns=_list("Тверь|Псков|Казань|Самара|Вологда|Пермь|Томск|Рязань|Калуга|Иркутск|Омск|Тула"),
    companies=_list(
        "ООО «Берёзка»|ООО «Северный ветер»|АО «Мост»|ООО «Светлый дом»|ИП Круглов|ООО «Парус»|"
        "АО «Печатный двор»|ООО «Зерно»|ООО «Вектор»|АО «Лесторг»|ООО «Горизонт»|ООО «Кедр»"
    ),
    months=_list(
        "января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря"
    ),
)
VOCABULARIES = {"en": ENGLISH, "ru": RUSSIAN}


def sentence(draw: random.Random, words: Vocabulary) -> str:
    """One sentence."""
    subject, verb = draw.choice(words.subjects), draw.choice(words.verbs)
    line = f"{subject} {verb} {draw.choice(words.objects)} {draw.choice(words.tails)}"
    if draw.random() < 0.3:
        line = f"{draw.choice(words.openings)} {line}"
    if draw.random() < 0.3:
        joined = ", while " if words is ENGLISH else ", а "
        line += f"{joined}{draw.choice(words.subjects)} {draw.choice(words.verbs)}"
        line += f" {draw.choice(words.objects)}"
    if draw.random() < 0.15:
        paid = "at a cost of {:,} pounds" if words is ENGLISH else "за {:,} рублей"
        line += " " + paid.format(draw.randrange(200, 90_000))
    return line[0].upper() + line[1:] + "."


def paragraph(draw: random.Random, words: Vocabulary, sentences: int = 5) -> str:
    """Some sentences."""
    return " ".join(sentence(draw, words) for _ in range(sentences))


def day(draw: random.Random, words: Vocabulary, year: int) -> str:
    """A date in words."""
    number, month = draw.randrange(1, 29), draw.choice(words.months)
    return f"{number} {month} {year}" + ("" if words is ENGLISH else " г.")
