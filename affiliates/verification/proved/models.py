"""Proofs that thorough verifications have stored."""

from __future__ import annotations

from django.db import models

from affiliates.db.records import Record

MAX_CHECK = 100
DIGITS = 64


class ProvedRange(Record):
    """A check found no fault in rows whose content had this digest.

    ``first`` is the first key of the range; its length is the check's.
    """

    check_name = models.CharField(max_length=MAX_CHECK)
    first = models.BigIntegerField()
    digest = models.CharField(max_length=DIGITS)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["check_name", "first"], name="range_is_proved_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.check_name} from {self.first}"
