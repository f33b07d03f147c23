"""Who asked for a link to set a new password, for as long as the next request waits."""

from __future__ import annotations

from django.db import models

from affiliates.extending import Record
from portal.clients.models import MAX_EMAIL_LENGTH

MAX_ORIGIN_LENGTH = 300


class PasswordReset(Record):
    """A request for an e-mail address, whether or not an account has it."""

    brand = models.ForeignKey(
        "affiliates.Brand", on_delete=models.CASCADE, related_name="+"
    )
    email = models.CharField(max_length=MAX_EMAIL_LENGTH)
    origin = models.CharField(max_length=MAX_ORIGIN_LENGTH, blank=True)
    language = models.CharField(max_length=10)
    requested_at = models.DateTimeField()
    is_done = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "email"], name="password_reset_is_asked_for_once"
            )
        ]

    def __str__(self) -> str:
        return str(self.requested_at)
