"""/api/affiliate/tax_identity: affiliates read and change who is paid."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.http.requests import utc_now
from affiliates.api.serializers import TextField, answer_of, shape_of
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    DayField,
    GuardedSerializer,
    MomentField,
    affiliate_of,
    described,
    read_guarded,
)
from affiliates.contrib.tax_identity import rules
from affiliates.contrib.tax_identity.details import unchecked_numbers
from affiliates.contrib.tax_identity.models import TaxIdentity
from affiliates.contrib.tax_identity.pages import LABELS
from affiliates.contrib.tax_identity.selectors import (
    identity_on,
    readable_details,
    today_of,
)
from affiliates.contrib.tax_identity.services import change_identity

OPTIONAL: dict[str, Any] = {"required": False, "allow_blank": True}


class IdentityRequestSerializer(GuardedSerializer):
    name = TextField()
    address = TextField(help_text="Its lines, divided by line breaks.")
    country = TextField(help_text="Two letters of ISO 3166, such as DE.")
    kind = TextField(help_text="person or business.")
    tax_number = TextField(**OPTIONAL)
    vat_id = TextField(**OPTIONAL)
    us_classification = TextField(
        **OPTIONAL, help_text=f"US persons: {', '.join(rules.UsClassification)}."
    )
    valid_from = DayField(required=False, help_text="Today if it is left out.")


class ViesSerializer(serializers.Serializer[Any]):
    answer = serializers.CharField(
        source="kind", help_text="valid, invalid, unavailable."
    )
    reference = serializers.CharField()
    asked_at = MomentField()


IdentitySerializer = shape_of(
    "TaxIdentityData",
    {
        **{name: serializers.CharField() for name in LABELS},
        "valid_from": serializers.DateField(format=None),
        "not_checked": serializers.ListField(
            child=serializers.CharField(), help_text="Numbers whose form is not known."
        ),
        "vies": ViesSerializer(allow_null=True, help_text="The last answer, if asked."),
    },
)
IDENTITY = answer_of(
    "TaxIdentity",
    IdentitySerializer(allow_null=True, help_text="Null: none was given yet."),
)


class TaxIdentityViewSet(AffiliateViewSet):
    """For no key: the numbers are read whole."""

    @described(
        "get_tax_identity",
        "Who is paid for the affiliate today",
        IDENTITY,
        description="The version that is valid today. Null where none is set.",
    )
    def retrieve(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        today = today_of(affiliate, now=utc_now())
        return _answer(identity_on(affiliate.pk, today))

    @described(
        "change_tax_identity",
        "Say who is paid from a day on",
        IDENTITY,
        request=IdentityRequestSerializer,
        description="Adds a version. Statements that were issued stay as they are.",
    )
    def update(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        fields = read_guarded(IdentityRequestSerializer, request)
        identity = change_identity(
            affiliate_id=affiliate.pk,
            valid_from=fields.pop("valid_from", None),
            values=fields,
            now=utc_now(),
        )
        return _answer(identity)


def _answer(identity: TaxIdentity | None) -> Response:
    details = readable_details(identity)
    if identity is None or details is None:
        return Response({"data": None})
    row = {
        **details,
        "valid_from": identity.valid_from,
        "not_checked": unchecked_numbers(details),
        "vies": identity.vies_answers.first(),
    }
    return Response({"data": IdentitySerializer(row).data})
