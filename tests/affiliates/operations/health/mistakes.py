"""What hosts get wrong: adapters, serializers, routers and middleware that cannot work."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from rest_framework import serializers

from affiliates.adapter import HostAdapter, get_adapter
from affiliates.api.http.cors import BrandCorsMiddleware
from affiliates.api.serializers import ConversionSerializer, RegistrationSerializer

PATH = __name__
Sound: Any = type(get_adapter())


class NeedsAnArgument(Sound):
    def __init__(self, shop: str) -> None:
        self.shop = shop


class RenamedArgument(Sound):
    def prepare_conversion(self, conversion: object, *, moment: object) -> None:
        return None


class MissingArgument(Sound):
    def finish_conversion(self) -> None:
        return None


class OneArgumentTooMany(Sound):
    def admin_url(self, reference: object, ref: str, site: object) -> None:
        return None


class OldSignature(Sound):
    """As it was before the brand was passed on."""

    def order_refs(self, invoice_number: str) -> tuple[str, ...]:
        return ()


class Asynchronous(Sound):
    async def get_client(self, client_id: str) -> None:
        return None


class NoMethod(Sound):
    get_client = None


class StaticWithSelf(Sound):
    @staticmethod
    def admin_url(self: object, reference: object, ref: str) -> None:
        return None


class Mistyped(HostAdapter):
    def get_client(self, client_id: str) -> None:
        return None

    def find_cleints(self, text: str, *, brand_id: int) -> tuple[str, ...]:
        return ()


class WithMore(Sound):
    """Sound: it takes more than it is given, and has methods of its own."""

    def prepare_conversion(
        self, conversion: object, *, now: object, is_locked: bool = True, **more: object
    ) -> None:
        return None

    @staticmethod
    def admin_url(reference: object, ref: str) -> None:
        return None

    @classmethod
    @transaction.atomic
    def get_client(cls, client_id: str) -> None:
        return None

    def price_of(self, product: object) -> int:
        return 1

    def get_orders(self, client_id: str) -> list[str]:
        return []


class NoSerializer:
    email = serializers.EmailField()


class Broken(ConversionSerializer):
    currency = serializers.ChoiceField(choices=[], source="currency")


class WithVat(RegistrationSerializer):
    vat = serializers.CharField(required=False)


class ToReplica:
    def db_for_read(self, model: object, **hints: object) -> str:
        return "replica"


class WritesElsewhere:
    def db_for_write(self, model: object, **hints: object) -> str:
        return "sales"


class SplitsClicks:
    def db_for_write(self, model: Any, **hints: object) -> str | None:
        return "clicks" if model._meta.model_name == "click" else None


class MakesNoTables:
    def allow_migrate(self, db: str, app_label: str, **hints: object) -> bool | None:
        return False if app_label == "affiliates" else None


class SynchronousOnly(BrandCorsMiddleware):
    async_capable = True

    def __call__(self, request: object) -> Any:
        response = self.get_response(request)
        response["X-Shop"] = "1"
        return response
