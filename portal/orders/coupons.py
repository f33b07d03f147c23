"""Coupons of the shop that affiliates' codes give, by the terms of offers."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext_noop

from affiliates.contracts import CouponRequest
from affiliates.errors import InvalidInput
from portal.orders.catalogue import Coupon
from portal.orders.selectors import find_coupon

TERMS = 'The shop takes off {"percent_off": "10"}, from 0.01 to 100, and nothing else.'
CODE_TAKEN = gettext_noop("This code is taken, or was before: choose another one.")
CODE_FORM = gettext_noop("Use letters, digits, hyphens and underscores.")


@transaction.atomic
def make_coupon(request: CouponRequest) -> Coupon:
    """Raises InvalidInput for terms that the shop has not, and for the code."""
    if [*request.host_terms] != ["percent_off"]:
        raise InvalidInput("unknown_terms", TERMS)
    coupon = Coupon(
        brand_id=request.brand_id,
        code=request.code,
        percent_off=str(request.host_terms["percent_off"]),
        valid_until=request.valid_until,
        for_new_clients=request.for_new_clients,
    )
    try:
        coupon.full_clean(validate_constraints=False)
    except ValidationError as fault:
        if "code" in fault.message_dict:
            raise InvalidInput("invalid_code", CODE_FORM, field="code") from None
        raise InvalidInput("unknown_terms", TERMS) from None
    if find_coupon(brand_id=request.brand_id, code=request.code):
        raise InvalidInput("code_taken", CODE_TAKEN, field="code")
    try:
        with transaction.atomic():
            coupon.save()
    except IntegrityError:  # staff made a coupon with this code this very moment
        raise InvalidInput("code_taken", CODE_TAKEN, field="code") from None
    return coupon


def end_coupon(coupon_ref: str, *, brand_id: int) -> None:
    Coupon.objects.filter(pk=coupon_ref, brand_id=brand_id).update(is_active=False)
