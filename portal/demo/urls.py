from __future__ import annotations

from django.urls import path

from portal.demo.bank import DemoBankView

urlpatterns = [
    path("demo-bank/<uuid:invoice_id>", DemoBankView.as_view(), name="demo-bank"),
]
