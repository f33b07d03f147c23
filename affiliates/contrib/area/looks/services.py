"""A look at the area: asked for in the admin, begun on the area's host, ended."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.signals import user_logged_out
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce, Greatest
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from affiliates.contrib.area.looks.models import AreaLook
from affiliates.encrypted.columns import Purpose, SecretUnreadable
from affiliates.errors import NotFound, StateConflict, required_text
from affiliates.program.access import AccessEnd, register
from affiliates.program.history_models import MAX_REASON
from affiliates.program.models import Affiliate

LENGTH = timedelta(minutes=15)
# From the admin to the area's host, which is often another.
HANDOVER = timedelta(minutes=1)
MAX_PAGES = 500


def opened(pages: list[str], page: str) -> list[str]:
    """Each once, in the order in which they were opened first."""
    return pages if page in pages or len(pages) >= MAX_PAGES else [*pages, page]


PERMISSION = "affiliates_area.add_arealook"
NO_AREA = "No client area of this brand shows the affiliate's area here."
# What opens the first page, and what the browser shows from then on.
_HANDOVER = Purpose(b"affiliates.look.handover.v1")
_LOOK = Purpose(b"affiliates.look.v1")


@transaction.atomic
def ask_for_look(
    affiliate: Affiliate, *, reason: str, actor_id: Any, now: datetime
) -> str:
    """The address that begins it, once and within a minute.

    Raises StateConflict where the brand has no area.
    """
    site = affiliate.brand.client_area_url()
    look = AreaLook.objects.create(
        affiliate=affiliate,
        actor_id=actor_id,
        reason=required_text(reason, field="reason", most=MAX_REASON),
        asked_at=now,
    )
    try:
        path = reverse("affiliates_area:start_look", args=[_sealed(look, _HANDOVER)])
    except NoReverseMatch:
        site = None
    if site is None:
        raise StateConflict("no_area", NO_AREA)
    return f"{site}{path}"


@transaction.atomic
def start_look(token: str, *, brand_id: int, now: datetime) -> str:
    """Starts a look, only once, and returns its cookie. Otherwise raises NotFound."""
    look_id, logins = _opened(token, _HANDOVER)
    waiting = AreaLook.objects.filter(
        pk=look_id,
        affiliate__brand_id=brand_id,
        started_at=None,
        ends_at=None,
        asked_at__gt=now - HANDOVER,
    )
    look = waiting.select_related("actor").first()
    if look is None or not _may_look(look.actor, logins):
        raise NotFound
    # Of two at once one changes the row.
    if not waiting.update(started_at=now, ends_at=now + LENGTH):
        raise NotFound
    return _sealed(look, _LOOK)


def look_of(cookie: str, *, brand_id: int, now: datetime) -> AreaLook | None:
    """The look while it lasts and its viewer is staff with permission; else ends it.

    A changed password of the viewer ends it too.
    """
    look_id, logins = _opened(cookie, _LOOK)
    rows = AreaLook.objects.select_related("affiliate__brand", "actor")
    look = rows.filter(
        pk=look_id,
        affiliate__brand_id=brand_id,
        ends_at__gt=now,
    ).first()
    if look is not None and not _may_look(look.actor, logins):
        end_look(cookie, now=now)
        return None
    return look


def end_look(cookie: str, *, now: datetime) -> None:
    """Once: what has ended keeps its end."""
    look_id, _ = _opened(cookie, _LOOK)
    AreaLook.objects.filter(pk=look_id, ends_at__gt=now).update(
        # Never before its start, even if another clock set the start.
        ends_at=Greatest(F("started_at"), now)
    )


def end_looks_of(actor_id: Any, *, now: datetime) -> None:
    _end_all(AreaLook.objects.filter(actor=actor_id), now=now)


def end_looks_at(affiliate_ids: Collection[int], *, now: datetime) -> None:
    _end_all(AreaLook.objects.filter(affiliate__in=affiliate_ids), now=now)


@register
def end_access(affiliate_ids: Collection[int], why: AccessEnd, now: datetime) -> int:
    """A suspended affiliate can still be looked at."""
    if why is not AccessEnd.SUSPENDED:
        end_looks_at(affiliate_ids, now=now)
    return 0


def _end_all(looks: QuerySet[AreaLook], *, now: datetime) -> None:
    """All that last, and those asked for and not begun yet: these never will."""
    waiting = Q(started_at=None, ends_at=None, asked_at__gt=now - HANDOVER)
    looks.filter(Q(ends_at__gt=now) | waiting).update(
        ends_at=Greatest(Coalesce(F("started_at"), now), now)
    )


def watch_logouts() -> None:
    """Ends all looks of a person who logs out, in all browsers."""
    user_logged_out.connect(_on_logout, dispatch_uid="affiliates_end_looks")


def _on_logout(user: Any = None, **_: Any) -> None:
    if user is not None:
        end_looks_of(user.pk, now=timezone.now())


@transaction.atomic
def note_page(look: AreaLook, page: str) -> None:
    """Keeps with the look that the page was opened, once."""
    if opened(look.pages, page) == look.pages:
        return
    kept = AreaLook.objects.select_for_update(no_key=True).get(pk=look.pk)
    kept.pages = opened(kept.pages, page)
    kept.save(update_fields=["pages"])


def _may_look(staff: Any, logins: str) -> bool:
    """``logins`` is what staff's sessions depended on when they asked for the look."""
    return (
        staff is not None
        and staff.is_active
        and staff.is_staff
        and staff.has_perm(PERMISSION)
        and constant_time_compare(staff.get_session_auth_hash(), logins)
    )


def _sealed(look: AreaLook, purpose: Purpose) -> str:
    text = f"{look.pk}:{look.actor.get_session_auth_hash() if look.actor else ''}"
    return purpose.encrypt(text.encode())


def _opened(token: str, purpose: Purpose) -> tuple[int, str]:
    """Which look it is of, and its staff's logins; none for one that we have not made."""
    try:
        text = purpose.decrypt(token).decode()
    except SecretUnreadable:
        return 0, ""
    look_id, _, logins = text.partition(":")
    return int(look_id), logins
