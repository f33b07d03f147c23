"""The API's codes of payouts, claims and keys in an affiliate's words."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from affiliates.api_keys.rules import KeyEnd, Scope
from affiliates.claims.rules import ClaimStatus
from affiliates.emails.kinds import KINDS
from affiliates.emails.rules import EmailState
from affiliates.payouts.rules import DestinationKind, PayoutStatus, StatementKind

Words = Mapping[str, str | Promise]

PAYOUT_STATUS: Words = {
    PayoutStatus.REQUESTED: _("Requested"),
    PayoutStatus.APPROVED: _("Approved"),
    PayoutStatus.EXPORTED: _("Being paid"),
    PayoutStatus.PAID: _("Paid"),
    PayoutStatus.REJECTED: _("Rejected"),
    PayoutStatus.RETURNED: _("Returned"),
}
DESTINATION: Words = {
    DestinationKind.WALLET: _("Account credit"),
    DestinationKind.PAYPAL: _("PayPal"),
    DestinationKind.BANK: _("Bank transfer (SEPA)"),
    DestinationKind.OFFLINE: _("By agreement"),
}
STATEMENT: Words = {
    StatementKind.PAID: _("Statement"),
    StatementKind.RETURNED: _("Credit note"),
}

CLAIM_STATUS: Words = {one: _(one.label) for one in ClaimStatus}
SCOPE: Words = {one: _(one.label) for one in Scope}
KEY_END: Words = {
    KeyEnd.REVOKED: _("Revoked"),
    KeyEnd.SUSPENDED: _("Ended by a suspension"),
}
EMAIL_KIND: Words = {one: known.about for one, known in KINDS.items()}
EMAIL_STATUS: Words = {
    EmailState.SENT: _("Sent"),
    EmailState.UNCLEAR: _("Sent, but whether it has arrived is not known"),
    EmailState.FAILED: _("Could not be delivered"),
}
WORDS = {
    "email_kind": EMAIL_KIND,
    "email_status": EMAIL_STATUS,
    "claim_status": CLAIM_STATUS,
    "key_end": KEY_END,
    "scope": SCOPE,
    "payout_status": PAYOUT_STATUS,
    "destination": DESTINATION,
    "statement": STATEMENT,
}
