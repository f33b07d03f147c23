"""Shared parts of the endpoints for an affiliate's own account."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from typing import Any, ClassVar

from django.http import HttpRequest
from django.utils import translation
from django.utils.http import parse_etags
from rest_framework import ISO_8601, serializers
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.adapter import get_adapter
from affiliates.api.descriptions import Described, describe, described_as
from affiliates.api.http.requests import client_id_of, origin_of
from affiliates.api.http.views import UNNAMED_CREDENTIALS, EndpointViewSet
from affiliates.api.serializers import TextField, read
from affiliates.brands.selectors import origin_brand_id
from affiliates.contrib.area.api.authentication import KeyAuthentication
from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.contrib.area.keys.rules import Scope
from affiliates.core.money import decimal_text
from affiliates.errors import NotAllowed, NotFound
from affiliates.program.models import Affiliate
from affiliates.program.selectors import NOT_AN_AFFILIATE, affiliate_of_client

TAGS = ["Affiliates"]
MAX_PAGE = 10_000


def described(
    operation_id: str, summary: str, answer: Any, *, status: int = 200, **options: Any
) -> Callable[[Described], Described]:
    """Returns ``describe`` for one answer, with the tags common to these operations."""
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

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Answers in the request's language."""
        with translation.override(translation.get_language_from_request(request)):
            return super().dispatch(request, *args, **kwargs)

    dispatch.by_brand_table = True  # type: ignore[attr-defined] # as the base's

    def get_authenticators(self) -> list[BaseAuthentication]:
        return [KeyAuthentication(), *super().get_authenticators()]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuses parameters that the action does not describe."""
        super().initial(request, *args, **kwargs)
        method = getattr(self, self.action or "", None)
        described = getattr(method, "described", {}).get("parameters", ())
        known = {name for shape in described for name in _names(shape)}
        unknown = [name for name in request.query_params if name not in known]
        if unknown:
            fault = ErrorDetail("There is no such parameter.", "unknown_parameter")
            raise serializers.ValidationError({name: [fault] for name in unknown})

    def get_authenticate_header(self, request: Request) -> str:
        """Returns the host's header: keys have no authentication scheme."""
        named = (
            authenticator.authenticate_header(request)
            for authenticator in self.get_authenticators()
        )
        return next(filter(None, named), UNNAMED_CREDENTIALS)

    def conditions(self) -> list[str]:
        """Returns the needed scope for the API's description."""
        scope = self.scopes.get(self.action or "")
        if scope is None:
            return ["No key may do this: it takes the client's own token."]
        return [f"A key needs the scope `{scope}`."]

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


class PageField(serializers.IntegerField):
    """Accepts digits only."""

    def to_internal_value(self, data: Any) -> int:
        if not (data.isascii() and data.isdigit()):
            self.fail("invalid")
        return super().to_internal_value(data)


class DayField(serializers.DateField):
    """Accepts years whose moments every time zone and database can represent."""

    def __init__(self, **options: Any) -> None:
        # Independent of the date formats of the host's own endpoints.
        super().__init__(input_formats=[ISO_8601], **options)

    def to_internal_value(self, value: Any) -> Any:
        day = super().to_internal_value(value)
        if not 1970 <= day.year <= 2200:
            self.fail("invalid", format="YYYY-MM-DD")
        return day


class OrderingField(serializers.ChoiceField):
    """Orders by these columns; the first is the default."""

    def __init__(self, *names: str, **options: Any) -> None:
        choices = [
            ordering
            for name in names
            for ordering in (name, f"-{name}" if name[0] != "-" else name[1:])
        ]
        super().__init__(choices=choices, default=names[0], **options)


class PageQuerySerializer(serializers.Serializer[Any]):
    page = PageField(
        min_value=1, max_value=MAX_PAGE, default=1, help_text="Begins with 1."
    )


class SpanQuerySerializer(PageQuerySerializer):
    first = DayField(
        required=False, help_text="From this day on, of the brand's time zone."
    )
    last = DayField(required=False, help_text="Up to this day, with it.")


class GuardedSerializer(serializers.Serializer[Any]):
    """The body of an operation for which the host confirms the client's identity."""

    current_password = TextField(
        required=False,
        allow_blank=True,
        trim_whitespace=False,
        help_text="Of the client, where the portal asks for it.",
    )
    current_code = TextField(
        required=False,
        allow_blank=True,
        help_text="Of the client's second factor, where the portal asks for it.",
    )


def read_guarded(shape: type[GuardedSerializer], request: Request) -> dict[str, Any]:
    """The other fields of the body. Raises InvalidInput if the host refuses."""
    fields = read(shape, request.data)
    password, code = (
        fields.pop(f"current_{part}", "") for part in ("password", "code")
    )
    get_adapter().check_identity(request, password, code)
    return fields


def affiliate_of(request: Request) -> Affiliate:
    return affiliate_of_client(
        client_id_of(request), origin_brand_id=origin_brand_id(origin_of(request))
    )


def profile_of(request: Request) -> Affiliate:
    """Returns the client's affiliate. Raises NotFound if the client never enrolled."""
    try:
        return affiliate_of(request)
    except NotAllowed as refused:
        if refused.code != NOT_AN_AFFILIATE:
            raise
        raise NotFound("not_enrolled", "You are no affiliate yet: apply.") from None


@cache
def _names(shape: type[serializers.Serializer[Any]]) -> frozenset[str]:
    return frozenset(shape().get_fields())


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
    tags = [etag.removeprefix("W/") for etag in parse_etags(named)]
    return tag in tags or tags == ["*"]
