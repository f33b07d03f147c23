"""The record of each erasing of a person's data."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from affiliates.brands.models.brand import Brand
from affiliates.db.records import Record, staff_field
from affiliates.db.seals import SealField

MAX_REASON = 255


class Erasure(Record):
    """Asked for by one person of staff, agreed to by another; or done by a command.

    Emptied rows name it by its number. ``accounts`` are the numbers of the person's
    accounts at the host, none for an applicant without one.
    """

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    accounts = models.JSONField(default=list)
    email = models.EmailField(
        "e-mail address", blank=True, help_text="Emptied once it is done."
    )
    reason = models.CharField(max_length=MAX_REASON, blank=True)
    asked_by = staff_field()
    asked_at = models.DateTimeField("asked")
    agreed_by = staff_field()
    done_at = models.DateTimeField("done", null=True, blank=True)
    changed = models.JSONField(
        default=dict, help_text="How many rows of each table were emptied and deleted."
    )
    seal = SealField()

    class Meta:
        default_permissions = ("view",)
        permissions = [("erase_person", "Can erase what is stored of a person")]
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(agreed_by=F("asked_by")),
                name="erasure_is_agreed_to_by_another",
            ),
            models.CheckConstraint(
                condition=Q(done_at__isnull=True) | Q(email=""),
                name="done_erasure_names_nobody",
            ),
            # A command's is done in the transaction that writes it.
            models.UniqueConstraint(
                fields=["brand", "accounts", "email"],
                condition=Q(done_at=None, asked_by__isnull=False),
                name="erasure_of_a_person_is_asked_for_once",
            ),
        ]

    def __str__(self) -> str:
        return f"Erasure {self.pk}"
