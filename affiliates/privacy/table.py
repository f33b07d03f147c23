"""The tables of the core: which columns hold personal data, and which do not.

A test compares it with the models. Columns of types that cannot hold personal data are
left out: numbers, dates, choices, money, keys of rows.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from affiliates.core.ids import erased_id, new_link_hash
from affiliates.db.audit.recording import RECORDED_MODELS
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.payouts import details
from affiliates.privacy.registry import Keys, declare
from affiliates.privacy.types import Key, Person
from affiliates.privacy.uses import (
    ACCESS,
    ACCOUNT,
    ACT,
    ADDRESS,
    DELIVERY,
    DESTINATION,
    DEVICE,
    EARNINGS,
    EMAIL,
    ERASURE,
    FRAUD,
    HELP,
    LIMIT,
    MEMBER,
    PAYMENT,
    PROGRAM,
    REFERRAL,
    REPEAT,
    RETIRED,
    SALE,
    SOLD,
    VISIT,
    WORK,
)
from affiliates.visits.consent.rules import without_person

CLIENT, AFFILIATE, VISITOR = Person.CLIENT, Person.AFFILIATE, Person.VISITOR
OF_AFFILIATE = {AFFILIATE: {"affiliate": Key.AFFILIATE}}
OF_COMMISSION = {AFFILIATE: {"commission__affiliate": Key.AFFILIATE}}
OF_PAYOUT = {AFFILIATE: {"payout__affiliate": Key.AFFILIATE}}
EXTERNAL = "external_affiliate external_click_id"


def _changes_of(keys: Keys) -> Q:
    """Entries of auditlog on an affiliate and the rows shown on its page."""
    ids = list(keys[Key.AFFILIATE])
    shown = [name for name, page in RECORDED_MODELS.items() if page == "affiliate"]
    models = [name.partition(".")[2].lower() for name in shown]
    own = Q(content_type__model="affiliate", object_pk__in=[str(pk) for pk in ids])
    others = Q(content_type__model__in=models, additional_data__affiliate__in=ids)
    # Webhooks: on the page of the brand, where those of affiliates are too.
    webhooks = TrackingIntegration.objects.filter(affiliate__in=ids)
    others |= Q(
        content_type__model__in=["trackingintegration", "webhook", "affiliatewebhook"],
        object_pk__in=[str(pk) for pk in webhooks.values_list("pk", flat=True)],
    )
    return Q(content_type__app_label="affiliates") & (own | others)


def _left_of_click(click: Any) -> dict[str, Any]:
    return without_person(visit_url=click.visit_url, referrer_url=click.referrer_url)


# fmt: off
# Visits and referrals.
# A sub-id is a name that the affiliate gave to a part of a link.
declare("affiliates.Click",
    {VISIT: "visitor_id visit_url referrer_url refused_redirect",
     DEVICE: "user_agent", ADDRESS: "ip_prefix"},
    of={VISITOR: {"visitor_id": Key.VISITOR, "pk": Key.CLICK}}, at="created_at",
    # Unique clicks are counted by it.
    leaves={"visitor_id": lambda row: erased_id(row.visitor_id),
            "visit_url": lambda row: _left_of_click(row)["visit_url"],
            "referrer_url": lambda row: _left_of_click(row)["referrer_url"]},
    other="external_affiliate bot_signs redirect_reason country sub_id more_sub_ids")
declare("affiliates.ClientReferral",
    {ACCOUNT: "client", REFERRAL: "visitor_id external_visitor_id", DEVICE: "external_user_agent", ADDRESS: "external_ip"},
    of={CLIENT: {"client": Key.USER}}, at="bound_at", other=f"click_id {EXTERNAL}")
declare("affiliates.OrderReferral",
    {ACCOUNT: "client decision", REFERRAL: "referral_cookie external_visitor_id",
     DEVICE: "external_user_agent", ADDRESS: "ip_prefix external_ip"},
    of={CLIENT: {"client": Key.USER, "guest_ref": Key.GUEST},
        AFFILIATE: {"affiliate": Key.AFFILIATE}}, at="converted_at",
    other=f"order_ref invoice_ref guest_ref coupon_code click_id {EXTERNAL}")
declare("affiliates.DecisionOverride", {ACCOUNT: "replaced", ACT: "actor reason"},
    of={CLIENT: {"referral__client": Key.USER}})
declare("affiliates.OrderCandidate", of=OF_AFFILIATE)

# Sales, and what they earn.
_OF_ORDER = {CLIENT: {"order_ref": Key.ORDER}}
_OF_INVOICE = {CLIENT: {"invoice_ref": Key.INVOICE}}
declare("affiliates.InvoicePayment", {SALE: "payment_ref", SOLD: "lines"}, of=_OF_ORDER,
    other="invoice_ref order_ref")
declare("affiliates.InvoiceRefund", {SALE: "refund_ref named"}, of=_OF_INVOICE, other="invoice_ref")
declare("affiliates.RefundCancellation", {SALE: "refund_ref cancellation_ref"})
declare("affiliates.Sale",
    of={CLIENT: {"order_referral__client": Key.USER}, AFFILIATE: {"affiliate": Key.AFFILIATE}},
    other="invoice_ref")
declare("affiliates.SaleReversal", of={CLIENT: {"sale__order_referral__client": Key.USER}})
declare("affiliates.FraudReview", {FRAUD: "findings", ACT: "reviewed_by note"}, leaves={"findings": lambda row: []},
    of={CLIENT: {"sale__order_referral__client": Key.USER}})
declare("affiliates.FraudPolicy")
declare("affiliates.Commission", {EARNINGS: "reason_details"}, of=OF_AFFILIATE,
    other="currency reason")
declare("affiliates.CommissionLine", {SOLD: "receipt"}, of=OF_COMMISSION,
    shared={CLIENT: {"commission__sale__order_referral__client": Key.USER}})
declare("affiliates.CommissionReversal", of=OF_COMMISSION)
declare("affiliates.CommissionEvent", {EARNINGS: "reason_details", ACT: "actor"}, of=OF_COMMISSION,
    other="reason")
declare("affiliates.Adjustment", {EARNINGS: "reason", ACT: "actor"}, of=OF_AFFILIATE,
    other="currency key")
declare("affiliates.LedgerPosting", other="key")
declare("affiliates.LedgerEntry", of=OF_AFFILIATE, other="currency")
declare("affiliates.AccountBalance", of=OF_AFFILIATE, other="currency")

# Payouts.
declare("affiliates.PayoutDestination",
    {DESTINATION: "details hint", ACCESS: "fingerprint", ACT: "entered_by"}, of=OF_AFFILIATE,
    opens={"details": details.ACCOUNTS.open})
declare("affiliates.Payout", {EARNINGS: "reason remote_ref", ACT: "prepared_by approved_by"},
    of=OF_AFFILIATE, other="currency stated_as received_currency")
declare("affiliates.PayoutEvent", {EARNINGS: "reason", ACT: "actor"}, of=OF_PAYOUT)
declare("affiliates.PayoutStatement", {EARNINGS: "document"}, of=OF_PAYOUT, other="name currency")
declare("affiliates.StatementSeries", of=OF_AFFILIATE)
declare("affiliates.StatementGap")
declare("affiliates.PayoutBatch", {PAYMENT: "content", ACT: "exported_by"}, other="currency digest reference")
declare("affiliates.PayoutAccount", other="provider address config secrets")
declare("affiliates.PayoutSending", {PAYMENT: "results"}, other="remote_id detail request_id",
    shared={AFFILIATE: {"batch__payouts__affiliate": Key.AFFILIATE}})
declare("affiliates.PayoutTerms", {ACT: "single_person_asked_by"},
    other="kinds minimums debtor_name debtor_iban debtor_bic number_prefix issuer tax_note")

# The program.
declare("affiliates.Affiliate", {MEMBER: "user", PROGRAM: "code time_zone"},
    of={AFFILIATE: {"pk": Key.AFFILIATE}}, leaves={"code": lambda row: f"erased-{row.pk}"})
declare("affiliates.AffiliateLink", {PROGRAM: "name hash old_code target_url slug"},
    of=OF_AFFILIATE,
    leaves={"hash": lambda row: new_link_hash() if row.name else row.hash, "slug_brand": lambda row: None,
            "is_active": lambda row: False})
declare("affiliates.RetiredName", {RETIRED: "digest"})
declare("affiliates.AffiliateDeparture", of=OF_AFFILIATE, other="forfeited")
declare("affiliates.ForfeitedAmount", of={AFFILIATE: {"departure__affiliate": Key.AFFILIATE}},
    other="currency")
declare("affiliates.ForfeitDeduction",
    of={AFFILIATE: {"forfeited__departure__affiliate": Key.AFFILIATE}})
declare("affiliates.AffiliateNote", {HELP: "text", ACT: "author"}, of=OF_AFFILIATE,
    deletes={AFFILIATE})
declare("affiliates.AffiliateTransfer", {EARNINGS: "reason given", ACT: "actor"},
    of={AFFILIATE: {"source": Key.AFFILIATE, "target": Key.AFFILIATE}}, other="key")
declare("affiliates.CouponCode", {EARNINGS: "code"}, of=OF_AFFILIATE)
declare("affiliates.CouponCodeVersion", {EARNINGS: "terms"},
    of={AFFILIATE: {"coupon__affiliate": Key.AFFILIATE}}, other="digest")
declare("affiliates.TrackingIntegration", {PROGRAM: "address config", ACCESS: "secrets"},
    of=OF_AFFILIATE, deletes={AFFILIATE}, other="provider parameters")
declare("affiliates.IntegrationHealth", other="last_failure")
declare("affiliates.EmailChoice", of=OF_AFFILIATE)
declare("affiliates.Email", {EMAIL: "recipient subject text html values", ACCESS: "link"},
    of={AFFILIATE: {"affiliate": Key.AFFILIATE, "recipient": Key.EMAIL}},
    deletes={AFFILIATE}, other="key message_id request_id detail facts")
declare("affiliates.Delivery", {DELIVERY: "visitor_ref payload remote_ref detail"},
    of={CLIENT: {"visitor_ref": Key.PROVIDER_VISITOR, "order_ref": Key.INVOICE},
        AFFILIATE: {"integration__affiliate": Key.AFFILIATE}},
    deletes={AFFILIATE}, other="key order_ref request_id")
declare("affiliates.DeliveryAttempt", {DELIVERY: "detail"},
    of={AFFILIATE: {"delivery__integration__affiliate": Key.AFFILIATE}},
    shared={CLIENT: {"delivery__visitor_ref": Key.PROVIDER_VISITOR,
                     "delivery__order_ref": Key.INVOICE}})
declare("affiliates.VisitorAlias", {DELIVERY: "visitor_ref remote_id"},
    of={CLIENT: {"visitor_ref": Key.PROVIDER_VISITOR}}, deletes={CLIENT})

declare("affiliates.Erasure", {ACCOUNT: "accounts", ERASURE: "email", ACT: "reason asked_by agreed_by"},
    other="changed")

# Staff.
declare("affiliates.StaffBrand", {WORK: "person"})
declare("affiliates.SavedView", {WORK: "person name query"}, other="model")
declare("auditlog.LogEntry",
    {PROGRAM: "object_repr serialized_data changes changes_text",
     ACT: "actor actor_email remote_addr"},
    of={AFFILIATE: _changes_of}, leaves={"changes_text": lambda row: ""},
    other="cid object_pk additional_data")

# Configuration, and the machinery.
declare("affiliates.CallCount", {LIMIT: "key"})
declare("affiliates.StoredAnswer", {REPEAT: "scope sealed"})
declare("affiliates.Brand", {WORK: "staff_emails"},
    other="name default_redirect_url link_parameter link_place time_zone colour logo banned_referrers "
          "legal_text support privacy_url imprint_url")
for name, other in {
    "AffiliateGroup": "name",
    "AttributionPolicyVersion": "terms digest",
    "BrandDomain": "host",
    "RefusedOrigin": "host",
    "CommissionPlan": "name hold_days_by_cycle cap_amounts joining_bonus",
    "CommissionPlanVersion": "terms digest",
    "ConfigChange": "kind token",
    "Creative": "name text translations image file file_name",
    "PlanRule": "product_ref kind tld operation fixed_amounts tiers",
    "ProvedRange": "check_name digest",
    "PurgedClicks": "",
    "Recovery": "report",
    "WorkerJob": "name holder last_error",
}.items():
    declare(f"affiliates.{name}", other=other)
