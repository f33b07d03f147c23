"""What affiliates may ask of this shop."""

from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse

from affiliates.adapter import HostAdapter, Reference
from affiliates.contracts import Client, CouponMade, CouponRequest
from affiliates.errors import InvalidInput
from hosting.models import Coupon


class Adapter(HostAdapter):
    def get_client(self, client_id: str) -> Client | None:
        users = User.objects.filter(pk=client_id) if client_id.isdecimal() else ()
        for user in users:
            return Client(
                id=str(user.pk),
                brand_id=settings.BRAND_ID,
                email=user.email,
                is_guest=False,
            )
        return None

    def make_coupon(self, request: CouponRequest, *, now: datetime) -> CouponMade:
        if [*request.host_terms] != ["percent_off"] or request.for_new_clients:
            raise InvalidInput("unknown_terms", "We know percent_off alone.")
        if Coupon.objects.filter(code=request.code).exists():
            raise InvalidInput("code_taken", "This code is taken.", field="code")
        coupon = Coupon.objects.create(
            code=request.code,
            percent_off=request.host_terms["percent_off"],
            valid_until=request.valid_until,
        )
        return CouponMade(coupon_ref=str(coupon.pk))

    def end_coupon(self, coupon_ref: str, *, brand_id: int, now: datetime) -> None:
        Coupon.objects.filter(pk=coupon_ref).update(is_active=False)

    def admin_url(self, reference: Reference, ref: str) -> str | None:
        page = "auth_user" if reference == Reference.CLIENT else f"hosting_{reference}"
        return reverse(f"admin:{page}_change", args=[ref])
