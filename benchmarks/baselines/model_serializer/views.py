"""The visit as a plain DRF view: serializers in, ORM lookups, a ModelSerializer to save.

It neither limits rates nor looks for robots, which the product does.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from affiliates.brands.models.domain import BrandDomain
from affiliates.conf import conf
from affiliates.core.ids import new_id
from affiliates.core.secrets.sealing import NONCE_LENGTH
from affiliates.program.models import AffiliateLink
from affiliates.visits.cookie import ReferralCookie, read_cookie, seal_cookie
from benchmarks.baselines.model_serializer.serializers import (
    ClickSerializer,
    VisitSerializer,
)


class VisitView(APIView):
    def post(self, request: Request) -> Response:
        visit = VisitSerializer(data=request.data)
        visit.is_valid(raise_exception=True)
        domain = get_object_or_404(
            BrandDomain.objects.select_related("brand"),
            host=urlsplit(request.headers["Origin"]).netloc,
            is_client_area=True,
        )
        brand = domain.brand
        url = urlsplit(visit.validated_data["visit_url"])
        link = get_object_or_404(
            AffiliateLink.objects.select_related("affiliate"),
            affiliate__brand=brand,
            hash=url.path.rpartition("/")[2],
            is_active=True,
        )
        requested = parse_qs(url.query).get("redirect", [""])[0]
        redirect_url, reason = link.target_url, "no_redirect"
        if requested:
            redirect_url, reason = brand.default_redirect_url, "not_on_brand_domains"
            host = urlsplit(requested).netloc
            if brand.domains.filter(host=host, is_redirect_target=True).exists():
                redirect_url, reason = requested, "permitted_domain"
        now = timezone.now()
        held = read_cookie(
            visit.validated_data.get("referral_cookie"),
            brand_id=brand.pk,
            ring=conf.cookie_keys,
            now=now,
        )
        visitor_id = new_id() if held is None else held.visitor_id
        click = ClickSerializer(
            data={
                "created_at": now,
                "brand": brand.pk,
                "affiliate": link.affiliate_id,
                "link": link.pk,
                "visitor_id": visitor_id,
                "source": "path",
                "affiliate_status": link.affiliate.status,
                "own_program": brand.own_program,
                "is_repeat": False,
                "bot_signs": "",
                "visit_url": visit.validated_data["visit_url"],
                "referrer_url": visit.validated_data["referrer_url"],
                "user_agent": visit.validated_data["user_agent"],
                "ip_prefix": _network(request.headers["X-Forwarded-For"]),
                "redirect_reason": reason,
                "refused_redirect": "" if redirect_url == requested else requested,
            }
        )
        click.is_valid(raise_exception=True)
        saved = click.save()
        cookie = ReferralCookie(
            visitor_id=visitor_id,
            click_id=saved.pk,
            affiliate_id=link.affiliate_id,
            issued_at=now,
            expires_at=now + timedelta(days=brand.cookie_lifetime_days),
        )
        return Response(
            {
                "data": {
                    "redirect_url": redirect_url,
                    "referral_cookie": seal_cookie(
                        cookie,
                        brand_id=brand.pk,
                        ring=conf.cookie_keys,
                        nonce=secrets.token_bytes(NONCE_LENGTH),
                    ),
                    "referral_cookie_max_age": brand.cookie_lifetime_days * 86_400,
                }
            }
        )


def _network(address: str) -> str:
    return address.rpartition(".")[0] + ".0/24"
