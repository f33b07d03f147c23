"""The redirect guard: permitted redirect targets of a visit, read as a browser would.

``docs/security.md`` gives the rules in words and the reason for each refusal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import TextChoices

from affiliates.core.domains import (
    HOST_NAME,
    DomainEntry,
    entry_allows_redirect,
    entry_has_page,
)
from affiliates.core.urls import (
    HttpUrl,
    first_parameter,
    origin_host_port,
    parse_http_url,
)

REDIRECT_PARAMETER = "redirect"
MAX_TARGET_LENGTH = 2048

# Browsers strip tab and line break, turn a backslash into a slash, and trim spaces:
# with any of these, the checked text is not the followed text. A space inside is
# written as %20 before.
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\xa0\\\u2028\u2029\ufeff\ufffd]")
_ABSOLUTE = re.compile(r"https?://(?=[^/])([^/?#]*)", re.IGNORECASE)
_RELATIVE = re.compile(r"/(?!/)|\?")
_OTHER_SCHEME = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
# RFC 3986, in one pass and without possessive quantifiers, as in core/urls.py. Not where
# ? or # follows the authority: some old parsers then read on to an @.
_CANONICAL = re.compile(
    r"https?://([a-z0-9.-]+(?::[0-9]+)?)"
    r"(?![?#])(?:/(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?"
    r"(?:\?(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?"
    r"(?:#(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?",
    re.ASCII,
)


class RedirectReason(TextChoices):
    """Why a visit's redirect was followed or not."""

    NO_REDIRECT = "no_redirect", "No redirect was asked for"
    PERMITTED_SAME_HOST = "permitted_same_host", "Permitted: the visited host itself"
    PERMITTED_DOMAIN = "permitted_domain", "Permitted: a domain of the brand"
    PERMITTED_SUBDOMAIN = (
        "permitted_subdomain",
        "Permitted: below a domain of the brand",
    )
    EMPTY = "empty", "Refused: the redirect is empty"
    TOO_LONG = "too_long", f"Refused: longer than {MAX_TARGET_LENGTH} characters"
    FORBIDDEN_CHARACTER = (
        "forbidden_character",
        "Refused: a backslash, an invisible character or a space at an end",
    )
    BAD_SHAPE = "bad_shape", "Refused: neither https://host/path nor /path"
    NOT_HTTP = "not_http", "Refused: not an http or https address"
    UNPARSABLE = "unparsable", "Refused: not a URL"
    HAS_CREDENTIALS = "has_credentials", "Refused: a user name or password"
    BAD_HOST = "bad_host", "Refused: the host is no plain host name"
    NOT_ON_BRAND_DOMAINS = (
        "not_on_brand_domains",
        "Refused: the host is no domain of the brand",
    )
    HTTPS_REQUIRED = "https_required", "Refused: the brand requires https"

    @property
    def is_permitted(self) -> bool:
        return self in _PERMISSIONS


_PERMISSIONS = frozenset(
    {
        RedirectReason.PERMITTED_SAME_HOST,
        RedirectReason.PERMITTED_DOMAIN,
        RedirectReason.PERMITTED_SUBDOMAIN,
    }
)


class RedirectDecision(NamedTuple):
    """``url`` is the judged target, None if refused or not requested.

    ``target`` is the same, parsed.
    """

    reason: RedirectReason
    requested: str | None
    url: str | None = None
    target: HttpUrl | None = None


def decide_redirect(
    visit_url: HttpUrl, *, domains: Sequence[DomainEntry], require_https: bool
) -> RedirectDecision:
    """Judges the redirect that the visited URL requests."""
    requested = first_parameter(visit_url, REDIRECT_PARAMETER)
    if requested is None:
        return RedirectDecision(reason=RedirectReason.NO_REDIRECT, requested=None)
    return judge_target(
        requested, visit_url=visit_url, domains=domains, require_https=require_https
    )


def judge_target(
    value: str,
    *,
    visit_url: HttpUrl | None,
    domains: Sequence[DomainEntry],
    require_https: bool,
) -> RedirectDecision:
    """Judges a target. Without ``visit_url`` it must be absolute and on ``domains``."""
    text = _without_inner_spaces(value)
    target = _read_target(text, visit_url)
    if isinstance(target, RedirectReason):
        return RedirectDecision(reason=target, requested=value)
    reason = _fault_of(target, text, domains) or _permission(target, visit_url, domains)
    if reason.is_permitted and require_https and target.protocol != "https:":
        reason = RedirectReason.HTTPS_REQUIRED
    if not reason.is_permitted:
        return RedirectDecision(reason=reason, requested=value)
    url = _text_to_return(text, target)
    if len(url) > MAX_TARGET_LENGTH:
        return RedirectDecision(reason=RedirectReason.TOO_LONG, requested=value)
    return RedirectDecision(url=url, reason=reason, requested=value, target=target)


def is_own_page(
    page: HttpUrl, *, domains: Sequence[DomainEntry], require_https: bool
) -> bool:
    """Whether the visited page is on ``domains``, and so may be returned unchanged."""
    host, port = origin_host_port(page)
    return (
        any(entry_has_page(entry, host, port) for entry in domains)
        and _fault_of(page, page.href, domains) is None
        and (page.protocol == "https:" or not require_https)
    )


def _without_inner_spaces(value: str) -> str:
    """Writes inner spaces as browsers do: ``?q=web+hosting`` decodes to a space."""
    return value if value != value.strip(" ") else value.replace(" ", "%20")


def _read_target(value: str, visit_url: HttpUrl | None) -> HttpUrl | RedirectReason:
    if not value:
        return RedirectReason.EMPTY
    if len(value) > MAX_TARGET_LENGTH:
        return RedirectReason.TOO_LONG
    if _FORBIDDEN.search(value):
        return RedirectReason.FORBIDDEN_CHARACTER
    if _OTHER_SCHEME.match(value):
        return RedirectReason.NOT_HTTP
    if _ABSOLUTE.match(value):
        return parse_http_url(value) or RedirectReason.UNPARSABLE
    if visit_url is not None and _RELATIVE.match(value):
        return parse_http_url(value, base=visit_url) or RedirectReason.UNPARSABLE
    return RedirectReason.BAD_SHAPE


def _fault_of(
    target: HttpUrl, value: str, domains: Sequence[DomainEntry]
) -> RedirectReason | None:
    if target.credentials:
        return RedirectReason.HAS_CREDENTIALS
    if target.is_address:
        is_plain = _is_configured_address(target, value, domains)
    else:
        is_plain = HOST_NAME.fullmatch(target.hostname) is not None
    return None if is_plain else RedirectReason.BAD_HOST


def _is_configured_address(
    target: HttpUrl, value: str, domains: Sequence[DomainEntry]
) -> bool:
    """Whether an IP address is configured, as a development host, and written the same.

    Browsers read 0x7f.1 and 2130706433 as 127.0.0.1; people do not.
    """
    absolute = _ABSOLUTE.match(value)
    if absolute is not None and absolute[1] != target.host:
        return False
    address = origin_host_port(target)
    return any((entry.host, entry.port) == address for entry in domains)


def _permission(
    target: HttpUrl, visit_url: HttpUrl | None, domains: Sequence[DomainEntry]
) -> RedirectReason:
    host, port = origin_host_port(target)
    if visit_url is not None and (host, port) == origin_host_port(visit_url):
        return RedirectReason.PERMITTED_SAME_HOST
    entries = [entry for entry in domains if entry_allows_redirect(entry, host, port)]
    if any(entry.host == host for entry in entries):
        return RedirectReason.PERMITTED_DOMAIN
    if entries:
        return RedirectReason.PERMITTED_SUBDOMAIN
    return RedirectReason.NOT_ON_BRAND_DOMAINS


def _text_to_return(value: str, target: HttpUrl) -> str:
    """The value as given if every parser reads it alike, else its ASCII form."""
    canonical = _CANONICAL.fullmatch(value)
    return value if canonical and canonical[1] == target.host else target.href
