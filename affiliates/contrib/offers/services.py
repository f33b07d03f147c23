"""Staff publish offers; affiliates make codes within them; both end codes."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from affiliates.adapter import get_adapter
from affiliates.contracts import CouponRequest
from affiliates.contrib.offers.models import Offer, OfferCode, OfferVersion
from affiliates.contrib.offers.rules import (
    CODE_TAKEN,
    NOT_VALID,
    TOO_MANY,
    OfferTerms,
    proposed_codes,
)
from affiliates.contrib.offers.selectors import active_codes, offers_of
from affiliates.core.versions import publish
from affiliates.db.records import lock
from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.plans.models.coupon import CouponCode
from affiliates.plans.rules.matching import normal_coupon_code
from affiliates.plans.services import publish_coupon
from affiliates.program.access import AccessEnd, register
from affiliates.program.models import Affiliate
from affiliates.program.services import lock_active


@transaction.atomic
def publish_offer(offer: Offer, *, now: datetime) -> OfferVersion:
    """Makes the offer's terms a version, unless its latest has the same.

    To be called in the transaction that saved the offer.
    """
    offer = lock(Offer, offer.pk)
    version: OfferVersion = publish(offer.versions, offer.to_terms(), now=now)
    return version


@transaction.atomic
def make_code(
    *, offer_id: int, affiliate_id: int, code: str = "", now: datetime
) -> OfferCode:
    """Makes a code of the affiliate and the host's coupon, or returns the active one.

    Without ``code`` the affiliate's own is proposed. Raises NotFound for an offer that is
    not for the affiliate, StateConflict for one that is not valid now or gives no further
    code, InvalidInput or Django's ValidationError for a code that cannot be had.
    """
    # Requests of one affiliate wait here: the limit is theirs.
    affiliate = lock_active(affiliate_id)
    code = normal_coupon_code(code)
    own = active_codes(affiliate_id).filter(version__offer=offer_id)
    made = own.filter(coupon__code=code).first()
    if made is not None:
        return made
    offer = offers_of(affiliate, now=now).filter(pk=offer_id).first()
    if offer is None:
        raise NotFound
    if not offer.is_open(now):
        raise StateConflict(*NOT_VALID)
    version = offer.versions.latest("number")
    terms = version.to_terms()
    if own.count() >= terms.max_codes:
        raise StateConflict(*TOO_MANY)
    coupon = _save_coupon(affiliate, terms, code, now=now)
    made_coupon = get_adapter().make_coupon(
        CouponRequest(
            brand_id=affiliate.brand_id,
            code=coupon.code,
            affiliate_code=affiliate.code,
            host_terms=terms.host_terms,
            for_new_clients=terms.for_new_clients,
            valid_from=terms.valid_from,
            valid_until=terms.valid_until,
        ),
        now=now,
    )
    return OfferCode.objects.create(
        coupon=coupon, version=version, coupon_ref=made_coupon.coupon_ref, made_at=now
    )


@transaction.atomic
def end_code(
    *, coupon_id: int, affiliate_id: int | None = None, now: datetime
) -> OfferCode:
    """Ends the code and the host's coupon for good. A repeat changes nothing.

    ``affiliate_id`` None: staff end it. Raises NotFound for another affiliate's code,
    and for one that was made within no offer.
    """
    codes = OfferCode.objects.filter(coupon=coupon_id)
    if affiliate_id is not None:
        codes = codes.filter(coupon__affiliate=affiliate_id)
    code = lock(OfferCode, codes.values_list("pk", flat=True).first())
    if code.ended_at is None:
        _end(code, now=now)
    return code


@register
def end_codes(affiliate_ids: Collection[int], why: AccessEnd, now: datetime) -> int:
    """Ends the codes of affiliates that are suspended or leave, as it ends their keys."""
    if why == AccessEnd.CREDENTIALS:
        return 0
    codes = OfferCode.objects.select_for_update(of=("self",), no_key=True)
    live = codes.filter(coupon__affiliate__in=affiliate_ids, ended_at=None)
    return len([_end(code, now=now) for code in live.order_by("pk")])


def _save_coupon(
    affiliate: Affiliate, terms: OfferTerms, code: str, *, now: datetime
) -> CouponCode:
    """Raises InvalidInput or Django's ValidationError for a code that cannot be had."""
    if not code:
        proposals = proposed_codes(terms.prefix, affiliate.code)
        code = next(text for text in proposals if not _is_taken(text, affiliate))
    if not code.startswith(terms.prefix):
        detail = _("The code must begin with {prefix}.").format(prefix=terms.prefix)
        raise InvalidInput("code_prefix", detail, field="code")
    coupon = CouponCode(
        brand=affiliate.brand,
        affiliate=affiliate,
        code=code,
        percent=terms.percent,
        affiliate_funds_percent=terms.affiliate_funds_percent,
    )
    coupon.full_clean(validate_constraints=False)
    if _is_taken(code, affiliate):
        raise InvalidInput(*CODE_TAKEN, field="code")
    try:
        with transaction.atomic():
            coupon.save()
    except IntegrityError:  # another affiliate was given the code this very moment
        raise InvalidInput(*CODE_TAKEN, field="code") from None
    publish_coupon(coupon, now=now)
    return coupon


def _is_taken(code: str, affiliate: Affiliate) -> bool:
    """Whether it is a coupon's, or another affiliate's own code in their links."""
    coupons = CouponCode.objects.filter(brand=affiliate.brand_id, code=code)
    others = Affiliate.objects.filter(brand=affiliate.brand_id, code=code.lower())
    return coupons.exists() or others.exclude(pk=affiliate.pk).exists()


def _end(code: OfferCode, *, now: datetime) -> OfferCode:
    coupon = code.coupon
    code.change(ended_at=now)
    coupon.change(is_active=False)
    publish_coupon(coupon, now=now)
    if code.coupon_ref:
        get_adapter().end_coupon(code.coupon_ref, brand_id=coupon.brand_id, now=now)
    return code
