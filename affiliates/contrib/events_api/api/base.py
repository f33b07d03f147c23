"""The base of endpoints for a brand's own programs."""

from __future__ import annotations

from typing import Any

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from affiliates.api.http.requests import bearer_token, utc_now
from affiliates.api.http.throttles import EndpointThrottle
from affiliates.api.http.views import EndpointViewSet
from affiliates.contrib.events_api.models import BrandKey
from affiliates.contrib.events_api.rules import KEY_PREFIX, BrandScope, KeyHolder
from affiliates.contrib.events_api.selectors import find_brand_key
from affiliates.errors import NotAllowed

TAGS = ["Operators"]


class BrandKeyAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[Any, BrandKey] | None:
        secret = bearer_token(request)
        if secret is None:
            return None
        key = find_brand_key(secret) if secret.startswith(KEY_PREFIX) else None
        if key is None:
            raise AuthenticationFailed("This key is unknown, or it has ended.")
        key.note_use(now=utc_now())
        return KeyHolder(frozenset({key.brand_id})), key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class HasBrandScope(BasePermission):
    def has_permission(self, request: Request, view: Any) -> bool:
        if not isinstance(request.auth, BrandKey):
            return False
        if view.scope not in request.auth.scopes:
            raise NotAllowed(
                "key_scope", f"This takes a key with the scope {view.scope}."
            )
        return True


class BrandKeyThrottle(EndpointThrottle):
    counted_by = "with one key"

    def caller(self, request: Request) -> str:
        return f"brand_key:{brand_key_of(request).pk}"


def brand_key_of(request: Request) -> BrandKey:
    key: Any = request.auth
    if not isinstance(key, BrandKey):
        raise NotAuthenticated
    return key


class OperatorViewSet(EndpointViewSet):
    """``scope`` is the one that a key needs."""

    scope: BrandScope
    throttle_scope = "operator"
    authentication_classes = (BrandKeyAuthentication,)
    permission_classes = (HasBrandScope,)
    throttle_classes = (BrandKeyThrottle,)

    def conditions(self) -> list[str]:
        """Returns the needed scope for the API's description."""
        return [f"A brand's key needs the scope `{self.scope}`."]
