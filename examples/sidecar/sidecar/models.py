from uuid import uuid4

from django.contrib.auth.models import AbstractUser
from django.db import models


def staff_id() -> str:
    return f"staff-{uuid4()}"


class Client(AbstractUser):
    """A client, by its id in the billing system; or a person of staff, of no brand."""

    id = models.CharField(primary_key=True, max_length=64, default=staff_id)
    brand_id = models.PositiveBigIntegerField(null=True, blank=True, db_index=True)
