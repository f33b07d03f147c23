"""The cookie of a visit."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from affiliates.conf import conf
from affiliates.visits.cookie import ReferralCookie, seal_cookie
from affiliates.visits.models import Click
from tests.factories.affiliates import ClickFactory


def cookie_of(click: Click, *, brand_id: int | None = None, external: str = "") -> str:
    return seal_cookie(
        ReferralCookie(
            visitor_id=click.visitor_id,
            click_id=click.pk,
            affiliate_id=click.affiliate_id or 0,
            issued_at=click.created_at,
            expires_at=click.created_at + timedelta(days=90),
            external_visitor_id=external,
        ),
        brand_id=brand_id or click.brand_id,
        ring=conf.cookie_keys,
        nonce=b"n" * 12,
    )


def click_of(affiliate: Any, at: datetime) -> Click:
    return ClickFactory(affiliate=affiliate, visitor_id=uuid4(), created_at=at)
