"""What is done to affiliates, whoever asks for it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import ConfigChange
from affiliates.brands.rules import ChangeKind
from affiliates.brands.services import record_changes
from affiliates.errors import required_text
from affiliates.program.models import (
    MAX_NOTE,
    Affiliate,
    AffiliateLink,
    AffiliateNote,
)
from affiliates.program.rules import AffiliateStatus


@transaction.atomic
def enrol(user: Any, *, brand: Brand, code: str) -> Affiliate:
    """Make the client an active affiliate of its brand.

    Raises Django's ValidationError for what the admin would refuse too.
    """
    affiliate = Affiliate(
        brand=brand, user=user, code=code, status=AffiliateStatus.ACTIVE
    )
    affiliate.full_clean()
    affiliate.save()
    return affiliate


@transaction.atomic
def change_status(affiliates: QuerySet[Affiliate], *, status: AffiliateStatus) -> int:
    """Give the affiliates this status; return how many had another one."""
    others = affiliates.exclude(status=status)
    codes = dict(others.values_list("pk", "code"))
    changed = Affiliate.objects.filter(pk__in=codes).update(status=status)
    record_changes(
        [
            ConfigChange(kind=ChangeKind.AFFILIATE, subject_id=id, token=code)
            for id, code in codes.items()
        ]
    )
    return changed


def add_note(
    *, affiliate_id: int, text: str, author_id: Any, now: datetime
) -> AffiliateNote:
    return AffiliateNote.objects.create(
        affiliate_id=affiliate_id,
        text=required_text(text, field="text", most=MAX_NOTE),
        author_id=author_id,
        written_at=now,
    )


@transaction.atomic
def give_links(*, source_id: int, target_id: int) -> int:
    """From now on visits by these links are the target's. Returns how many."""
    links = dict(
        AffiliateLink.objects.filter(affiliate_id=source_id).values_list("pk", "hash")
    )
    AffiliateLink.objects.filter(pk__in=links).update(affiliate_id=target_id)
    record_changes(
        [
            ConfigChange(kind=ChangeKind.LINK, subject_id=id, token=hash)
            for id, hash in links.items()
        ]
    )
    return len(links)
