"""The filters, columns and order of a list that a member of staff saved by a name."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from affiliates.db.records import Record

MAX_NAME, MAX_QUERY = 60, 4_000


class SavedView(Record):
    """``model`` is the list's, such as ``affiliates.sale``; ``query`` its address's."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    model = models.CharField("list", max_length=100)
    name = models.CharField(max_length=MAX_NAME)
    query = models.CharField("filters", max_length=MAX_QUERY, blank=True)

    class Meta:
        verbose_name = "saved view"
        # Everybody has their own, on the lists that they may see.
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["person", "model", "name"],
                name="name_of_a_saved_view_is_unique",
            )
        ]

    def __str__(self) -> str:
        return self.name
