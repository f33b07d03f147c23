"""Request and answer shapes of registration and conversion, in the specification's words.

A host adds its own fields by subclassing a request serializer and naming the subclass
in AFFILIATES_SERIALIZERS; what is not the specification's reaches the adapter in
``extra``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.module_loading import import_string
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.fields import empty

from affiliates.api.descriptions import described_as_one
from affiliates.conf import conf

MAX_NAME = 100
MAX_EMAIL = 254
MAX_PASSWORD = 128
MAX_USER_AGENT = 512
MAX_ID = 2**63 - 1


class TextField(serializers.CharField):
    """Text and nothing else: a number is not turned into one."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class EmailField(TextField, serializers.EmailField):
    pass


class UserAgentField(TextField):
    """Cut, not refused: browsers send what they like. Null is as if it were missing."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, allow_null=True, allow_blank=True, **options)

    def run_validation(self, data: Any = empty) -> Any:
        return super().run_validation(empty if data is None else data)

    def to_internal_value(self, data: Any) -> str:
        return super().to_internal_value(data)[:MAX_USER_AGENT]


class IdField(serializers.IntegerField):
    """A whole number and nothing else: text is not read as one."""

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int:
            self.fail("invalid")
        return super().to_internal_value(data)


class ReferralCookieField(TextField):
    """Any string: one that is no valid cookie is ignored later, not refused."""

    def run_validators(self, value: Any) -> None:
        return


class ReferralSerializer(serializers.Serializer[Any]):
    """The fields every one of these requests may carry."""

    referral_cookie = ReferralCookieField(
        required=False, allow_null=True, allow_blank=True, trim_whitespace=False
    )


class RegistrationSerializer(ReferralSerializer):
    email = EmailField(max_length=MAX_EMAIL)
    firstname = TextField(min_length=1, max_length=MAX_NAME)
    lastname = TextField(min_length=1, max_length=MAX_NAME)
    password = TextField(min_length=1, max_length=MAX_PASSWORD, trim_whitespace=False)
    user_agent = UserAgentField()


class GuestSerializer(ReferralSerializer):
    email = EmailField(required=False, allow_blank=True, max_length=MAX_EMAIL)
    firstname = TextField(required=False, allow_blank=True, max_length=MAX_NAME)
    lastname = TextField(required=False, allow_blank=True, max_length=MAX_NAME)
    user_agent = UserAgentField()


class CompletionSerializer(RegistrationSerializer):
    pass


class ConversionSerializer(ReferralSerializer):
    payment_details_id = IdField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=MAX_ID,
        help_text="Without it, or with null, the client pays by bank transfer.",
    )


class ClientSerializer(serializers.Serializer[Any]):
    """The client as the host shows it; hosts may add fields."""

    id = serializers.CharField()
    email = serializers.CharField(required=False)
    firstname = serializers.CharField(required=False)
    lastname = serializers.CharField(required=False)
    is_guest = serializers.BooleanField(required=False)
    token = serializers.CharField(required=False)


class InvoiceSerializer(serializers.Serializer[Any]):
    """The initial invoice as the host shows it; hosts may add fields."""

    id = serializers.CharField()
    number = serializers.CharField(required=False)
    unpaid_amount = serializers.DictField(
        required=False, help_text="As of the conversion."
    )
    order_id = serializers.CharField()
    status = serializers.CharField(required=False, help_text="That of the order.")
    total = serializers.DictField(required=False)


def answer_of(
    name: str, data: serializers.BaseSerializer[Any]
) -> serializers.Serializer[Any]:
    """Returns a serializer with this shape under ``data``, for the API's description."""
    # A list is under data as well, and no list of answers.
    return described_as_one(shape_of(name, {"data": data}))()


def shape_of(name: str, fields: Mapping[str, Any]) -> type[serializers.Serializer[Any]]:
    """A serializer of these fields, for the API's description."""
    return type(name, (serializers.Serializer,), dict(fields))


DEFAULTS: dict[str, type[ReferralSerializer]] = {
    "register": RegistrationSerializer,
    "register_guest": GuestSerializer,
    "complete_registration": CompletionSerializer,
    "convert": ConversionSerializer,
}


def read_body(endpoint: str, body: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The specification's fields and the host's extra ones, validated.

    Raises DRF's ValidationError.
    """
    default = DEFAULTS[endpoint]
    path = conf.serializers.get(endpoint)
    values = read(default if path is None else import_string(path), body)
    known = default().fields
    extra = {name: values.pop(name) for name in list(values) if name not in known}
    return values, extra


def read(shape: type[serializers.Serializer[Any]], body: Any) -> dict[str, Any]:
    """Returns the validated body. Raises DRF's ValidationError."""
    if not isinstance(body, dict):
        raise ValidationError([ErrorDetail("Send a JSON object.", code="invalid")])
    serializer = shape(data=body)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)
