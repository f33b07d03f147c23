"""Shared parts of the endpoints for an affiliate's own account."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, ClassVar

from django.utils.http import parse_etags
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.descriptions import Described, describe, described_as
from affiliates.api.http.requests import client_id_of, origin_of
from affiliates.api.http.views import UNNAMED_CREDENTIALS, EndpointViewSet
from affiliates.brands.selectors import origin_brand_id
from affiliates.contrib.area.api.authentication import KeyAuthentication
from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.contrib.area.keys.rules import Scope
from affiliates.core.money import decimal_text
from affiliates.errors import NotAllowed, NotFound
from affiliates.program.models import Affiliate
from affiliates.program.selectors import NOT_AN_AFFILIATE, affiliate_of_client

TAGS = ["Affiliates"]


def described(
    operation_id: str, summary: str, answer: Any, *, status: int = 200, **options: Any
) -> Callable[[Described], Described]:
    """As ``describe``, with the parts common to these operations."""
    return describe(
        operation_id=operation_id,
        tags=TAGS,
        summary=summary,
        responses={status: answer},
        **options,
    )


class AffiliateViewSet(EndpointViewSet):
    throttle_scope = "affiliate"
    # The scope a key needs for each action. An action that is missing accepts no key.
    scopes: ClassVar[Mapping[str, Scope]] = {}

    def get_authenticators(self) -> list[BaseAuthentication]:
        return [KeyAuthentication(), *super().get_authenticators()]

    def get_authenticate_header(self, request: Request) -> str:
        """Returns the host's header: keys have no authentication scheme."""
        named = (one.authenticate_header(request) for one in self.get_authenticators())
        return next(filter(None, named), UNNAMED_CREDENTIALS)

    def check_permissions(self, request: Request) -> None:
        super().check_permissions(request)
        key = request.auth
        if not isinstance(key, AffiliateKey):
            return
        scope = self.scopes.get(self.action or "")
        if scope is None:
            raise NotAllowed("not_by_key", "No key may do this: sign in.")
        if scope not in key.scopes:
            raise NotAllowed("key_scope", f"This takes a key with the scope {scope}.")

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Any:
        final = super().finalize_response(request, response, *args, **kwargs)
        if request.method == "GET" and final.status_code == 200:
            _name_version(request, final)
        return final


class AmountField(serializers.CharField):
    """A decimal number as text, of the row's minor units and currency."""

    def get_attribute(self, instance: Any) -> str:
        amount: Any = super().get_attribute(instance)
        return decimal_text(amount, instance.currency)


@described_as({"type": "string", "format": "date-time"})
class MomentField(serializers.DateTimeField):
    """Returns the stored moment: the renderer writes it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"format": None, **options})


def affiliate_of(request: Request) -> Affiliate:
    return affiliate_of_client(
        client_id_of(request), origin_brand_id=origin_brand_id(origin_of(request))
    )


def profile_of(request: Request) -> Affiliate:
    """As affiliate_of, but raises NotFound if the client is no affiliate."""
    try:
        return affiliate_of(request)
    except NotAllowed as refused:
        if refused.code != NOT_AN_AFFILIATE:
            raise
        raise NotFound("not_enrolled", "You are no affiliate yet: apply.") from None


def _name_version(request: Request, response: Any) -> None:
    """Adds an ETag of the answer; answers 304 if the caller has this version."""

    def compare(rendered: Any) -> None:
        tag = f'"{sha256(rendered.content).hexdigest()[:32]}"'
        rendered["ETag"] = tag
        if _is_known(tag, request.headers.get("If-None-Match", "")):
            rendered.status_code = 304
            rendered.content = b""

    if isinstance(response, Response):
        response.add_post_render_callback(compare)
    else:
        compare(response)


def _is_known(tag: str, named: str) -> bool:
    """Compared weakly: proxies that compress an answer make its tag a weak one."""
    tags = [one.removeprefix("W/") for one in parse_etags(named)]
    return tag in tags or tags == ["*"]
