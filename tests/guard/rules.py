"""Who may see which personal data: the table that the whole suite is held to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from affiliates.privacy.registry import declared
from affiliates.privacy.types import Receiver
from tests.guard.markers import IBAN, NOBODY, Marker


class Outlet(Enum):
    LOG = "log"
    DELIVERY = "delivery"
    EMAIL = "e-mail"
    PAGE = "page"
    FILE = "file"


class ReaderKind(Enum):
    ANYBODY = "anybody"
    PERSON = "a person"
    STAFF = "staff"
    PROVIDER = Receiver.PROVIDER
    WEBHOOK = Receiver.WEBHOOK


@dataclass(frozen=True, slots=True)
class Reader:
    """``numbers`` are those of the person's own markers.

    An affiliate ``reads_clients`` on the lists of a brand that does not mask them.
    """

    kind: ReaderKind
    numbers: frozenset[int] = frozenset()
    reads_clients: bool = False


ANYBODY, STAFF = Reader(ReaderKind.ANYBODY), Reader(ReaderKind.STAFF)
PROVIDER, WEBHOOK = Reader(ReaderKind.PROVIDER), Reader(ReaderKind.WEBHOOK)
# The column that a marker stands in.
COLUMNS = {
    ("client", "email"): "portal.User.email",
    ("client", "lastname"): "portal.User.lastname",
    ("client", "reason"): "portal.WalletEntry.reason",
    ("staff", "email"): "portal.User.email",
    ("staff", "lastname"): "portal.User.lastname",
    ("staff", "reason"): "affiliates.DecisionOverride.reason",
    ("applicant", "email"): "affiliates_recruitment.UnverifiedApplication.email",
    ("applicant", "lastname"): "affiliates_recruitment.UnverifiedApplication.lastname",
    ("affiliate", "order"): "affiliates_claims.MissingSaleClaim.order_hint",
    ("affiliate", "key"): "affiliates_area.AffiliateKey.name",
    ("affiliate", "link"): "affiliates.AffiliateLink.name",
    ("affiliate", "note"): "affiliates_claims.MissingSaleClaim.note",
    ("affiliate", "email"): "affiliates.Email.text",
    ("affiliate", "agreement"): "affiliates.PayoutDestination.details",
    ("visitor", "agent"): "affiliates.Click.user_agent",
}
# What a brand may let affiliates read of the clients that they sent.
OF_CLIENTS = {("client", "email"), ("client", "lastname")}


def allowed(outlet: Outlet, reader: Reader, marker: Marker) -> bool:
    if outlet is Outlet.LOG:
        return False
    if marker.kind == "secret":
        # A file for the bank: exporting it is recorded.
        return marker == IBAN and (outlet, reader) == (Outlet.FILE, STAFF)
    if outlet is Outlet.DELIVERY:
        return reader.kind.value in receivers_of(marker)
    match reader.kind:
        case ReaderKind.STAFF:
            return True
        case ReaderKind.PERSON:
            return _is_own(marker, reader)
    return False


def receivers_of(marker: Marker) -> frozenset[Receiver]:
    """As the table of personal data declares them."""
    table, _, column = COLUMNS[marker.kind, marker.field].rpartition(".")
    uses = (use for one in declared() if one.name == table for use in one.uses())
    return frozenset(
        receiver for name, use in uses if name == column for receiver in use.receivers
    )


def _is_own(marker: Marker, reader: Reader) -> bool:
    """A person's value without an owner counts as the reader's; a visitor's never."""
    if reader.reads_clients and (marker.kind, marker.field) in OF_CLIENTS:
        return True
    if marker.kind in {"visitor", "staff"}:
        return marker.number != NOBODY and marker.number in reader.numbers
    return marker.number == NOBODY or marker.number in reader.numbers
