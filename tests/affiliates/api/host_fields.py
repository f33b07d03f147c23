"""A host's own request fields, and an adapter that remembers what reached it."""

from __future__ import annotations

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

    def convert_order(self, conversion, **facts):
        self.received.append(conversion)
        return super().convert_order(conversion, **facts)
