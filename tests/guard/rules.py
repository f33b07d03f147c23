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
# fmt: off
COLUMNS = {
    ("client", "agent"): "portal.OpenSession.user_agent",
    ("client", "email"): "portal.User.email",
    ("client", "firstname"): "portal.User.firstname",
    ("client", "label"): "portal.PaymentDetails.label",
    ("client", "lastname"): "portal.User.lastname",
    ("client", "reason"): "portal.WalletEntry.reason",
    ("buyer", "sold"): "affiliates.InvoicePayment.lines",
    ("visitor", "agent"): "affiliates.Click.user_agent",
    ("visitor", "page"): "affiliates.Click.visit_url",
    ("visitor", "redirect"): "affiliates.Click.refused_redirect",
    ("visitor", "referrer"): "affiliates.Click.referrer_url",
    ("applicant", "answer"): "affiliates_recruitment.Application.answers",
    ("applicant", "email"): "affiliates_recruitment.UnverifiedApplication.email",
    ("applicant", "firstname"): "affiliates_recruitment.UnverifiedApplication.firstname",
    ("applicant", "invited"): "affiliates_recruitment.Invitation.email",
    ("applicant", "lastname"): "affiliates_recruitment.UnverifiedApplication.lastname",
    ("applicant", "said"): "affiliates_recruitment.UnverifiedApplication.answers",
    ("affiliate", "adjustment"): "affiliates.Adjustment.reason",
    ("affiliate", "agreement"): "affiliates.PayoutDestination.details",
    ("affiliate", "answer"): "affiliates_claims.MissingSaleClaim.answer",
    ("affiliate", "cell"): "affiliates_imports.ImportFault.params",
    ("affiliate", "client"): "affiliates_claims.MissingSaleClaim.client_hint",
    ("affiliate", "email"): "affiliates.Email.text",
    ("affiliate", "former"): "affiliates_imports.ImportedRow.key",
    ("affiliate", "hook"): "affiliates.TrackingIntegration.address",
    ("affiliate", "identity"): "affiliates_tax_identity.TaxIdentity.details",
    ("affiliate", "invoice"): "affiliates_invoices.PayoutInvoice.number",
    ("affiliate", "key"): "affiliates_area.AffiliateKey.name",
    ("affiliate", "link"): "affiliates.AffiliateLink.name",
    ("affiliate", "note"): "affiliates_claims.MissingSaleClaim.note",
    ("affiliate", "order"): "affiliates_claims.MissingSaleClaim.order_hint",
    ("affiliate", "payout"): "affiliates.Payout.reason",
    ("affiliate", "refusal"): "affiliates_invoices.PayoutInvoice.reason",
    ("affiliate", "reference"): "affiliates.Payout.remote_ref",
    ("affiliate", "row"): "affiliates_imports.ImportFile.content",
    ("affiliate", "step"): "affiliates.PayoutEvent.reason",
    ("staff", "answer"): "affiliates_payout_runs.PayoutAnswer.name",
    ("staff", "decision"): "affiliates.CommissionEvent.reason_details",
    ("staff", "email"): "portal.User.email",
    ("staff", "ended"): "portal.Order.ended_reason",
    ("staff", "erasure"): "affiliates.Erasure.reason",
    ("staff", "file"): "affiliates_imports.ImportFile.name",
    ("staff", "firstname"): "portal.User.firstname",
    ("staff", "lastname"): "portal.User.lastname",
    ("staff", "look"): "affiliates_area.AreaLook.reason",
    ("staff", "mailbox"): "affiliates.Brand.staff_emails",
    ("staff", "note"): "affiliates.AffiliateNote.text",
    ("staff", "reason"): "affiliates.DecisionOverride.reason",
    ("staff", "review"): "affiliates.FraudReview.note",
    ("staff", "run"): "affiliates_payout_runs.PayoutRun.reason",
    ("staff", "transfer"): "affiliates.AffiliateTransfer.reason",
    ("staff", "view"): "affiliates.SavedView.name",
    ("staff", "viewed"): "affiliates.SavedView.query",
}
# fmt: on
# What a brand may let affiliates read of the clients that they sent.
OF_CLIENTS = {
    ("client", "email"),
    ("client", "firstname"),
    ("client", "lastname"),
    ("buyer", "sold"),
}
# Their values are nobody else's, even where the owner is not known.
STRANGERS = {"buyer", "staff", "visitor"}


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
    """A value without an owner counts as the reader's, unless a stranger's."""
    if reader.reads_clients and (marker.kind, marker.field) in OF_CLIENTS:
        return True
    if marker.kind in STRANGERS:
        return marker.number != NOBODY and marker.number in reader.numbers
    return marker.number == NOBODY or marker.number in reader.numbers
