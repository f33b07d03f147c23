"""A row for each change form of the admin, and a second person who may edit them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group
from django.test import RequestFactory
from django.urls import reverse

from affiliates.program.models import Affiliate
from tests.browser.demo_server import DemoServer
from tests.browser.rows import fill_beside
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.editable import editable_rows
from tests.factories.plans import CommissionPlanFactory
from tests.factories.portal import (
    PASSWORD,
    ClientFactory,
    CouponFactory,
    ProductFactory,
    StaffFactory,
)


@dataclass(frozen=True)
class Prepared:
    """``pages`` are addresses of change forms by the label of their model."""

    colleague: dict[str, str]
    pages: dict[str, str]


def prepare(server: DemoServer) -> Prepared:
    return Prepared(**json.loads(fill_beside(server, "edited_rows")))


def fill() -> str:
    colleague = StaffFactory(email="colleague@example.com")
    brand = BrandFactory(name="Elbkiesel Hosting", client_area="elbkiesel.example")
    client = ClientFactory(brand=brand)
    affiliate = AffiliateFactory(brand=brand, user=client, code="elbkiesel")
    CommissionPlanFactory(brand=brand, name="Second plan")
    rows = [
        *editable_rows(brand, affiliate),
        client,
        ProductFactory(brand=brand),
        CouponFactory(brand=brand),
        Group.objects.create(name="Support"),
    ]
    made = {row._meta.label_lower: row for row in rows}
    pages = {label: _address(made.get(label)) for label in _editable(colleague)}
    who = {"email": colleague.email, "password": PASSWORD}
    return json.dumps({"colleague": who, "pages": pages})


def _editable(user: Any) -> list[str]:
    request = RequestFactory().get("/")
    request.user = user
    return [
        model._meta.label_lower
        for model, page in admin.site._registry.items()
        if page.has_change_permission(request)
    ]


def _address(row: Any) -> str:
    if row is None:
        return ""
    meta = row._meta
    act = "edit" if isinstance(row, Affiliate) else "change"
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{act}", args=[row.pk])
