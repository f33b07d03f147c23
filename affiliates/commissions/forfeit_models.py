"""The parts of balances that affiliates gave up or forfeited, and their deductions."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.commissions.models import Adjustment, Commission
from affiliates.db.records import Record
from affiliates.db.seals import SealField
from affiliates.program.history_models import AffiliateDeparture


class ForfeitedAmount(Record):
    """A part of the balance that an affiliate lost by leaving. Only ever added.

    It names a commission or a held bonus. Naming neither, it is the rest of the payable
    balance: below zero for a debt, which is set off against the others. ``amount`` is
    in minor units: the most that is deducted for it.
    """

    departure = models.ForeignKey(
        AffiliateDeparture, on_delete=models.PROTECT, related_name="amounts"
    )
    commission = models.ForeignKey(
        Commission,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="forfeited_amounts",
    )
    bonus = models.ForeignKey(
        Adjustment,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="forfeited_amounts",
    )
    currency = models.CharField(max_length=3)
    amount = models.BigIntegerField()
    seal = SealField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(commission__isnull=True) | Q(bonus__isnull=True),
                name="forfeited_amount_has_one_source",
            ),
            models.CheckConstraint(
                condition=Q(amount__gt=0)
                | Q(amount__lt=0, commission__isnull=True, bonus__isnull=True),
                name="only_a_debt_is_below_zero",
            ),
            models.UniqueConstraint(
                fields=["departure", "commission"],
                name="departure_names_a_commission_once",
            ),
            models.UniqueConstraint(
                fields=["departure", "bonus"], name="departure_names_a_bonus_once"
            ),
            models.UniqueConstraint(
                fields=["departure", "currency"],
                condition=Q(commission__isnull=True, bonus__isnull=True),
                name="departure_has_one_rest_of_a_balance",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount} {self.currency} of {self.departure}"


class ForfeitDeduction(Record):
    """The change of what is deducted for a forfeited amount. Only ever added.

    ``amount`` is above zero where it was deducted, below where it was given back.
    """

    forfeited = models.ForeignKey(
        ForfeitedAmount, on_delete=models.PROTECT, related_name="deductions"
    )
    adjustment = models.ForeignKey(
        Adjustment,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="forfeits",
        help_text="Empty: the changes of that time sum to zero.",
    )
    amount = models.BigIntegerField()
    seal = SealField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.amount} for {self.forfeited}"
