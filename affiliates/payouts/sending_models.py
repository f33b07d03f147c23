"""A brand's accounts at providers that are called, and the batches sent to them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.db.records import Record
from affiliates.outbox.models.integration import MAX_ADDRESS
from affiliates.outbox.queue.models import QueuedRow
from affiliates.payouts.models import MAX_REMOTE_REF, PayoutBatch
from affiliates.payouts.providers.registry import PROVIDERS, SENDERS, choices


class PayoutAccount(Record):
    """An account from which a provider pays. ``secrets`` are encrypted.

    While it is active, payouts of its kind are sent instead of written to a file.
    ``held_since``: the database was restored, so nothing new is sent until a person has
    compared.
    """

    brand = models.ForeignKey(
        Brand, on_delete=models.PROTECT, related_name="payout_accounts"
    )
    provider = models.CharField(max_length=40, editable=False)
    kind = models.CharField(max_length=20, choices=choices, editable=False)
    is_active = models.BooleanField(
        "active",
        default=True,
        help_text="Off: payouts are written to a file again. What is being sent waits.",
    )
    address = models.CharField(max_length=MAX_ADDRESS)
    config = models.JSONField(default=dict, blank=True, editable=False)
    secrets = models.TextField(blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    held_since = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["brand__name", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "kind"],
                condition=Q(is_active=True),
                name="one_active_payout_account_per_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider_name} of {self.brand}"

    @property
    def provider_name(self) -> str:
        sender = SENDERS.get(self.provider)
        return sender.name if sender else f"{self.provider} (not installed)"


class PayoutSending(QueuedRow):
    """A batch on its way to a provider: sent, then looked up until all of it is decided.

    ``sent_at`` is the first try. ``results`` are the provider's last words on each
    payout, by our reference.
    """

    batch = models.OneToOneField(
        PayoutBatch, on_delete=models.PROTECT, related_name="sending"
    )
    account = models.ForeignKey(
        PayoutAccount, on_delete=models.PROTECT, related_name="sendings"
    )
    remote_id = models.CharField(
        "provider's number", max_length=MAX_REMOTE_REF, blank=True
    )
    sent_at = models.DateTimeField("first sent", null=True, blank=True)
    results = models.JSONField(default=dict, blank=True)

    class Meta(QueuedRow.Meta):
        ordering = ["-id"]
        indexes = [
            models.Index(
                fields=["next_at"],
                name="payout_sending_due",
                condition=Q(next_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"Sending of {self.batch}"


def account_for(brand_id: int, kind: str) -> PayoutAccount | None:
    """The account from which payouts of this kind are sent; None: they need a file."""
    accounts = PayoutAccount.objects.filter(brand_id=brand_id, kind=kind)
    account = accounts.filter(is_active=True).first()
    return account if account and account.provider in SENDERS else None


def most_in_batch(brand_id: int, kind: str) -> int:
    """The largest number of payouts in one batch."""
    account = account_for(brand_id, kind)
    return SENDERS[account.provider].most if account else PROVIDERS[kind].most
