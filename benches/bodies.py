"""Rows of eight shapes, made up from a seed.

Each function takes a source of randomness and how far into the body the row stands (0 to 1), and gives one row. All
rows of a body differ, so that no reader profits from a value it has just seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    Row = dict[str, Any]

VOCABULARY = (
    "the jazz night river old market open stage free entry doors late band coffee piano garden walk festival summer "
    "workshop and of with for every quiet loud northern light small hall talk evening winter bring friends"
)
WORDS = VOCABULARY.split()
CITIES = (("Berlin", "Germany", 52.52, 13.405), ("Oslo", "Norway", 59.91, 10.75), ("Kraków", "Poland", 50.06, 19.94))
SCRIPTS = ("Привет мир", "東京の夜", "שלום", "日本語テキスト", "🎷🎹🎺", "Καλημέρα", "مرحبا", "żółć")


def events(random: Random, _: float) -> Row:
    """Give a row of the events agent: its 29 declared columns (section 2.3), about 1.8 KB."""
    city, country, latitude, longitude = random.choice(CITIES)
    street, name, starts = (
        f"{_words(random, 1).title()} Street {random.randint(1, 99)}",
        _words(random, 5),
        _moment(random),
    )
    hosts = [
        {
            "name": _words(random, 2).title(),
            "url": _url(random, "hosts"),
            "id": _digits(random, 14),
            "followers": followers,
        }
        for followers in random.sample([None, 17, 3_204, 88_121], random.randint(1, 2))
    ]
    tickets = {
        "url": _url(random, "tickets"),
        "provider": "Box Office",
        "isFree": False,
        "minPrice": random.randint(500, 3_000) / 100,
        "maxPrice": random.randint(3_000, 9_000) / 100,
        "currency": "EUR",
    }
    return {
        "eventName": name,
        "eventUrl": _url(random, "events"),
        "eventId": _digits(random, 15),
        "description": _words(random, 70) + '\n"' + _words(random, 9) + '"',
        "startDate": starts,
        "dateTime": f"Thu, {random.randint(1, 28)} Mar 2028, 19:00 UTC+1",
        "duration": random.choice(("1 hr", "2 hr 30 min", None)),
        "frequency": "SINGLE",
        "isPast": random.random() < 0.3,
        "isCanceled": random.random() < 0.04,
        "isOnline": False,
        "going": random.randint(0, 4_000),
        "interested": random.randint(0, 20_000),
        "host": hosts[0]["name"],
        "hosts": hosts,
        "venueName": f"{_words(random, 2).title()} Hall",
        "venueUrl": _url(random, "places"),
        "address": f"{street}, {city}, {country}",
        "street": street,
        "city": city,
        "country": country,
        "latitude": round(latitude + random.uniform(-0.1, 0.1), 6),
        "longitude": round(longitude + random.uniform(-0.1, 0.1), 6),
        "category": random.choice(("Music", "Arts", "Food & Drink")),
        "tickets": tickets if random.random() < 0.65 else None,
        "externalLinks": [_url(random, "out") for _ in range(random.randint(0, 2))],
        "coverImageUrl": _url(random, "covers") + ".jpg",
        "imageCaption": random.choice((None, f"{name}, {city}")),
        "occurrences": [
            {"eventId": _digits(random, 15), "startDate": _moment(random), "isPast": False}
            for _ in range(random.choice((0, 1, 1, 4)))
        ],
    }


def comments(random: Random, _: float) -> Row:
    """Give a comment with its replies: short rows, much text in many scripts."""
    replies = [
        {
            "author": _words(random, 2),
            "text": _words(random, 8),
            "likeCount": random.randint(0, 99),
            "publishedAt": _moment(random),
        }
        for _ in range(random.choice((0, 0, 0, 1, 2)))
    ]
    return {
        "commentId": "Ug" + _digits(random, 22),
        "text": f"{_words(random, 12)} {random.choice(SCRIPTS)}",
        "author": _words(random, 2).title(),
        "authorUrl": _url(random, "@"),
        "isAuthorChannelOwner": random.random() < 0.05,
        "publishedAt": _moment(random),
        "likeCount": random.randint(0, 90_000),
        "replyCount": len(replies),
        "replies": replies,
        "isPinned": False,
        "isEdited": random.random() < 0.1,
        "language": random.choice(("en", "de", "ja")),
        "videoId": _digits(random, 11),
    }


#: Names as they are written where they are.
NAMES = (
    *("Kraków", "Malmö", "São Paulo", "Łódź", "Besançon", "Århus", "Oslo", "Lyon", "Düsseldorf"),
    *("東京", "北京市", "서울", "Москва", "Αθήνα", "القاهرة", "नई दिल्ली", "Тбилиси", "ירושלים"),
)


def places(random: Random, _: float) -> Row:
    """Give a place with its names as they are written there: short texts, most of them not ASCII."""
    return {
        "id": random.randint(1, 10**9),
        "name": f"{random.choice(NAMES)} {random.choice(NAMES)} {random.randint(1, 999)}",
        "street": f"{random.choice(NAMES)} {random.randint(1, 99)}",
        "city": random.choice(NAMES),
        "region": random.choice(NAMES),
        "tags": [random.choice(NAMES) for _ in range(random.randint(0, 4))],
        "rating": random.randint(10, 50) / 10,
        "isOpen": random.random() < 0.8,
    }


def sparse(random: Random, _: float) -> Row:
    """Give a row of a feed of 200 kinds: a few common columns, and one or two of 200 objects of different fields."""
    row: Row = {"id": _digits(random, 12), "at": _moment(random), "public": True}
    for kind in random.sample(range(200), random.randint(1, 2)):
        payload: Row = {"url": _url(random, "payload"), "number": random.randint(1, 99_999), "note": _words(random, 6)}
        payload[f"detail{kind % 7}"] = {
            "name": _words(random, 2),
            "score": random.random(),
            "tags": [_words(random, 1)],
        }
        if kind % 3 == 0:
            payload["items"] = [{"sku": _digits(random, 6), "count": n} for n in range(random.randint(0, 3))]
        row[f"payload{kind:03}"] = payload
    return row


#: What an activity feed tells of, each with fields of its own.
SUBJECTS = (
    *("branch", "check", "comment", "commit", "deployment", "fork", "issue", "label"),
    *("member", "milestone", "page", "release", "review", "star", "tag", "team"),
)


def feed(random: Random, _: float) -> Row:
    """Give a row of an activity feed: a few common columns, and one of 16 objects of 14 to 21 fields."""
    kind = random.randrange(len(SUBJECTS))
    subject: Row = {
        "id": random.randint(10**8, 10**9),
        "url": _url(random, SUBJECTS[kind]),
        "title": _words(random, 6),
        "body": random.choice((None, _words(random, 40))),
        "state": random.choice(("open", "closed")),
        "isLocked": False,
        "author": {"login": _words(random, 1), "id": random.randint(1, 99_999), "isAdmin": random.random() < 0.1},
        "labels": [
            {"name": _words(random, 1), "color": f"{random.randrange(1 << 24):06x}"}
            for _ in range(random.randint(0, 2))
        ],
        "createdAt": _moment(random),
        "closedAt": random.choice((None, _moment(random))),
    }
    for n in range(4 + kind % 8):
        subject[f"{SUBJECTS[kind]}{n}"] = (_words(random, 2), random.randint(0, 999), random.random(), None)[n % 4]
    return {
        "id": _digits(random, 11),
        "type": SUBJECTS[kind].title(),
        "actor": {"id": random.randint(1, 99_999), "login": _words(random, 1), "url": _url(random, "users")},
        "payload": {"action": random.choice(("opened", "edited", "closed")), SUBJECTS[kind]: subject},
        "isPublic": True,
        "createdAt": _moment(random),
    }


def drifting(random: Random, progress: float) -> Row:
    """Give a row whose types depend on where it stands: integers, then fractions, then text; a column that comes late."""
    row: Row = {
        "id": random.randint(2**53, 2**62),
        "parent": random.randint(2**53, 2**62) if random.random() < 0.5 else None,
        "score": random.randint(0, 999) if progress < 0.6 else round(random.uniform(0, 999), 2),
        "size": random.randint(0, 999) if progress < 0.97 else random.choice((7, "n/a", "3 GB")),
        "owner": {"id": random.randint(0, 999)} if progress < 0.9 else _words(random, 1),
        "verified": random.random() < 0.5 if progress < 0.95 else "unknown",
        "postcode": f"{random.randint(0, 99_999):05}",
        "title": _words(random, 12),
    }
    if progress > 0.95:
        row["late"] = {"reason": _words(random, 3)}
    return row


def escaped(random: Random, _: float) -> Row:
    r"""Give a row of text in many scripts; in its body every character beyond ASCII is written as `\u`."""
    text = " ".join(random.choice(SCRIPTS) for _ in range(8))
    return {
        "id": _digits(random, 12),
        "text": text,
        "path": f"C:\\{_words(random, 1)}\n\t{_words(random, 3)}",
        "n": random.random(),
    }


def long_text(random: Random, _: float) -> Row:
    """Give a page of text: a cell of some 6 KB."""
    return {
        "url": _url(random, "pages"),
        "title": _words(random, 6),
        "text": "\n".join(_words(random, 25) for _ in range(40)),
    }


#: What a body may hold, by name.
KINDS: dict[str, Callable[[Random, float], Row]] = {
    "events": events,
    "comments": comments,
    "places": places,
    "feed": feed,
    "sparse": sparse,
    "drifting": drifting,
    "escaped": escaped,
    "long-text": long_text,
}


def _words(random: Random, count: int) -> str:
    return " ".join(random.choices(WORDS, k=count))


def _digits(random: Random, count: int) -> str:
    return str(random.randrange(10 ** (count - 1), 10**count))


def _url(random: Random, part: str) -> str:
    return f"https://www.events.example/{part}/{_digits(random, 15)}"


def _moment(random: Random) -> str:
    return f"2028-0{random.randint(1, 9)}-{random.randint(10, 28)}T{random.randint(10, 23)}:30:00Z"
