"""The API's codes of payouts, claims and keys in an affiliate's words."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from affiliates.api_keys.rules import KeyEnd, Scope
from affiliates.claims.rules import ClaimStatus
from affiliates.emails.kinds import KINDS
from affiliates.emails.rules import EmailState
from affiliates.integrations.providers.webhook import PING
from affiliates.integrations.rules import DeliveryState, WebhookEnd
from affiliates.integrations.webhooks.announce import FactKind
from affiliates.payouts.rules import DestinationKind, PayoutStatus, StatementKind

PAYOUT_STATUS = {
    PayoutStatus.REQUESTED: _("Requested"),
    PayoutStatus.APPROVED: _("Approved"),
    PayoutStatus.EXPORTED: _("Being paid"),
    PayoutStatus.PAID: _("Paid"),
    PayoutStatus.REJECTED: _("Rejected"),
    PayoutStatus.RETURNED: _("Returned"),
}
DESTINATION = {
    DestinationKind.WALLET: _("Account credit"),
    DestinationKind.PAYPAL: _("PayPal"),
    DestinationKind.BANK: _("Bank transfer (SEPA)"),
    DestinationKind.OFFLINE: _("By agreement"),
}
STATEMENT = {
    StatementKind.PAID: _("Statement"),
    StatementKind.RETURNED: _("Credit note"),
}

CLAIM_STATUS = {one: _(one.label) for one in ClaimStatus}
SCOPE = {one: _(one.label) for one in Scope}
KEY_END = {
    KeyEnd.REVOKED: _("Revoked"),
    KeyEnd.SUSPENDED: _("Ended by a suspension"),
}
EMAIL_KIND = {one: known.about for one, known in KINDS.items()}
EMAIL_STATUS = {
    EmailState.SENT: _("Sent"),
    EmailState.UNCLEAR: _("Sent, but whether it has arrived is not known"),
    EmailState.FAILED: _("Could not be delivered"),
}
EVENT = {
    FactKind.CLIENT_REFERRED: _("A client of yours registered"),
    FactKind.REFERRAL_RECORDED: _("An order is yours"),
    FactKind.COMMISSION_CHANGED: _("A commission changed"),
    FactKind.PAYOUT_CHANGED: _("A payout changed"),
    PING: _("Test"),
}
DELIVERY_STATE = {
    DeliveryState.QUEUED: _("Waits"),
    DeliveryState.SENDING: _("Being sent"),
    DeliveryState.RETRY: _("Is sent again"),
    DeliveryState.DONE: _("Delivered"),
    DeliveryState.FAILED: _("Refused"),
    DeliveryState.DEAD: _("Given up"),
}
WEBHOOK_END = {
    WebhookEnd.GONE: _("Your server answered that it wants no more (410)."),
    WebhookEnd.FAILING: _("Your server accepted nothing for three days."),
    WebhookEnd.SUSPENDED: _("Your account was suspended."),
    WebhookEnd.STAFF: _("The operator switched the webhook off."),
}
LABELS = {
    "email_kind": EMAIL_KIND,
    "email_status": EMAIL_STATUS,
    "event": EVENT,
    "delivery_state": DELIVERY_STATE,
    "webhook_end": WEBHOOK_END,
    "claim_status": CLAIM_STATUS,
    "key_end": KEY_END,
    "scope": SCOPE,
    "payout_status": PAYOUT_STATUS,
    "destination": DESTINATION,
    "statement": STATEMENT,
}
