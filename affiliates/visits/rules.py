"""The values of a visit, and what is read from its address and cookie."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import TextChoices

from affiliates.core.urls import HttpUrl, first_parameter
from affiliates.program.rules import AffiliateStatus, LinkFacts
from affiliates.visits.consent.rules import Consent
from affiliates.visits.cookie import ReferralCookie
from affiliates.visits.robots.rules import is_robot

REPEAT_INTERVAL = timedelta(minutes=30)
FRAMES = frozenset({"iframe", "frame", "embed", "object", "fencedframe"})
# With what Sec-Fetch-Dest says of a page that is opened, and of a script's call.
OPENED_OR_FRAMED = FRAMES | {"", "document", "empty"}
SUB_IDS = ("sub", "sub1", "sub2", "sub3", "sub4", "sub5")
MAX_SUB_ID, MAX_MORE_SUB_IDS = 100, 400


class TouchSource(TextChoices):
    """How the visit named its affiliate."""

    PATH = "path", "Link path"
    PARAMETER = "parameter", "Link parameter"
    CODE = "code", "Affiliate code"
    INTEGRATION = "integration", "Tracking integration's parameter"


class LinkCredit(StrEnum):
    """Whether a person's click counts for the affiliate of the link or code."""

    COUNTS = "counts"
    NO_LINK = "no_link"
    PROGRAM_OFF = "program_off"
    NOT_ACTIVE = "not_active"


class BotSign(TextChoices):
    USER_AGENT = "user_agent", "Robot"
    PREFETCH = "prefetch", "Prefetch"
    AUTOMATION = "automation", "Driven by a program"


class Embedding(TextChoices):
    """How another site's page opened the visited one inside itself."""

    NONE = "", "Not embedded, as far as is known"
    FRAME = "frame", "In a frame of another site"
    PART = "part", "Loaded by another site as an image, script or the like"


class Visit(NamedTuple):
    """A page opened in a client area, as its frontend reports it.

    ``opts_out``: the browser sent Global Privacy Control's signal. ``visit_id``: the
    sealed id under which the same visit was sent before. ``request_id``: that of the
    proxy, see ``request_key``. ``embedding``: as the script and the request show it.
    ``is_automated``: the browser said that a program drives it.
    """

    visit_url: str
    referrer_url: str
    user_agent: str
    referral_cookie: str | None
    ip: str
    ip_prefix: str
    is_prefetch: bool
    consent: Consent = Consent.NOT_ASKED
    opts_out: bool = False
    visit_id: str | None = None
    request_id: str = ""
    embedding: Embedding = Embedding.NONE
    is_automated: bool = False


class VisitAnswer(NamedTuple):
    """The visitor's destination and the browser's cookie; age in seconds.

    ``visit_id`` if the click could not be stored: the sealed id to send it again under.
    """

    redirect_url: str
    referral_cookie: str | None = None
    referral_cookie_max_age: int | None = None
    visit_id: str | None = None


class ClickRow(NamedTuple):
    """A click to be written: one value per column, in the order of the columns."""

    id: UUID
    created_at: datetime
    brand_id: int
    affiliate_id: int | None
    link_id: int | None
    integration_id: int | None
    external_affiliate: str
    visitor_id: UUID | None
    source: str
    affiliate_status: str
    own_program: bool
    is_repeat: bool
    bot_signs: str
    visit_url: str
    referrer_url: str
    user_agent: str
    ip_prefix: str
    redirect_reason: str
    refused_redirect: str
    sub_id: str = ""
    more_sub_ids: str = ""
    country: str = ""
    consent: Consent = Consent.NOT_ASKED
    embedding: Embedding = Embedding.NONE


class DeliveryRow(NamedTuple):
    """A click to be queued for the integration: the values that vary by click."""

    brand_id: int
    integration_id: int
    key: str
    visitor_ref: str
    payload: dict[str, Any]
    created_at: datetime
    request_id: str = ""


def bot_signs(
    user_agent: str, *, is_prefetch: bool, is_automated: bool
) -> tuple[BotSign, ...]:
    signs = {
        BotSign.USER_AGENT: is_robot(user_agent),
        BotSign.PREFETCH: is_prefetch,
        BotSign.AUTOMATION: is_automated,
    }
    return tuple(sign for sign, is_shown in signs.items() if is_shown)


def rejudged_signs(stored: str, user_agent: str) -> str:
    """The stored signs, with today's judgement of the user agent."""
    others = set(filter(None, stored.split(","))) - {BotSign.USER_AGENT}
    by_agent = {BotSign.USER_AGENT} if is_robot(user_agent) else set()
    return ",".join(sign for sign in BotSign if sign in others | by_agent)


def embedding_of(
    *, is_framed: bool, destination: str, mode: str, site: str
) -> Embedding:
    """``is_framed`` is the script's report, the others are the values of Sec-Fetch-Dest,
    -Mode and -Site, empty where the request has none.

    A script's own call says nothing of its page: these headers count where a frontend
    passes on those of the page.
    """
    is_own = site == "same-origin"
    if is_framed or (destination in FRAMES and not is_own):
        return Embedding.FRAME
    is_part = destination not in OPENED_OR_FRAMED or mode == "no-cors"
    return Embedding.PART if is_part and not is_own else Embedding.NONE


def credit_of(link: LinkFacts | None, *, own_program: bool) -> LinkCredit:
    if link is None:
        return LinkCredit.NO_LINK
    if not own_program:
        return LinkCredit.PROGRAM_OFF
    is_active = link.status is AffiliateStatus.ACTIVE
    return LinkCredit.COUNTS if is_active else LinkCredit.NOT_ACTIVE


def sub_ids_of(url: HttpUrl) -> tuple[str, str]:
    """The sub-id that the affiliate added, ``sub`` or else ``sub1``, and any others.

    The others as a query, in their order: sub2=banner&sub3=top.
    """
    if "sub" not in url.href:
        return "", ""
    sub_ids = {name: first_parameter(url, name) for name in SUB_IDS}
    given_sub_ids = {name: value for name, value in sub_ids.items() if value}
    first = given_sub_ids.pop("sub", None) or given_sub_ids.pop("sub1", "")
    return storable(first, MAX_SUB_ID), storable(
        urlencode(given_sub_ids), MAX_MORE_SUB_IDS
    )


def is_recent(held: ReferralCookie, *, now: datetime) -> bool:
    return now - held.issued_at < REPEAT_INTERVAL


def storable(text: str, limit: int) -> str:
    """The beginning of the text, without NUL, which PostgreSQL cannot store."""
    return text[:limit].replace("\x00", "")
