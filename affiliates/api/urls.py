"""The paths of the specification and the API's description. The busiest comes first."""

from __future__ import annotations

from django.urls import path

from affiliates.api.clients import (
    GuestRegistrationViewSet,
    RegistrationCompletionViewSet,
    RegistrationViewSet,
)
from affiliates.api.docs import DocsView, SchemaView
from affiliates.api.orders import OrderConversionViewSet
from affiliates.api.visits import AffiliateLinkVisitViewSet

urlpatterns = [
    path(
        "api/affiliate_link/visit",
        AffiliateLinkVisitViewSet.as_view({"post": "create"}),
        name="affiliate_link_visit",
    ),
    path(
        "api/clients/register",
        RegistrationViewSet.as_view({"post": "create"}),
        name="client_register",
    ),
    path(
        "api/clients/register/guest",
        GuestRegistrationViewSet.as_view({"post": "create"}),
        name="client_register_guest",
    ),
    path(
        "api/clients/<str:client_id>/complete_registration",
        RegistrationCompletionViewSet.as_view({"post": "create"}),
        name="client_complete_registration",
    ),
    path(
        "api/orders/<str:order_id>/convert",
        OrderConversionViewSet.as_view({"patch": "partial_update"}),
        name="order_convert",
    ),
    path("api/schema", SchemaView.as_view(), name="schema"),
    path("api/docs", DocsView.as_view(url_name="schema"), name="api_docs"),
]
