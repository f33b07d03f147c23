"""What an operator sets for a Post Affiliate Pro install, and what of it can be right."""

from __future__ import annotations

import re
from dataclasses import replace

from affiliates.core.urls import parse_http_url
from affiliates.integrations.providers.cleaning import names_fault
from affiliates.integrations.providers.pap.tracking import split_names
from affiliates.integrations.providers.protocol import (
    ConfigError,
    ConfigField,
    FieldKind,
    ProviderSettings,
)

MAX_ADDRESS = 255
MAX_USERNAME = 100

_SCRIPTS = re.compile(r"/+(?:scripts(?:/[^/]*)?/*)?$")
_ACCOUNT = re.compile(r"(?:[A-Za-z0-9]{8})?")
_CODE = re.compile(r"[A-Za-z0-9_.-]{0,20}")

ACCOUNT_ID = ConfigField(
    "account_id",
    "Account",
    "Eight characters. Leave it empty, or enter default1, for Post Affiliate Pro; "
    "for Post Affiliate Network enter the merchant's account ID.",
)
FORWARD_AFFILIATE = ConfigField(
    "forward_affiliate",
    "Name the affiliate as AffiliateID",
    kind=FieldKind.SWITCH,
    default=True,
    help=(
        "For links whose parameter is not the install's own a_aid, such as aid: the "
        "affiliate is also sent as AffiliateID, which every install understands."
    ),
)
MORE_PARAMETERS = ConfigField(
    "more_parameters",
    "Other parameters to pass on",
    "Names with commas, where the install has its own for banner, campaign or "
    "data. a_bid, a_cid, chan, data1, data2, pd1 and pd2 are passed on already; "
    "nothing else of a page's address is.",
)
SALE_STATUS = ConfigField(
    "sale_status",
    "Status of a new sale",
    kind=FieldKind.CHOICE,
    choices=(
        ("", "As the campaign says"),
        ("A", "Approved"),
        ("P", "Pending"),
    ),
    help=(
        "Pending: a sale that is refunded whole is declined. Otherwise a refund is "
        "recorded beside it."
    ),
)
LEAD_ACTION = ConfigField(
    "lead_action",
    "Action code of a registration",
    "The code of the commission type Action that the campaign has for "
    "registrations. Leave it empty to send none.",
)
SEND_CURRENCY = ConfigField(
    "send_currency",
    "Send the currency",
    kind=FieldKind.SWITCH,
    default=True,
    help=(
        "The install must know every currency you sell in: a sale in another is "
        "dropped without a word. Off: amounts are taken to be in its own currency."
    ),
)
ORDER_PREFIX = ConfigField(
    "order_prefix",
    "Prefix of order numbers",
    "For an install that several shops report to. Do not change it later: refunds "
    "would no longer find their sales.",
)
SEND_CUSTOMER = ConfigField(
    "send_customer",
    "Send the customer's ID",
    kind=FieldKind.SWITCH,
    default=False,
    help="As data1 of the sale. It is the ID of your own records, not an e-mail address.",
)
KEEP_COOKIE = ConfigField(
    "keep_cookie",
    "Keep the visitor's affiliate after a sale",
    kind=FieldKind.SWITCH,
    default=False,
    help=(
        "For subscriptions, where the install is set to delete cookies after a sale: "
        "without it only the first payment is credited."
    ),
)
USERNAME = ConfigField(
    "username",
    "Merchant's user name",
    "Refunds and look-ups need a merchant's login; visits and sales do not. Make "
    "one of its own for this service. Leave it empty to send neither.",
)
PASSWORD = ConfigField(
    "password",
    "Merchant's password",
    is_secret=True,
    help="The password of the user above.",
)
PARTIAL_REFUNDS = ConfigField(
    "partial_refunds",
    "Send partial refunds (not verified)",
    kind=FieldKind.SWITCH,
    default=False,
    help=(
        "Not verified with any version: try it with one order and look at the result "
        "there. Off: a partial refund stays in the list of deliveries with the amount "
        "to enter by hand."
    ),
)

FIELDS = (
    ACCOUNT_ID,
    FORWARD_AFFILIATE,
    MORE_PARAMETERS,
    SALE_STATUS,
    LEAD_ACTION,
    SEND_CURRENCY,
    ORDER_PREFIX,
    SEND_CUSTOMER,
    KEEP_COOKIE,
    USERNAME,
    PASSWORD,
    PARTIAL_REFUNDS,
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
    faults = {
        name: fault for name, fault in _faults(cleaned).items() if fault is not None
    }
    if faults:
        raise ConfigError(faults)
    return cleaned


def _clean_address(text: str) -> str:
    """What precedes /scripts, as a browser writes it; left alone when it is no address."""
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
        MORE_PARAMETERS.name: names_fault(
            split_names(text(MORE_PARAMETERS.name)), is_required=False
        ),
        ACCOUNT_ID.name: None
        if _ACCOUNT.fullmatch(text(ACCOUNT_ID.name))
        else "Enter the eight letters or digits of the account, or nothing.",
        SALE_STATUS.name: None
        if text(SALE_STATUS.name) in dict(SALE_STATUS.choices)
        else "Choose one of the list.",
        LEAD_ACTION.name: _code_fault(text(LEAD_ACTION.name)),
        ORDER_PREFIX.name: _code_fault(text(ORDER_PREFIX.name)),
        USERNAME.name: _username_fault(settings),
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
    username = settings.text(USERNAME.name)
    if len(username) > MAX_USERNAME or not username.isprintable():
        return f"Enter a name of up to {MAX_USERNAME} characters."
    if settings.is_on(PARTIAL_REFUNDS.name) and not username:
        return "Enter the merchant's login, or switch partial refunds off."
    return None
