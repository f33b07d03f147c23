"""Who is paid: versions of an affiliate's tax identity, and the terms of a brand."""

from __future__ import annotations

from django.db import models

from affiliates.brands.models.brand import Brand
from affiliates.contrib.tax_identity.rules import ViesAnswerKind
from affiliates.db.records import Record, optional_text, staff_field
from affiliates.db.seals import SaltField, SealField, no_text
from affiliates.program.models import Affiliate

MAX_REFERENCE = 64


class IdentityTerms(Record):
    """When a brand's payouts need a tax identity, and whether VIES is asked."""

    brand = models.OneToOneField(
        Brand, on_delete=models.PROTECT, related_name="identity_terms"
    )
    needed_from = models.JSONField(default=dict, blank=True)
    countries = models.JSONField(default=list, blank=True)
    asks_vies = models.BooleanField(
        "asks VIES",
        default=False,
        help_text="On: VAT IDs of the European Union are sent to the Commission's "
        "service, which says whether they are valid.",
    )
    own_vat_id = optional_text(
        verbose_name="own VAT ID",
        max_length=20,
        help_text="VIES gives a reference of its answer only to who asks with one.",
    )

    class Meta:
        verbose_name = "identity terms"
        verbose_name_plural = "identity terms"

    def __str__(self) -> str:
        return f"Identity terms of {self.brand}"


class TaxIdentity(Record):
    """Who is paid for an affiliate. A change adds a row; the latest valid one counts."""

    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="tax_identities"
    )
    valid_from = models.DateField()
    details = models.TextField(
        editable=False, help_text="Encrypted: name, address, country, numbers."
    )
    hint = models.CharField(
        max_length=64, blank=True, help_text="What all staff may see of the details."
    )
    is_for_vies = models.BooleanField(
        "has a VAT ID of the EU", help_text="VIES can be asked about it."
    )
    created_at = models.DateTimeField()
    entered_by = staff_field(help_text="Empty: the affiliate itself.")
    salt = SaltField()
    seal = SealField(personal={"details": no_text, "hint": no_text})

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "tax identities"
        indexes = [
            models.Index(
                fields=["affiliate", "valid_from"], name="tax_identity_by_day"
            ),
        ]

    def __str__(self) -> str:
        return f"Tax identity {self.hint}".rstrip()


class ViesAnswer(Record):
    """An answer of VIES about an identity's VAT ID. Only ever added; the last counts."""

    identity = models.ForeignKey(
        TaxIdentity, on_delete=models.PROTECT, related_name="vies_answers"
    )
    kind = models.CharField("answer", max_length=20, choices=ViesAnswerKind.choices)
    reference = optional_text(max_length=MAX_REFERENCE, help_text="As VIES gave it.")
    asked_at = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["-id"]
        verbose_name = "answer of VIES"
        verbose_name_plural = "answers of VIES"

    def __str__(self) -> str:
        return str(ViesAnswerKind(self.kind).label)
