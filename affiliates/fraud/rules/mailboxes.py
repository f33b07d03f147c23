"""E-mail addresses of the same mailbox, and disposable addresses."""

from __future__ import annotations

from disposable_email_domains import blocklist

from affiliates.referrals.rules.identity import normalise_email

# Google delivers an address with and without dots, at either domain, to one mailbox.
GOOGLE_DOMAINS = frozenset({"gmail.com", "googlemail.com"})


def mailbox_of(email: str) -> str:
    """The mailbox of an address, as far as its text shows it."""
    local, at, domain = normalise_email(email).rpartition("@")
    if domain in GOOGLE_DOMAINS:
        return f"{local.replace('.', '')}@gmail.com"
    return f"{local}{at}{domain}"


def disposable_domain(email: str) -> str | None:
    """The listed domain that the address is at or below, or None."""
    _, at, domain = normalise_email(email).rpartition("@")
    labels = domain.split(".") if at else []
    # A bare top-level domain is nobody's mailbox.
    for first in range(len(labels) - 1):
        candidate = ".".join(labels[first:])
        if candidate in blocklist:
            return candidate
    return None
