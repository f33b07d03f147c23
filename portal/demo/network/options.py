"""Options that a merchant sets in the real panel, and options that only tests set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from decimal import Decimal, InvalidOperation
from typing import Any, get_type_hints

ACCOUNT_LENGTH = 8
DUPLICATE_RULES = ("off", "decline", "drop")
MODES = ("online", "offline")


@dataclass(frozen=True, slots=True, kw_only=True)
class Affiliate:
    """``status`` is A, P or D; only an approved one can be credited."""

    userid: str
    refid: str
    status: str = "A"


DEMO_AFFILIATES = (
    Affiliate(userid="11111111", refid="testaff"),
    Affiliate(userid="22222222", refid="otheraff"),
    Affiliate(userid="33333333", refid="declined", status="D"),
)


class WrongOptions(ValueError):
    """A setting does not exist or has an impossible value."""


@dataclass(slots=True, kw_only=True)
class Options:
    """Plain values, so that the control API can show and set every one of them.

    Amounts are decimal text; ``clock`` is a unix time, None for the real one;
    ``cookie_lifetime_s`` of 0 means for ever. ``exception`` makes the tracking script
    fail with that message. ``log_limit`` is the number of requests kept.
    PayPal decides an item after ``paypal_settles_after_s``, Wise a funded transfer after
    ``wise_settles_after_s``; it lets nobody fund by its API while
    ``wise_wants_authentication``.
    """

    visitor_id_length: int = 32
    paypal_settles_after_s: int = 0
    wise_settles_after_s: int = 0
    wise_wants_authentication: bool = False
    accounts: list[str] = field(default_factory=lambda: ["default1"])
    affiliates: list[Affiliate] = field(default_factory=lambda: list(DEMO_AFFILIATES))
    affiliate_name: str = "a_aid"
    banner_name: str = "a_bid"
    campaign_name: str = "a_cid"
    channel_name: str = "chan"
    data1_name: str = "data1"
    data2_name: str = "data2"
    cookie_lifetime_s: int = 0
    overwrite: bool = True
    delete_cookie: bool = False
    iframe_ban: bool = False
    dup_order: str = "off"
    dup_order_hours: int = 24
    ip_fallback: bool = False
    default_affiliate: str = ""
    currencies: list[str] = field(default_factory=lambda: ["EUR", "USD", "GBP"])
    action_codes: list[str] = field(default_factory=lambda: ["signup"])
    sale_commission_percent: str = "10"
    lead_commission: str = "5.00"
    default_status: str = "P"
    short_anchor: bool = False
    mode: str = "online"
    username: str = "merchant@example.com"
    password: str = "demo"  # noqa: S105 - the vendor's own example, on loopback
    session_lifetime_s: int = 1800
    clock: float | None = None
    exception: str = ""
    log_limit: int = 10_000

    def find_affiliate(self, name: str) -> Affiliate | None:
        """The approved affiliate with this userid or refid."""
        for affiliate in self.affiliates:
            if name and name in (affiliate.userid, affiliate.refid):
                return affiliate if affiliate.status == "A" else None
        return None

    def change(self, values: Mapping[str, Any]) -> None:
        """Set what is named, all or nothing. Raises WrongOptions."""
        hints = get_type_hints(type(self))
        unknown = sorted(set(values) - {field.name for field in fields(self)})
        if unknown:
            raise WrongOptions(f"There is no setting {unknown[0]!r}.")
        read = {name: _read(name, hints[name], raw) for name, raw in values.items()}
        for name, value in read.items():
            setattr(self, name, value)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def _read(name: str, hint: object, raw: Any) -> Any:
    if name == "affiliates":
        return _read_affiliates(raw)
    if hint == list[str]:
        is_right = isinstance(raw, list) and all(isinstance(item, str) for item in raw)
    elif name == "clock":
        is_right = raw is None or isinstance(raw, int | float)
    else:
        is_right = type(raw) is hint
    choices = {"dup_order": DUPLICATE_RULES, "mode": MODES, "default_status": "AP"}
    if not is_right or (name in choices and raw not in choices[name]):
        raise WrongOptions(f"{raw!r} is no value for the setting {name!r}.")
    if name in ("sale_commission_percent", "lead_commission"):
        _check_amount(name, raw)
    return raw


def _read_affiliates(raw: Any) -> list[Affiliate]:
    try:
        return [Affiliate(**row) for row in raw]
    except TypeError:
        raise WrongOptions("affiliates: a list of {userid, refid, status}.") from None


def _check_amount(name: str, raw: str) -> None:
    try:
        Decimal(raw)
    except InvalidOperation:
        raise WrongOptions(f"{raw!r} is no value for the setting {name!r}.") from None
