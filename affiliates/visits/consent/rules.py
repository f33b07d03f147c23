"""Consent to be recognised again: what a brand needs, and what a visit may do with it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NamedTuple

from django.db.models import TextChoices

from affiliates.brands.rules import BrandConfig, ConsentRule, PrivacyControl
from affiliates.core.urls import parse_http_url, referring_origin

# Browsers that restore their windows keep a session's cookies for ever.
SESSION = timedelta(days=1)


class Consent(TextChoices):
    """The consent of a visitor, as far as known. A visit need not report it."""

    NOT_ASKED = "", "Not asked"
    UNKNOWN = "unknown", "Not known"
    GRANTED = "granted", "Given"
    DENIED = "denied", "Refused"
    WITHDRAWN = "withdrawn", "Withdrawn later"


REPORTED = (Consent.GRANTED, Consent.DENIED, Consent.UNKNOWN)


class KnownConsent(NamedTuple):
    """The consent that a visit is decided by, and whether it may recognise a person."""

    consent: Consent
    has_person: bool


def known_consent(
    reported: Consent, *, opts_out: bool, brand: BrandConfig
) -> KnownConsent:
    if opts_out and brand.privacy_control is PrivacyControl.REFUSAL:
        reported = Consent.DENIED
    if brand.consent is ConsentRule.REQUIRED:
        return KnownConsent(reported or Consent.UNKNOWN, reported is Consent.GRANTED)
    return KnownConsent(reported, reported is not Consent.DENIED)


def awaits_consent(reported: Consent, *, brand: BrandConfig) -> bool:
    """Whether the visitor of a brand that requires consent has yet to decide."""
    is_decided = reported in (Consent.GRANTED, Consent.DENIED)
    return brand.consent is ConsentRule.REQUIRED and not is_decided


def cookie_lifetime(brand: BrandConfig) -> timedelta:
    if brand.consent is ConsentRule.SESSION_ONLY:
        return min(brand.cookie_lifetime, SESSION)
    return brand.cookie_lifetime


def without_person(*, visit_url: str, referrer_url: str) -> dict[str, Any]:
    """The columns of a click that tells nobody apart.

    Addresses lose their queries, in which others' identifiers come.
    """
    page = parse_http_url(visit_url)
    return {
        "visitor_id": None,
        "visit_url": "" if page is None else f"{page.origin}{page.pathname}",
        "referrer_url": referring_origin(referrer_url),
        "user_agent": "",
        "ip_prefix": "",
        "refused_redirect": "",
    }
