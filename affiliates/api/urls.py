"""The paths of the specification, the busiest first, and those of other apps."""

from __future__ import annotations

from django.db.transaction import non_atomic_requests
from django.urls import path

from affiliates.api.clients import (
    GuestRegistrationViewSet,
    RegistrationCompletionViewSet,
    RegistrationViewSet,
)
from affiliates.api.orders import OrderConversionViewSet
from affiliates.api.registry import ROUTES
from affiliates.api.visits import AffiliateLinkVisitViewSet
from affiliates.emails.choices.unsubscribing import unsubscribe
from affiliates.payouts.sending.views import called_by_provider

app_name = "affiliates"

urlpatterns = [
    path(
        "api/affiliate_link/visit",
        # A transaction would begin with a wait for the database.
        non_atomic_requests(AffiliateLinkVisitViewSet.as_view({"post": "create"})),
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
    path(
        "api/payout_providers/<str:provider>",
        called_by_provider,
        name="payout_provider_call",
    ),
    path("api/emails/unsubscribe/<str:token>", unsubscribe, name="email_unsubscribe"),
    *ROUTES,
]
