"""How much happens on a day of the year, and who sends it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from portal.demo.year.people import SENDERS, Plan, Sender

DAYS = 364
# From Monday to Sunday, and from January to December.
WEEKDAYS = (1.15, 1.2, 1.15, 1.1, 0.95, 0.65, 0.8)
MONTHS = (1.25, 1.1, 1.05, 0.95, 0.9, 0.85, 0.75, 0.8, 1.05, 1.1, 1.35, 1.2)
GROWTH = 1.1
# The share of visitors from other countries than the affiliate's first.
ABROAD = 0.3
# Referrers by the sender's plan, with how often each is seen.
REFERRERS: dict[Plan, tuple[tuple[str, int], ...]] = {
    Plan.STANDARD: (
        ("{site}/best-web-hosting", 56),
        ("www.google.com", 24),
        ("", 8),
        ("duckduckgo.com", 3),
        ("www.bing.com", 4),
        ("www.reddit.com/r/webhosting", 4),
        ("news.ycombinator.com", 1),
    ),
    Plan.AGENCIES: (
        ("{site}/kontakt", 70),
        ("mail.google.com", 15),
        ("www.linkedin.com", 10),
        ("", 5),
    ),
    Plan.CREATORS: (
        ("www.youtube.com", 60),
        ("www.instagram.com", 14),
        ("t.co", 8),
        ("www.facebook.com", 8),
        ("", 10),
    ),
}
AGENTS: tuple[tuple[str, int], ...] = (
    ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/{}.0 Safari/537.36", 45),
    ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/{}.0 Safari/605.1.15", 20),
    ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/{}.0 Mobile Safari/604.1", 20),
    ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/{}.0", 15),
)  # fmt: skip


SUB_IDS = ("", "", "", "", "newsletter", "sidebar", "review", "footer")
# Who adds them.
TAGGING = ("demo", "devletter")


class Caller(NamedTuple):
    """Where a visitor comes from."""

    referrer: str
    country: str
    user_agent: str
    ip_prefix: str
    sub_id: str


def amounts(first: date, total: int, dice: random.Random) -> list[int]:
    """How many on each day of the year, ``total`` in all."""
    weights = [
        _weight(first, number) * dice.uniform(0.75, 1.25) for number in range(DAYS)
    ]
    counts = [0] * DAYS
    for number in dice.choices(range(DAYS), weights, k=total):
        counts[number] += 1
    return counts


def _weight(first: date, number: int) -> float:
    day = first + timedelta(days=number)
    growth = 1 + GROWTH * number / DAYS
    return WEEKDAYS[day.weekday()] * MONTHS[day.month - 1] * growth


def choose_senders(
    number: int, count: int, dice: random.Random, *, sell: bool
) -> Sequence[Sender]:
    """Draws senders among those that have joined by this day of the year."""
    there = [sender for sender in SENDERS if DAYS - sender.since < number]
    weights = [
        place.weight * place.fortune.share(number / DAYS) * (place.sells if sell else 1)
        for place in there
    ]
    return dice.choices(there, weights, k=count) if any(weights) else ()


def draw_caller(sender: Sender, dice: random.Random) -> Caller:
    pages, shares = zip(*REFERRERS[sender.plan], strict=True)
    [page] = dice.choices(pages, shares)
    agents, common = zip(*AGENTS, strict=True)
    [agent] = dice.choices(agents, common)
    return Caller(
        referrer=page.format(site=sender.site),
        country=_country(sender, dice),
        user_agent=agent.format(dice.randint(126, 145)),
        ip_prefix=f"{dice.randint(11, 220)}.{dice.randint(0, 255)}.{dice.randint(0, 255)}.0/24",
        sub_id=dice.choice(SUB_IDS) if sender.code in TAGGING else "",
    )


def _country(sender: Sender, dice: random.Random) -> str:
    """Mostly the first of its countries."""
    first, *others = sender.countries.split()
    return dice.choice(others) if others and dice.random() < ABROAD else first
