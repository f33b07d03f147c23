"""The facts in the database that decide a visit."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from affiliates.brands.links import named_texts
from affiliates.brands.rules import AttributionPolicy, BrandConfig
from affiliates.core.ids import first_id_of
from affiliates.core.urls import HttpUrl
from affiliates.db.deadlines.aside import aside
from affiliates.program.rules import AffiliateStatus
from affiliates.program.selectors import find_link
from affiliates.visits import rules
from affiliates.visits.cookie import ReferralCookie
from affiliates.visits.decision import NamedLink, Recognition
from affiliates.visits.models import Click
from affiliates.visits.rules import TouchSource

# An id is made within a day of the click's time.
MAX_ID_AGE = timedelta(days=1)


def find_named_link(
    url: HttpUrl, brand: BrandConfig
) -> tuple[NamedLink | None, tuple[str, ...]]:
    """The brand's first link or code in the URL, and the unknown texts before it."""
    unknown: list[str] = []
    for text, is_in_path in named_texts(url, parameter=brand.link_parameter):
        link = find_link(brand_id=brand.id, token=text, is_path=is_in_path)
        if link is not None:
            if is_in_path:
                source = TouchSource.PATH
            else:
                is_code = link.link_id is None
                source = TouchSource.CODE if is_code else TouchSource.PARAMETER
            return NamedLink(link, source), tuple(unknown)
        unknown.append(text)
    return None, tuple(unknown)


def is_repeat(
    held: ReferralCookie,
    named: NamedLink | None,
    recognition: Recognition | None,
    *,
    brand: BrandConfig,
    now: datetime,
) -> bool:
    """Whether the visitor came by the same affiliate less than half an hour ago."""
    is_first_click = brand.terms.policy is AttributionPolicy.FIRST_CLICK
    is_recent = rules.is_recent(held, now=now)
    if named is not None:
        affiliate_id = named.link.affiliate_id
        if held.affiliate_id == affiliate_id and is_recent:
            return True
        # Where the first click wins, the cookie keeps it and records no later ones.
        return is_first_click and _has_clicked(
            held,
            brand=brand,
            now=now,
            affiliate_id=affiliate_id,
            affiliate_status=AffiliateStatus.ACTIVE,
            own_program=True,
        )
    if recognition is None or not (is_first_click or is_recent):
        return False
    # The cookie does not name the integration's affiliate; its click's row does.
    return _has_clicked(
        held,
        brand=brand,
        now=now,
        integration_id=recognition.integration_id,
        external_affiliate=recognition.affiliate,
        **({} if is_first_click else {"pk": held.click_id}),
    )


def _has_clicked(
    held: ReferralCookie,
    *,
    brand: BrandConfig,
    now: datetime,
    **named: int | str | UUID,
) -> bool:
    """Only clicks that count: a robot's, a prefetch or a repeat starts no half hour."""
    return aside(
        Click.objects.filter(
            brand_id=brand.id,
            visitor_id=held.visitor_id,
            created_at__gt=now - rules.REPEAT_INTERVAL,
            # The id decides the partition: only that of these days is read.
            pk__gte=first_id_of(now - rules.REPEAT_INTERVAL - MAX_ID_AGE),
            is_repeat=False,
            bot_signs="",
            **named,
        ).exists
    )
