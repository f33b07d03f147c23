"""The double-entry ledger. Rows are only ever added: a database trigger enforces it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.core.language import ENGLISH
from affiliates.core.money import from_minor, local_text
from affiliates.db.records import Record
from affiliates.ledger.rules import Account, PostingKind
from affiliates.program.models import Affiliate

MAX_KEY = 150
MAX_CURRENCY = 3


class LedgerPosting(Record):
    """One movement of money between accounts, with its reason. Its entries sum to zero.

    ``key`` says what the posting is for, so that it is posted only once.
    """

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=30, choices=PostingKind.choices)
    key = models.CharField(max_length=MAX_KEY, unique=True)
    commission = models.ForeignKey(
        "affiliates.Commission",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="postings",
    )
    payout = models.ForeignKey(
        "affiliates.Payout",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="postings",
    )
    posted_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        verbose_name = "ledger posting"
        indexes = [models.Index(fields=["posted_at", "id"], name="posting_by_time")]

    def __str__(self) -> str:
        return self.key


class LedgerEntry(Record):
    """One side of a posting. ``amount`` is in minor units of ``currency``.

    A positive amount on an affiliate's account is owed by the brand.
    """

    posting = models.ForeignKey(
        LedgerPosting, on_delete=models.PROTECT, related_name="entries"
    )
    account = models.CharField(max_length=20, choices=Account.choices)
    affiliate = models.ForeignKey(Affiliate, on_delete=models.PROTECT, related_name="+")
    currency = models.CharField(max_length=MAX_CURRENCY)
    amount = models.BigIntegerField()

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "ledger entries"
        constraints = [
            models.CheckConstraint(
                condition=~Q(amount=0), name="ledger_entry_is_never_zero"
            ),
        ]
        indexes = [
            models.Index(
                # Includes the amount for sums that read the index alone.
                fields=["affiliate", "currency", "account", "amount"],
                name="ledger_entry_balance",
            ),
        ]

    def __str__(self) -> str:
        return _text(self)


class AccountBalance(Record):
    """A part of the sum of an account's entries, updated by each posting.

    An account has the part 0, and others if postings came at once: each adds to a part
    that no other transaction is changing, so that none waits for another.
    ``selectors.account_balances`` adds them up. See verify_ledger.
    """

    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="balances"
    )
    account = models.CharField(max_length=20, choices=Account.choices)
    currency = models.CharField(max_length=MAX_CURRENCY)
    part = models.PositiveIntegerField(default=0)
    amount = models.BigIntegerField(help_text="Of this part.")

    class Meta:
        ordering = ["affiliate", "currency", "account", "part"]
        constraints = [
            models.UniqueConstraint(
                fields=["affiliate", "account", "currency", "part"],
                name="account_has_each_part_once",
            ),
        ]

    def __str__(self) -> str:
        return _text(self)


def _text(row: LedgerEntry | AccountBalance) -> str:
    minor = getattr(row, "balance", row.amount)
    amount = local_text(from_minor(minor, row.currency), ENGLISH)
    return f"{row.get_account_display()} {amount}"
