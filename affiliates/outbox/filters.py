"""Filters of the list of deliveries."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from affiliates.admin_tools.lists.filters import VisibleFilter
from affiliates.outbox.models.delivery import Delivery


class WaitingFilter(admin.SimpleListFilter):
    title = "waiting"
    parameter_name = "waiting"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Still to be done"), ("no", "Finished")]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Delivery]
    ) -> QuerySet[Delivery]:
        match self.value():
            case "yes":
                return queryset.filter(next_at__isnull=False)
            case "no":
                return queryset.filter(next_at__isnull=True)
            case _:
                return queryset


class IntegrationFilter(VisibleFilter):
    """Leaves out affiliates' own webhooks."""

    limited_to: ClassVar = {"affiliate": None}
