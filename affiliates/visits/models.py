"""Clicks: one row for every visit that named an affiliate."""

from __future__ import annotations

from django.db import models

from affiliates.brands.models.brand import Brand
from affiliates.core.ids import new_id
from affiliates.db.records import Record
from affiliates.encrypted.addresses import AddressField
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.protocol import MAX_AFFILIATE
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import AffiliateStatus
from affiliates.visits.consent.rules import Consent
from affiliates.visits.rules import MAX_MORE_SUB_IDS, MAX_SUB_ID, Embedding, TouchSource

MAX_STORED_URL = 2048
MAX_USER_AGENT = 512
MAX_REFUSED_REDIRECT = 512


class Click(Record):
    """A visit through an affiliate link, stored whether or not it can be credited.

    It names an affiliate of the brand's own program, an affiliate of the tracking
    integration, or both.

    Other tables store a click's id without a foreign key: clicks are purged, decisions
    stay.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    created_at = models.DateTimeField()
    brand = models.ForeignKey(
        Brand, on_delete=models.PROTECT, db_index=False, db_constraint=False
    )
    # No database constraint on these: a visit would wait for their locks.
    affiliate = models.ForeignKey(
        Affiliate,
        on_delete=models.PROTECT,
        null=True,
        db_index=False,
        db_constraint=False,
    )
    link = models.ForeignKey(
        AffiliateLink,
        on_delete=models.PROTECT,
        null=True,
        db_index=False,
        db_constraint=False,
    )
    integration = models.ForeignKey(
        TrackingIntegration,
        on_delete=models.PROTECT,
        null=True,
        db_index=False,
        db_constraint=False,
        related_name="+",
        help_text="The tracking integration that recognised the visit.",
    )
    external_affiliate = models.CharField(
        "integration's affiliate", max_length=MAX_AFFILIATE, blank=True
    )
    visitor_id = models.UUIDField(
        null=True, help_text="Empty: without consent, nobody is recognised again."
    )
    source = models.CharField(max_length=20, choices=TouchSource.choices)
    affiliate_status = models.CharField(
        max_length=20,
        choices=AffiliateStatus.choices,
        blank=True,
        help_text="The affiliate's status at the moment of the visit.",
    )
    own_program = models.BooleanField(
        help_text="Whether the brand's own program was on at the moment of the visit."
    )
    is_repeat = models.BooleanField()
    bot_signs = models.CharField(max_length=100, blank=True)
    visit_url = models.CharField(max_length=MAX_STORED_URL)
    referrer_url = models.CharField(max_length=MAX_STORED_URL, blank=True)
    user_agent = models.CharField(max_length=MAX_USER_AGENT, blank=True)
    ip_prefix = AddressField("IP prefix", max_length=43, blank=True)
    redirect_reason = models.CharField(max_length=40)
    refused_redirect = models.CharField(max_length=MAX_REFUSED_REDIRECT, blank=True)
    sub_id = models.CharField(
        "sub-id",
        max_length=MAX_SUB_ID,
        blank=True,
        default="",
        db_default="",
        help_text="What the affiliate added to the link as sub or sub1.",
    )
    more_sub_ids = models.CharField(
        "further sub-ids",
        max_length=MAX_MORE_SUB_IDS,
        blank=True,
        default="",
        db_default="",
    )
    country = models.CharField(
        max_length=2,
        blank=True,
        default="",
        db_default="",
        help_text="Of the visitor's address, where a GeoIP file is configured.",
    )
    consent = models.CharField(
        max_length=10,
        choices=Consent.choices,
        blank=True,
        default=Consent.NOT_ASKED,
        db_default=Consent.NOT_ASKED,
        help_text="As it was known at the visit.",
    )
    embedding = models.CharField(
        max_length=10,
        choices=Embedding.choices,
        blank=True,
        default=Embedding.NONE,
        db_default=Embedding.NONE,
    )

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["affiliate", "created_at"], name="click_by_affiliate"),
            models.Index(fields=["visitor_id"], name="click_by_visitor"),
            models.Index(fields=["brand", "created_at"], name="click_of_brand_by_day"),
            # Few rows: without the index, a list of them would read all others.
            models.Index(
                fields=["affiliate_status", "id"],
                name="click_not_of_active",
                condition=models.Q(
                    affiliate_status__in=["pending", "suspended", "left"]
                ),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(affiliate__isnull=False)
                | models.Q(integration__isnull=False),
                name="click_names_an_affiliate_or_integration",
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)
