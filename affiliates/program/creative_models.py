"""The brand's advertising material for its affiliates' sites."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.db.records import Record

MAX_TEXT = 500


class Creative(Record):
    """A text or an image for an affiliate's link.

    ``image`` is its name in the storage; an image is never changed, since sites show
    it.
    """

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="creatives")
    name = models.CharField(max_length=100, help_text="For affiliates to find it by.")
    text = models.CharField(
        max_length=MAX_TEXT,
        help_text="What the link says; of an image, what it shows, for those who cannot "
        "see it.",
    )
    image = models.CharField(max_length=100, blank=True, editable=False)
    width = models.PositiveIntegerField(null=True, editable=False)
    height = models.PositiveIntegerField(null=True, editable=False)
    is_active = models.BooleanField(
        "active",
        default=True,
        help_text="Affiliates find an active one; sites go on showing any.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(image="", width__isnull=True, height__isnull=True)
                | (~Q(image="") & Q(width__gte=1, height__gte=1)),
                name="image_of_a_creative_has_a_size",
            )
        ]

    def __str__(self) -> str:
        return self.name
