"""Changes to affiliates, the same for every caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from zoneinfo import available_timezones

from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import ConfigChange
from affiliates.brands.rules import ChangeKind
from affiliates.brands.services import record_changes
from affiliates.contracts import Client
from affiliates.errors import (
    InvalidInput,
    NotAllowed,
    NotFound,
    StateConflict,
    required_text,
)
from affiliates.outbox.rules import WebhookEnd
from affiliates.program.access import AccessEnd, end_access
from affiliates.program.creative_models import Creative
from affiliates.program.emails import tell_of_application, tell_of_decision
from affiliates.program.history_models import (
    MAX_NOTE,
    AffiliateDeparture,
    AffiliateNote,
)
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import AffiliateStatus
from affiliates.program.selectors import owned_by
from affiliates.program.slug_models import SLUG_TAKEN
from affiliates.program.slugs import give_slug
from affiliates.uploads.drawing import Picture
from affiliates.uploads.files import CheckedFile, store_file
from affiliates.uploads.images import save_picture
from affiliates.webhooks.services import end_webhooks

MAX_LINKS = 1_000
# The statuses that end the ways into an account and its webhook, and why those ended.
_ENDS = {
    AffiliateStatus.SUSPENDED: (AccessEnd.SUSPENDED, WebhookEnd.SUSPENDED),
    AffiliateStatus.LEFT: (AccessEnd.LEFT, WebhookEnd.LEFT),
}
CHANGEABLE = frozenset({"name", "target_url", "is_active"})


@transaction.atomic
def enrol(user: Any, *, brand: Brand, code: str) -> Affiliate:
    """Makes the client an active affiliate of its brand.

    Raises Django's ValidationError for values that the admin would refuse too.
    """
    affiliate = Affiliate(
        brand=brand, user=user, code=code, status=AffiliateStatus.ACTIVE
    )
    affiliate.full_clean()
    affiliate.save()
    return affiliate


@transaction.atomic
def apply(
    client: Client,
    *,
    code: str = "",
    group_id: int | None = None,
    plan_id: int | None = None,
    recruiter_id: int | None = None,
) -> Affiliate:
    """Makes the client an affiliate awaiting approval; ``code`` is optional.

    Raises StateConflict for a client who already is one and if the brand has no
    program of its own, NotAllowed for a guest, Django's ValidationError for a code that
    cannot be had.
    """
    if client.is_guest:
        raise NotAllowed("guest", "Complete the registration first.")
    brand = Brand.objects.filter(pk=client.brand_id, is_active=True).first()
    if brand is None or not brand.own_program:
        raise StateConflict("program_off", "This brand takes no affiliates.")
    affiliate = Affiliate(
        brand=brand,
        user_id=client.id,
        status=AffiliateStatus.PENDING,
        group_id=group_id,
        plan_id=plan_id,
        recruiter_id=recruiter_id,
    )
    affiliate.code = code or affiliate.code
    # The second of two concurrent applications waits here, then finds the first.
    get_user_model().objects.select_for_update(no_key=True).get(pk=client.id)
    if Affiliate.objects.filter(brand=brand, user_id=client.id).exists():
        raise StateConflict("already_enrolled", "You are an affiliate already.")
    affiliate.full_clean()
    try:
        with transaction.atomic():
            affiliate.save()
    except IntegrityError:  # somebody else was given the code this very moment
        raise InvalidInput(
            "code_taken", "Another affiliate has this code.", field="code"
        ) from None
    tell_of_application(affiliate, client=client.email, now=timezone.now())
    return affiliate


@transaction.atomic
def choose_time_zone(*, affiliate_id: int, name: str) -> Affiliate:
    """Sets the time zone for times shown to the affiliate; empty: the brand's."""
    if name and name not in available_timezones():
        raise InvalidInput(
            "unknown_time_zone",
            "There is no such time zone: name one such as Europe/Berlin.",
            field="own_time_zone",
        )
    known = Affiliate.objects.select_for_update(no_key=True, of=("self",))
    affiliate = known.select_related("brand").get(pk=affiliate_id)
    affiliate.time_zone = name
    affiliate.save(update_fields=["time_zone"])
    return affiliate


@transaction.atomic
def create_link(
    *, affiliate_id: int, name: str, target_url: str = "", slug: str = ""
) -> AffiliateLink:
    """Raises StateConflict unless the affiliate is active and has room for one more,
    Django's ValidationError for a target that no visit may be sent to, InvalidInput for
    a slug that cannot be had."""
    affiliate = lock_active(affiliate_id)
    if affiliate.links.count() >= MAX_LINKS:
        raise StateConflict(
            "too_many_links",
            _("An affiliate has at most {most} links.").format(most=MAX_LINKS),
        )
    return _save_link(
        AffiliateLink(affiliate=affiliate, name=name, target_url=target_url), slug=slug
    )


@transaction.atomic
def change_link(
    *, link_id: int, affiliate_id: int, changes: Mapping[str, Any]
) -> AffiliateLink:
    """Changes ``name``, ``target_url`` or ``is_active``, or gives the first ``slug``;
    raises as create_link."""
    affiliate = lock_active(affiliate_id)
    link = affiliate.links.filter(pk=link_id).first()
    if link is None:
        raise NotFound
    link.affiliate = affiliate
    for field in CHANGEABLE & changes.keys():
        setattr(link, field, changes[field])
    return _save_link(link, slug=changes.get("slug", link.slug))


@transaction.atomic
def save_creative(
    creative: Creative, *, upload: Picture | CheckedFile | None = None
) -> None:
    if isinstance(upload, Picture):
        creative.image = save_picture(upload)
        creative.width, creative.height = upload.width, upload.height
    elif upload is not None:
        creative.file, creative.file_name = store_file(upload), upload.name
        creative.file_size = len(upload.content)
    creative.save()


def lock_active(affiliate_id: int) -> Affiliate:
    known = Affiliate.objects.select_for_update(no_key=True, of=("self",))
    affiliate = known.select_related("brand").get(pk=affiliate_id)
    if affiliate.status != AffiliateStatus.ACTIVE:
        raise StateConflict(
            "affiliate_inactive", "Only an active affiliate can do that."
        )
    return affiliate


def _save_link(link: AffiliateLink, *, slug: str) -> AffiliateLink:
    slug = slug.strip().lower()
    is_new = slug != link.slug
    if is_new:
        give_slug(link, slug)
    link.full_clean(validate_constraints=False)
    try:
        with transaction.atomic():
            link.save()
    except IntegrityError:  # somebody else was given the slug this very moment
        raise InvalidInput("slug_taken", SLUG_TAKEN, field="slug") from None
    if is_new:
        # It may be remembered as a name that no link has.
        known = ConfigChange(kind=ChangeKind.LINK, subject_id=link.pk, token=slug)
        record_changes([known])
    return link


@transaction.atomic
def change_status(
    affiliates: QuerySet[Affiliate],
    *,
    status: AffiliateStatus,
    reason: str = "",
    is_told: bool = True,
) -> list[Affiliate]:
    """Gives the affiliates this status; returns those that had another one.

    Affiliates that waited for it are notified, with the reason. A suspension ends their
    keys permanently and turns their webhooks off, and so does leaving. A merged
    affiliate that becomes active again is independent again; one that left takes part
    again. Erased ones are left out.
    """
    # Rows that no longer match ``affiliates`` after the lock are left out.
    rows = affiliates.order_by("pk").select_for_update(of=("self",), no_key=True)
    rows = rows.filter(erased_at=None).exclude(status=status)
    others = list(rows.prefetch_related("brand__domains"))
    values: dict[str, Any] = {"status": status}
    if status is not AffiliateStatus.SUSPENDED:
        values["merged_into"] = None
    ids = [affiliate.pk for affiliate in others]
    Affiliate.objects.filter(pk__in=ids).update(**values)
    if status in _ENDS:
        why, end = _ENDS[status]
        end_access(ids, why=why, now=timezone.now())
        end_webhooks(ids, end=end)
    if status is AffiliateStatus.ACTIVE:
        left = AffiliateDeparture.objects.filter(affiliate__in=ids)
        for departure in left.filter(ended_at__isnull=True):
            departure.ended_at = timezone.now()
            departure.save(update_fields=["ended_at", "seal"])
    waited = [row for row in others if row.status == AffiliateStatus.PENDING]
    if is_told and status is AffiliateStatus.SUSPENDED:
        declined = Affiliate.objects.filter(pk__in=[row.pk for row in waited])
        declined.update(declined_at=timezone.now())
    if is_told:
        tell_of_decision(waited, status, reason=reason, now=timezone.now())
    _notice([*others, *(row.credited_as for row in others if row.merged_into_id)])
    return others


@transaction.atomic
def merge_into(*, source_id: int, target_id: int) -> None:
    """Suspends the source; its later visits and orders count for the target.

    So do those of affiliates that were merged into the source before.
    """
    change_status(
        Affiliate.objects.filter(pk=source_id),
        status=AffiliateStatus.SUSPENDED,
        is_told=False,
    )
    merged = Affiliate.objects.filter(Q(pk=source_id) | Q(merged_into=source_id))
    _notice(merged)
    merged.update(merged_into_id=target_id)


def _notice(affiliates: Iterable[Affiliate]) -> None:
    record_changes(
        [
            ConfigChange(kind=ChangeKind.AFFILIATE, subject_id=row.pk, token=row.code)
            for row in affiliates
        ]
    )


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
    """Gives the links and their later visits to the target. Returns how many."""
    links = dict(
        AffiliateLink.objects.filter(owned_by(source_id)).values_list("pk", "hash")
    )
    AffiliateLink.objects.filter(pk__in=links).update(affiliate_id=target_id)
    record_changes(
        [
            ConfigChange(kind=ChangeKind.LINK, subject_id=id, token=hash)
            for id, hash in links.items()
        ]
    )
    return len(links)
