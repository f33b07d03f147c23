"""The affiliates of the demonstration with their fortunes, and the names of clients."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

BANK, PAYPAL = "bank", "paypal"
WALLET, OFFLINE = "wallet", "offline"


class Fortune(Enum):
    """How an affiliate's traffic goes: its share by the part of the year gone (0 to 1)."""

    STEADY = "steady"
    RISING = "rising"
    FADING = "fading"
    SEASONAL = "seasonal"
    # Sent nobody for four months.
    QUIET = "quiet"
    # Has a link and never used it.
    NEVER = "never"
    SUSPENDED = "suspended"

    def share(self, gone: float) -> float:
        if self is Fortune.RISING:
            return 0.3 + 1.5 * gone
        if self is Fortune.FADING:
            return 1.6 - 1.3 * gone
        if self is Fortune.SEASONAL:
            return 2.2 if gone < 0.12 or 0.72 < gone < 0.82 else 0.6
        if self is Fortune.QUIET:
            return 1.0 if gone < 0.64 else 0.0
        if self is Fortune.SUSPENDED:
            return 1.0 if gone < 0.8 else 0.0
        return 0.0 if self is Fortune.NEVER else 1.0


class Plan(Enum):
    STANDARD = "Standard"
    AGENCIES = "Agencies"
    CREATORS = "Creators"


class Sender(NamedTuple):
    """An affiliate: ``since`` days ago, ``weight`` of the traffic, sells ``per_cent``."""

    code: str
    firstname: str
    lastname: str
    site: str
    countries: str
    since: int
    weight: float
    sells: float
    fortune: Fortune
    plan: Plan
    paid_by: str
    recruiter: str = ""


_S, _A, _C = Plan.STANDARD, Plan.AGENCIES, Plan.CREATORS
_STEADY, _RISING, _FADING = Fortune.STEADY, Fortune.RISING, Fortune.FADING
_SEASONAL, _QUIET, _NEVER = Fortune.SEASONAL, Fortune.QUIET, Fortune.NEVER

# The first is the affiliate whose login is printed with today's link.
SENDERS: tuple[Sender, ...] = (
    Sender("demo", "Nora", "Lindqvist", "hostingradar.example", "DE DE AT SE", 364, 15, 1.3, _RISING, _S, BANK),
    Sender("compare-hosts", "Tom", "Becker", "compare-hosts.example", "DE DE DE CH", 364, 17, 1.1, _STEADY, _S, BANK),
    Sender("pixelwerk", "Julia", "Brandt", "pixelwerk.example", "DE AT", 360, 4, 2.6, _RISING, _A, BANK),
    Sender("studio-nord", "Lars", "Petersen", "studio-nord.example", "DK SE DE", 350, 3, 2.4, _STEADY, _A, PAYPAL),
    Sender("webtipps", "Sandra", "Vogel", "webtipps.example", "DE DE CH", 362, 9, 0.8, _FADING, _S, PAYPAL),
    Sender("codewithkai", "Kai", "Nakamura", "www.youtube.com/@codewithkai", "US GB DE IN", 330, 8, 0.17, _RISING, _C, PAYPAL),
    Sender("smallbizhelp", "Olivia", "Hart", "smallbizhelp.example", "GB IE US", 341, 6, 0.9, _STEADY, _S, PAYPAL),
    Sender("le-blog-web", "Camille", "Moreau", "leblogweb.example", "FR FR BE", 322, 5, 0.9, _SEASONAL, _S, BANK),
    Sender("serverfuchs", "Florian", "Wolf", "serverfuchs.example", "DE AT", 310, 5, 0.8, _STEADY, _S, WALLET),
    Sender("agence-bleue", "Hugo", "Laurent", "agence-bleue.example", "FR BE", 300, 2, 2.5, _STEADY, _A, BANK),
    Sender("devletter", "Priya", "Raman", "devletter.example", "US IN GB", 290, 4, 0.9, _RISING, _S, PAYPAL),
    Sender("meinerste", "Lena", "Hofmann", "meine-erste-website.example", "DE DE AT", 280, 5, 0.5, _SEASONAL, _S, PAYPAL),
    Sender("kitchenblog", "Sofia", "Rossi", "soficucina.example", "IT IT CH", 275, 2, 0.6, _STEADY, _S, PAYPAL),
    Sender("hostvergleich", "Markus", "Keller", "hostvergleich.example", "DE CH", 270, 5, 0.8, Fortune.SUSPENDED, _S, BANK),
    Sender("wp-werkstatt", "Anja", "Richter", "wp-werkstatt.example", "DE DE", 262, 2, 0.7, _RISING, _A, BANK, "pixelwerk"),
    Sender("techreviewtv", "Ben", "Oduya", "www.youtube.com/@techreviewtv", "GB US NG", 250, 5, 0.2, _STEADY, _C, PAYPAL),
    Sender("freelance-io", "Marta", "Kowalska", "freelance-io.example", "PL DE", 244, 2, 0.9, _STEADY, _S, PAYPAL),
    Sender("bouwjesite", "Daan", "de Vries", "bouwjesite.example", "NL NL BE", 236, 3, 0.9, _STEADY, _S, BANK),
    Sender("gruenderzeit", "Paul", "Schneider", "gruenderzeit.example", "DE AT", 230, 3, 0.7, _QUIET, _S, BANK),
    Sender("stadtverein", "Ute", "Krause", "stadtverein.example", "DE", 221, 1, 1.0, _STEADY, _S, OFFLINE),
    Sender("opensource-news", "Jakob", "Nyberg", "opensource-news.example", "SE DK US", 214, 3, 0.4, _STEADY, _S, PAYPAL),
    Sender("foto-elena", "Elena", "Garcia", "foto-elena.example", "ES ES PT", 200, 1, 0.7, _STEADY, _S, PAYPAL),
    Sender("klickstark", "Nina", "Bauer", "klickstark.example", "DE AT", 190, 1, 1.2, _RISING, _A, BANK, "pixelwerk"),
    Sender("student-max", "Max", "Weber", "maxlernt.example", "DE", 180, 1, 0.4, _STEADY, _S, WALLET),
    Sender("domainprofi", "Rolf", "Zimmer", "domainprofi.example", "DE CH", 172, 2, 0.9, _QUIET, _S, BANK),
    Sender("nomadlife", "Zoe", "Clark", "nomadlife.example", "US PT ES", 160, 2, 0.5, _STEADY, _S, PAYPAL),
    Sender("schulportal", "Heike", "Lorenz", "schulportal.example", "DE", 151, 1, 0.6, _SEASONAL, _S, OFFLINE),
    Sender("site-mechanic", "Aidan", "Byrne", "sitemechanic.example", "IE GB", 140, 2, 1.0, _RISING, _S, PAYPAL),
    Sender("webdesign-mia", "Mia", "Huber", "webdesign-mia.example", "AT DE", 128, 1, 1.6, _STEADY, _S, BANK),
    Sender("budgetgeek", "Liam", "Foster", "budgetgeek.example", "US CA", 119, 2, 0.4, _RISING, _S, PAYPAL),
    Sender("hobby-imker", "Georg", "Maier", "hobbyimker.example", "DE AT", 104, 1, 0.5, _STEADY, _S, WALLET),
    Sender("podcast-netz", "Clara", "Engel", "podcastnetz.example", "DE", 92, 2, 0.6, _RISING, _S, PAYPAL),
    Sender("startup-map", "Yusuf", "Demir", "startupmap.example", "DE TR", 75, 1, 0.8, _STEADY, _S, BANK),
    Sender("rubyweekly", "Hannah", "Price", "rubyweekly.example", "GB US", 51, 2, 0.6, _RISING, _S, PAYPAL),
    Sender("camperblog", "Timo", "Frank", "camperblog.example", "DE", 33, 1, 0.4, _STEADY, _S, PAYPAL),
    Sender("yogaraum", "Ines", "Sommer", "yogaraum.example", "DE", 190, 1, 0, _NEVER, _S, WALLET),
    Sender("buchhandel", "Klaus", "Peters", "buchhandel-peters.example", "DE", 120, 1, 0, _NEVER, _S, WALLET),
    Sender("laufblog", "Eva", "Stein", "laufblog.example", "AT", 48, 1, 0, _NEVER, _S, WALLET),
)  # fmt: skip

FIRST_NAMES = (
    "Anna", "Lukas", "Marie", "Felix", "Emma", "Jonas", "Laura", "David", "Sophie", "Niklas",
    "Alice", "Oscar", "Chloe", "Louis", "Giulia", "Marco", "Ella", "Noah", "Freya", "Sven",
    "Katrin", "Andreas", "Petra", "Stefan", "Ingrid", "Pierre", "Amelie", "George", "Isla", "Jan",
)  # fmt: skip
LAST_NAMES = (
    "Schmidt", "Fischer", "Wagner", "Schulz", "Koch", "Klein", "Neumann", "Braun", "Jansen", "Meyer",
    "Dubois", "Martin", "Bernard", "Smith", "Walker", "Evans", "Bianchi", "Ferrari", "Hansen", "Larsen",
    "Novak", "Silva", "Costa", "Murphy", "Bakker", "Visser", "Gruber", "Steiner", "Graf", "Lang",
)  # fmt: skip
