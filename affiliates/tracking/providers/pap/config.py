"""The settings of a Post Affiliate Pro install, and their checks."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from affiliates.core.urls import parse_http_url
from affiliates.outbox.protocol import (
    ConfigError,
    ConfigField,
    FieldKind,
    ProviderSettings,
    split_names,
)
from affiliates.tracking.providers import field
from affiliates.tracking.providers.cleaning import names_fault

MAX_ADDRESS = 255
MAX_USERNAME = 100

_SCRIPTS = re.compile(r"/+(?:scripts(?:/[^/]*)?/*)?$")
_ACCOUNT = re.compile(r"(?:[A-Za-z0-9]{8})?")
_CODE = re.compile(r"[A-Za-z0-9_.-]{0,20}")

ACCOUNT_ID = "account_id"
MORE_PARAMETERS = "more_parameters"
SALE_STATUS = "sale_status"
SALE_STATUSES = (("", "As the campaign says"), ("A", "Approved"), ("P", "Pending"))
COUNTS_WITHIN = "counts_within"
DEFAULT_COUNTS_WITHIN = timedelta(minutes=15)
# The vendor: hosted installs need about five minutes; an install of one's own needs two or
# three runs of its cron job, which is run every 1 to 15 minutes.
COUNTS_WITHIN_MINUTES = (
    ("", "15 minutes: hosted, or a cron job every 5 minutes or less"),
    ("45", "45 minutes: a cron job every 15 minutes or less"),
    ("0", "At once: no cron job"),
)
LEAD_ACTION = "lead_action"
ORDER_PREFIX = "order_prefix"
USERNAME = "username"
PARTIAL_REFUNDS = "partial_refunds"

FIELDS = (
    field.text(
        ACCOUNT_ID,
        "Account",
        "Eight characters. Leave it empty, or enter default1, for Post Affiliate Pro; "
        "for Post Affiliate Network enter the merchant's account ID.",
    ),
    field.switch(
        "forward_affiliate",
        "Name the affiliate as AffiliateID",
        "For links whose parameter is not the install's own a_aid, such as aid: the "
        "affiliate is also sent as AffiliateID, which every install understands.",
        default=True,
    ),
    field.text(
        MORE_PARAMETERS,
        "Other parameters to pass on",
        "Names with commas, where the install has its own for banner, campaign or "
        "data. a_bid, a_cid, chan, data1, data2, pd1 and pd2 are passed on already; "
        "nothing else of a page's address is.",
    ),
    field.choice(
        SALE_STATUS,
        "Status of a new sale",
        "Pending: a sale that is refunded whole is declined. Otherwise a refund is "
        "recorded beside it.",
        *SALE_STATUSES,
    ),
    field.choice(
        COUNTS_WITHIN,
        "Counts a sale within",
        "An unclear sale is looked up for this long before it is sent again: with a cron "
        "job the install finds a sale only after it has been processed.",
        *COUNTS_WITHIN_MINUTES,
    ),
    field.text(
        LEAD_ACTION,
        "Action code of a registration",
        "The code of the commission type Action that the campaign has for "
        "registrations. Leave it empty to send none.",
    ),
    field.switch(
        "send_currency",
        "Send the currency",
        "The install must know every currency you sell in: a sale in another is "
        "dropped without a word. Off: amounts are taken to be in its own currency.",
        default=True,
    ),
    field.text(
        ORDER_PREFIX,
        "Prefix of order numbers",
        "For an install that several shops report to. Do not change it later: refunds "
        "would no longer find their sales.",
    ),
    field.switch(
        "send_customer",
        "Send the customer's ID",
        "As data1 of the sale. It is the ID of your own records, not an e-mail address.",
    ),
    field.switch(
        "keep_cookie",
        "Keep the visitor's affiliate after a sale",
        "For subscriptions, where the install is set to delete cookies after a sale: "
        "without it only the first payment is credited.",
    ),
    field.text(
        USERNAME,
        "Merchant's user name",
        "Refunds and look-ups need a merchant's login; visits and sales do not. Make "
        "one of its own for this service. Leave it empty to send neither.",
    ),
    field.secret(
        "Merchant's password", "The password of the user above.", name="password"
    ),
    field.switch(
        PARTIAL_REFUNDS,
        "Send partial refunds (not verified)",
        "Not verified with any version: try it with one order and look at the result "
        "there. Off: a partial refund stays in the list of deliveries with the amount "
        "to enter by hand.",
    ),
)


def clean(settings: ProviderSettings) -> ProviderSettings:
    """The settings as they are stored. Raises ConfigError."""
    cleaned = replace(
        settings,
        address=_clean_address(settings.address),
        parameters=tuple(dict.fromkeys(settings.parameters)),
        values={
            field.name: _clean_value(settings, field)
            for field in FIELDS
            if not field.is_secret
        },
    )
    faults = {name: fault for name, fault in _faults(cleaned).items() if fault}
    if faults:
        raise ConfigError(faults)
    return cleaned


def _clean_address(text: str) -> str:
    """The part before /scripts, normalised as in browsers; unchanged if no address."""
    url = parse_http_url(text.strip())
    if url is None or url.credentials or url.search or url.hash:
        return text.strip()
    return url.origin + _SCRIPTS.sub("", url.pathname)


def _clean_value(settings: ProviderSettings, field: ConfigField) -> str | bool:
    value = settings.values.get(field.name, field.default)
    return bool(value) if field.kind is FieldKind.SWITCH else str(value or "").strip()


def _faults(settings: ProviderSettings) -> dict[str, str | None]:
    text = settings.text
    return {
        "address": _address_fault(settings.address),
        "parameters": names_fault(settings.parameters, is_required=True),
        MORE_PARAMETERS: names_fault(
            split_names(text(MORE_PARAMETERS)), is_required=False
        ),
        ACCOUNT_ID: None
        if _ACCOUNT.fullmatch(text(ACCOUNT_ID))
        else "Enter the eight letters or digits of the account, or nothing.",
        SALE_STATUS: None
        if text(SALE_STATUS) in dict(SALE_STATUSES)
        else "Choose one of the list.",
        COUNTS_WITHIN: None
        if text(COUNTS_WITHIN) in dict(COUNTS_WITHIN_MINUTES)
        else "Choose one of the list.",
        LEAD_ACTION: _code_fault(text(LEAD_ACTION)),
        ORDER_PREFIX: _code_fault(text(ORDER_PREFIX)),
        USERNAME: _username_fault(settings),
    }


def _address_fault(address: str) -> str | None:
    url = parse_http_url(address)
    if url is None:
        return "Enter an address that begins with https://."
    if url.credentials:
        return "Enter the address without user name and password."
    if url.search or url.hash:
        return "Enter the address without what follows ? or #."
    if len(address) > MAX_ADDRESS:
        return f"Enter an address of up to {MAX_ADDRESS} characters."
    return None


def _code_fault(code: str) -> str | None:
    if _CODE.fullmatch(code):
        return None
    return "Enter up to 20 letters, digits and . _ -, or nothing."


def _username_fault(settings: ProviderSettings) -> str | None:
    username = settings.text(USERNAME)
    if len(username) > MAX_USERNAME or not username.isprintable():
        return f"Enter a name of up to {MAX_USERNAME} characters."
    if settings.is_on(PARTIAL_REFUNDS) and not username:
        return "Enter the merchant's login, or switch partial refunds off."
    return None
