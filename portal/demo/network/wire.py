"""Reads the data of a request as the tracking scripts do. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from portal.demo.network.options import ACCOUNT_LENGTH, Options

URL_PREFIXES = {"H_": "http://", "S_": "https://"}
FORCED_AFFILIATE = "AffiliateID"
# The names that a click's fields have beside those that the options give them.
FORCED = {
    "banner": "BannerID",
    "campaign": "CampaignID",
    "channel": "Channel",
    "data1": "pd1",
    "data2": "pd2",
}
FLASH_TRACKING = "F"
PREFIXED_VISITOR_LENGTH = 40
LEAD, SALE = "A", "S"
# sale.php's own names for what the sale object of track.php calls otherwise.
SALE_PHP_NAMES = {
    "ac": "ActionCode",
    "t": "TotalCost",
    "o": "OrderID",
    "p": "ProductID",
    "a": "AffiliateID",
    "c": "CampaignID",
    "cc": "Commission",
    "s": "PStatus",
    "cp": "Coupon",
    "cr": "Currency",
    "ch": "chan",
    "dndc": "DoNotDeleteCookies",
    **{f"d{number}": f"data{number}" for number in range(1, 6)},
}


class WrongActions(ValueError):
    """The sale is no JSON list of objects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackingVisit:
    """One call of a tracking script, its visitor already known by ``visitor_id``."""

    visitor_id: str
    account_id: str
    url: str
    referrer: str
    query: str
    anchor: str
    ip: str
    user_agent: str
    actions: str


def read_form(query: str) -> dict[str, str]:
    """Parameters as PHP sees them: the last of a name counts."""
    return dict(parse_qsl(query, keep_blank_values=True, errors="replace"))


def read_url(text: str) -> str:
    """A page's address with its H_ or S_ taken back."""
    scheme = URL_PREFIXES.get(text[:2])
    return scheme + text[2:] if scheme else text


def read_account(text: str, options: Options) -> str:
    is_known = len(text) == ACCOUNT_LENGTH and text in options.accounts
    return text if is_known else options.accounts[0]


def split_visitor(text: str) -> tuple[str, str]:
    """sale.php takes the account in front of the visitor: (account, visitor)."""
    if len(text) == PREFIXED_VISITOR_LENGTH:
        return text[:ACCOUNT_LENGTH], text[ACCOUNT_LENGTH:]
    return "", text


def read_click(
    query: str, anchor: str, options: Options
) -> tuple[str, dict[str, str]] | None:
    """The affiliate's name, and what came beside it, of the query, else of the anchor."""
    for text in (query.removeprefix("?"), anchor.removeprefix("#")):
        values = _split(text)
        affiliate = values.get(FORCED_AFFILIATE) or values.get(options.affiliate_name)
        if affiliate:
            beside = {
                field: values.get(forced)
                or values.get(getattr(options, f"{field}_name"), "")
                for field, forced in FORCED.items()
            }
            return affiliate, beside
    if options.short_anchor and anchor and "=" not in anchor:
        return anchor.removeprefix("#"), {}
    return None


def read_actions(text: str) -> list[dict[str, str]]:
    """The sale objects, every value as text. Raises WrongActions."""
    try:
        actions = json.loads(text)
    except ValueError:
        raise WrongActions from None
    if not isinstance(actions, list) or not all(isinstance(a, dict) for a in actions):
        raise WrongActions
    return [
        {key: "" if value is None else str(value) for key, value in action.items()}
        for action in actions
    ]


def actions_of_sale_php(form: Mapping[str, str]) -> str:
    """sale.php's parameters as the sale object of track.php."""
    action = {key: form.get(name, "") for key, name in SALE_PHP_NAMES.items()}
    return json.dumps([action])


def _split(text: str) -> dict[str, str]:
    # Names and values stay as they are: the real one does not decode them again.
    pairs = (part.partition("=") for part in text.split("&"))
    return {name: value for name, separator, value in pairs if separator}
