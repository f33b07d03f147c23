"""A brand's tracking integrations and the outbox of deliveries to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import RememberedModel
from affiliates.core.urls import parse_http_url
from affiliates.db.records import Record, RecordManager
from affiliates.encrypted.columns import SecretUnreadable
from affiliates.outbox.models.managers import OperatorsHealthManager, TrackerManager
from affiliates.outbox.registry import ADAPTERS
from affiliates.outbox.rules import AmbiguousSales, WebhookEnd
from affiliates.outbox.secrets import CREDENTIALS
from affiliates.outbox.types import WEBHOOK

MAX_ADDRESS = 255
MAX_DETAIL = 500
MAX_PARAMETERS = 200


class TrackingIntegration(RememberedModel):
    """A third party that a brand notifies, and how to call it.

    A brand has one active tracker, which visits are matched with, and any number of
    webhooks. Each of its affiliates has at most one webhook, notified only of that
    affiliate's own events.
    """

    brand = models.ForeignKey(
        Brand, on_delete=models.PROTECT, related_name="integrations"
    )
    provider = models.CharField(max_length=40)
    is_active = models.BooleanField(
        "active",
        default=True,
        help_text=(
            "Off: visits are no longer matched, and what waits to be sent is given up "
            "with that reason. It can be replayed later."
        ),
    )
    address = models.CharField("tracking address", max_length=MAX_ADDRESS)
    parameters = models.CharField(
        "affiliate parameters",
        max_length=MAX_PARAMETERS,
        blank=True,
        help_text=(
            "Names in a page's address that make it an affiliate's, most important "
            "first, with commas: a_aid, aid."
        ),
    )
    ambiguous_sales = models.CharField(
        "when nobody can say whether a sale arrived",
        max_length=20,
        choices=AmbiguousSales.choices,
        default=AmbiguousSales.LOOK_UP,
    )
    requests_per_second = models.PositiveSmallIntegerField(
        default=5,
        validators=[MinValueValidator(1), MaxValueValidator(1000)],
        help_text="All processes together send no more than this, on average.",
    )
    click_max_age_days = models.PositiveSmallIntegerField(
        "give up a click after",
        default=7,
        validators=[MinValueValidator(1), MaxValueValidator(90)],
        help_text="Days. A sale carries its visitor's click where the provider can.",
    )
    sale_max_age_days = models.PositiveSmallIntegerField(
        "give up a sale after",
        default=30,
        validators=[MinValueValidator(1), MaxValueValidator(365)],
        help_text="Days. Also for leads and reversals.",
    )
    affiliate = models.OneToOneField(
        "affiliates.Affiliate",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="webhook",
        help_text="Whose own webhook it is. Empty: the brand's.",
    )
    end = models.CharField(
        "why it is off",
        max_length=20,
        choices=WebhookEnd.choices,
        blank=True,
        editable=False,
        db_default="",
    )
    config = models.JSONField("provider settings", default=dict, blank=True)
    secrets = models.TextField(
        blank=True, editable=False, help_text="Encrypted; see outbox/secrets.py."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    restored_at = models.DateTimeField(
        "database restored",
        null=True,
        editable=False,
        help_text="What it lacks may have been sent.",
    )

    # Named first, so it stays the default.
    objects: ClassVar[RecordManager[Self]] = RecordManager()
    trackers: ClassVar[TrackerManager[Self]] = TrackerManager()

    class Meta:
        ordering = ["brand__name", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand"],
                condition=Q(is_active=True) & ~Q(provider=WEBHOOK),
                name="one_active_tracker_per_brand",
            ),
            models.CheckConstraint(
                condition=Q(affiliate__isnull=True) | Q(provider=WEBHOOK),
                name="affiliates_have_no_trackers",
            ),
        ]

    def __str__(self) -> str:
        name = f"{self.provider_name} of {self.brand}"
        # A brand may have several, which differ in their hosts.
        return f"{name} to {self.host}" if self.provider == WEBHOOK else name

    @property
    def host(self) -> str:
        url = parse_http_url(self.address)
        return self.address if url is None else url.hostname

    @property
    def provider_name(self) -> str:
        adapter = ADAPTERS.get(self.provider)
        return adapter.name if adapter else f"{self.provider} (unknown here)"

    def encrypted(self, secrets: Mapping[str, str]) -> str:
        """The text to store for these credentials; unchanged ones keep their text."""
        try:
            is_held = CREDENTIALS.open(self.secrets) == dict(secrets)
        except SecretUnreadable:
            is_held = False
        return self.secrets if is_held else CREDENTIALS.seal(secrets)


class IntegrationHealth(Record):
    """The provider's recent answers, shared by all delivering processes."""

    integration = models.OneToOneField(
        TrackingIntegration,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="health",
    )
    failures = models.PositiveIntegerField(default=0)
    paused_until = models.DateTimeField(null=True, blank=True)
    next_slot_at = models.DateTimeField(null=True, blank=True)
    last_ok_at = models.DateTimeField(null=True, blank=True)
    last_failure_at = models.DateTimeField(null=True, blank=True)
    # The first failure since the last accepted call; None while it answers.
    failing_since = models.DateTimeField(null=True, blank=True)
    last_failure = models.CharField(max_length=MAX_DETAIL, blank=True)

    # Named first, so the admin shows these rows to staff.
    objects: ClassVar[OperatorsHealthManager[Self]] = OperatorsHealthManager()
    of_all: ClassVar[RecordManager[Self]] = RecordManager()

    class Meta:
        base_manager_name = "of_all"

    def __str__(self) -> str:
        return f"Health of {self.integration_id}"
