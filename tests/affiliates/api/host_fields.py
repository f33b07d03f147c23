"""A host's own request fields, and an adapter that remembers what reached it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from rest_framework import serializers

from affiliates.adapter import get_adapter
from affiliates.api.serializers import (
    CompletionSerializer,
    ConversionSerializer,
    GuestSerializer,
    RegistrationSerializer,
)

HostAdapter: Any = type(get_adapter())


class RegistrationWithPhone(RegistrationSerializer):
    phone = serializers.CharField(max_length=20)


class GuestWithPhone(GuestSerializer):
    phone = serializers.CharField(max_length=20)


class CompletionWithPhone(CompletionSerializer):
    phone = serializers.CharField(max_length=20)


class ConversionWithPhone(ConversionSerializer):
    phone = serializers.CharField(max_length=20)


class RegistrationByEmail(RegistrationSerializer):
    firstname = None
    lastname = None
    password = None


class CompletionByPhone(CompletionSerializer):
    email = None
    firstname = None
    lastname = None
    password = serializers.CharField(required=False, allow_null=True)
    phone = serializers.CharField()


class ConversionWithoutDetails(ConversionSerializer):
    payment_details_id = None
    gateway_id = serializers.IntegerField(required=False)


class ConversionWithUuid(ConversionSerializer):
    payment_details_id = serializers.UUIDField(required=False, allow_null=True)


class RememberingAdapter(HostAdapter):
    received: ClassVar[list[Any]] = []

    def register_client(self, registration, **facts):
        self.received.append(registration)
        return super().register_client(registration, **facts)

    def register_guest(self, registration, **facts):
        self.received.append(registration)
        return super().register_guest(registration, **facts)

    def complete_registration(self, completion, **facts):
        self.received.append(completion)
        return super().complete_registration(completion, **facts)

    def prepare_conversion(self, conversion, **facts):
        self.received.append(conversion)
        return super().prepare_conversion(conversion, **facts)


class LenientAdapter(RememberingAdapter):
    """The host as if it asked for no more than reached it."""

    details_id: ClassVar[int] = 0

    def register_client(self, registration, **facts):
        self.received.append(registration)
        return HostAdapter.register_client(self, _whole(registration), **facts)

    def complete_registration(self, completion, **facts):
        self.received.append(completion)
        return HostAdapter.complete_registration(self, _whole(completion), **facts)

    def prepare_conversion(self, conversion, **facts):
        self.received.append(conversion)
        whole = replace(conversion, payment_details_id=self.details_id)
        return HostAdapter.prepare_conversion(self, whole, **facts)


def _whole(registration):
    return replace(
        registration,
        email=registration.email or "phone@example.org",
        firstname="Ada",
        lastname="Lovelace",
        password="correct horse battery",
    )
