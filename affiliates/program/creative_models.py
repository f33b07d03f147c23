"""The brand's advertising material for its affiliates."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.core.language import translated
from affiliates.db.records import Record
from affiliates.uploads.files import MAX_FILE_NAME, content_type_of

MAX_TEXT = 500


class Creative(Record):
    """A text or an image for an affiliate's link, or a file to download.

    ``image`` and ``file`` are names in the storage. Neither is ever changed: sites show
    the image, and readers of the file have it already.
    """

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="creatives")
    name = models.CharField(max_length=100, help_text="For affiliates to find it by.")
    text = models.CharField(
        max_length=MAX_TEXT,
        help_text="What the link says; of an image or a file, what it shows, for those "
        "who cannot see it.",
    )
    translations = models.JSONField(default=dict, blank=True)
    image = models.CharField(max_length=100, blank=True, editable=False)
    width = models.PositiveIntegerField(null=True, editable=False)
    height = models.PositiveIntegerField(null=True, editable=False)
    file = models.CharField(max_length=100, blank=True, editable=False)
    file_name = models.CharField(max_length=MAX_FILE_NAME, blank=True, editable=False)
    file_size = models.PositiveIntegerField(null=True, editable=False)
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
            ),
            models.CheckConstraint(
                condition=Q(file="", file_name="", file_size__isnull=True)
                | (~Q(file="") & ~Q(file_name="") & Q(file_size__gte=1, image="")),
                name="file_of_a_creative_has_a_name_a_size_and_no_image",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def own_text(self) -> str:
        """The text in the active language."""
        return translated(self.text, self.translations)

    @property
    def file_type(self) -> str | None:
        """The content type of its file."""
        return content_type_of(self.file) if self.file else None
