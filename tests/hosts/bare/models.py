"""A host's own tables, as few as a host can have."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Profile(models.Model):
    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    brand_id = models.IntegerField()
    is_guest = models.BooleanField(default=False)

    def __str__(self) -> str:
        return str(self.user_id)


class BareOrder(models.Model):
    client = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    is_empty = models.BooleanField(default=False)
    client_paid_before = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    converted_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return str(self.pk)
