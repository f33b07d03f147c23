"""The referrals of clients and orders, with the decisions that explain them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.db import accounts
from affiliates.db.records import Record, optional_text
from affiliates.db.seals import SaltField, SealField, erased_text, no_text, nothing
from affiliates.encrypted.addresses import AddressField
from affiliates.program.models import Affiliate
from affiliates.referrals.external_fields import (
    EMPTIED,
    EXTERNAL_IS_WHOLE,
    ExternalTouchFields,
)
from affiliates.referrals.rules.choices import Outcome, Reason
from affiliates.referrals.rules.identity import RegistrationStep

MAX_REFERENCE = 64
MAX_REASON = 255


class ClientReferral(ExternalTouchFields):
    """The permanent binding of a client to its sender."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT)
    client = accounts.SingleAccountField(
        settings.AUTH_USER_MODEL,
        on_delete=accounts.cascade_unless_erased,
        related_name="client_referral",
    )
    affiliate = models.ForeignKey(
        Affiliate,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="client_referrals",
    )
    click_id = models.UUIDField(null=True, blank=True)
    visitor_id = models.UUIDField(null=True, blank=True)
    touched_at = models.DateTimeField("click time", null=True, blank=True)
    bound_at = models.DateTimeField()
    step = models.CharField(max_length=20, choices=RegistrationStep.choices)
    salt = SaltField()
    seal = SealField(
        leaves_out=EMPTIED,
        personal={"visitor_id": nothing, "external_visitor_id": erased_text},
    )

    class Meta:
        ordering = ["-bound_at"]
        indexes = [
            models.Index(fields=["brand", "bound_at"], name="client_of_brand_by_day"),
            models.Index(fields=["bound_at", "id"], name="client_referral_by_time"),
            models.Index(
                fields=["click_id"],
                name="client_referral_of_click",
                condition=Q(click_id__isnull=False),
            ),
            models.Index(
                fields=["external_click_id"],
                name="client_referral_ext_click",
                condition=Q(external_click_id__isnull=False),
            ),
            models.Index(
                fields=["external_affiliate"],
                name="client_referral_of_external",
                condition=~Q(external_affiliate=""),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    affiliate__isnull=False,
                    click_id__isnull=False,
                    touched_at__isnull=False,
                )
                | Q(affiliate__isnull=True, integration__isnull=False),
                name="client_referral_names_somebody",
            ),
            models.CheckConstraint(
                condition=Q(client__isnull=False), name="client_referral_has_a_client"
            ),
            models.CheckConstraint(
                condition=EXTERNAL_IS_WHOLE, name="client_referral_external_is_whole"
            ),
        ]

    def __str__(self) -> str:
        client = self.client or "An erased client"
        return f"{client} by {self.affiliate or self.integration}"


class OrderReferral(ExternalTouchFields):
    """The attribution of one order's initial invoice. Every converted order has one."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT)
    order_ref = models.CharField("order", max_length=MAX_REFERENCE)
    invoice_ref = models.CharField("initial invoice", max_length=MAX_REFERENCE)
    client = accounts.AccountField(
        settings.AUTH_USER_MODEL,
        on_delete=accounts.protect_unless_erased,
        related_name="+",
    )
    guest_ref = optional_text(
        max_length=MAX_REFERENCE, help_text="The guest, who has no account."
    )
    # No column: leads to the binding of its client, also once the account is gone.
    binding = models.ForeignObject(
        ClientReferral,
        on_delete=models.DO_NOTHING,
        from_fields=["client"],
        to_fields=["client"],
        null=True,
        editable=False,
        related_name="+",
    )
    referral_cookie = models.TextField(
        blank=True, help_text="The valid cookie sent with the conversion, still sealed."
    )
    outcome = models.CharField(max_length=20, choices=Outcome.choices)
    reason = models.CharField(max_length=40, choices=Reason.choices)
    affiliate = models.ForeignKey(
        Affiliate,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="order_referrals",
    )
    click_id = models.UUIDField(null=True, blank=True)
    touched_at = models.DateTimeField("click time", null=True, blank=True)
    coupon_code = models.CharField(max_length=64, blank=True)
    ip_prefix = AddressField(
        "network", max_length=43, blank=True, help_text="Of the conversion's request."
    )
    policy_version = models.ForeignKey(
        AttributionPolicyVersion,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )
    converted_at = models.DateTimeField()
    decision = models.JSONField()
    salt = SaltField()
    seal = SealField(
        leaves_out=["ip_prefix", *EMPTIED],
        once_set=["guest_ref"],
        personal={"referral_cookie": no_text, "external_visitor_id": erased_text},
    )

    class Meta:
        permissions = [("assign_orderreferral", "Can assign orders to affiliates")]
        ordering = ["-converted_at"]
        indexes = [
            models.Index(
                fields=["brand", "converted_at"], name="order_referral_of_brand_by_day"
            ),
            models.Index(fields=["converted_at", "id"], name="order_referral_by_time"),
            models.Index(
                fields=["affiliate", "converted_at", "id"],
                name="order_of_affiliate_by_time",
            ),
            models.Index(
                fields=["affiliate", "ip_prefix", "converted_at"],
                name="order_of_affiliate_by_network",
                condition=~Q(ip_prefix=""),
            ),
            # Most orders of an affiliate's clients are its own, and there may be
            # thousands: this index alone finds the others.
            models.Index(
                fields=["client", "affiliate", "converted_at", "id"],
                name="order_of_client_by_affiliate",
            ),
            models.Index(fields=["reason", "id"], name="order_referral_by_reason"),
            models.Index(
                fields=["outcome", "converted_at"], name="order_referral_by_outcome"
            ),
            models.Index(
                fields=["click_id"],
                name="order_referral_of_click",
                condition=Q(click_id__isnull=False),
            ),
            models.Index(
                fields=["external_click_id"],
                name="order_referral_ext_click",
                condition=Q(external_click_id__isnull=False),
            ),
            models.Index(
                fields=["external_affiliate"],
                name="order_referral_of_external",
                condition=~Q(external_affiliate=""),
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "order_ref"], name="order_has_one_referral"
            ),
            models.UniqueConstraint(
                fields=["brand", "invoice_ref"], name="invoice_has_one_referral"
            ),
            models.CheckConstraint(
                condition=Q(
                    outcome__in=[Outcome.NOBODY, Outcome.THIRD_PARTY],
                    affiliate__isnull=True,
                )
                | Q(
                    outcome__in=[Outcome.CREDITED, Outcome.HELD],
                    affiliate__isnull=False,
                ),
                name="order_referral_names_affiliate_if_credited",
            ),
            models.CheckConstraint(
                condition=Q(integration__isnull=True) | ~Q(outcome=Outcome.NOBODY),
                name="order_referral_of_nobody_is_told_to_nobody",
            ),
            models.CheckConstraint(
                condition=Q(integration__isnull=False)
                | ~Q(outcome=Outcome.THIRD_PARTY),
                name="third_party_order_names_integration",
            ),
            models.CheckConstraint(
                condition=EXTERNAL_IS_WHOLE, name="order_referral_external_is_whole"
            ),
            models.CheckConstraint(
                condition=Q(client__isnull=False, guest_ref="")
                | Q(client__isnull=True) & ~Q(guest_ref=""),
                name="order_referral_has_a_client",
            ),
        ]

    def __str__(self) -> str:
        return str(getattr(self, "invoice_number", self.order_ref))


class OrderCandidate(Record):
    """An affiliate who took part in an order's decision and was not credited by it.

    Only ever added, beside the decision; finds the orders that an affiliate lost. The
    decision gives the reason, and the order's referral the credit: staff may have given
    the order to this affiliate since.
    """

    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    referral = models.ForeignKey(
        OrderReferral, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["affiliate", "referral"], name="affiliate_is_one_candidate"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.affiliate} for {self.referral}"


class DecisionOverride(Record):
    """An assignment of an order by staff to an affiliate or to nobody. Only ever added.

    The decision it replaced is stored here; the order's referral holds the new one.
    """

    referral = models.ForeignKey(
        OrderReferral, on_delete=models.PROTECT, related_name="overrides"
    )
    affiliate = models.ForeignKey(
        Affiliate,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Empty: nobody.",
    )
    reason = models.CharField(max_length=MAX_REASON)
    replaced = models.JSONField(help_text="The decision before.")
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    at = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.referral} to {self.affiliate or 'nobody'}"
