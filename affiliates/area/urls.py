"""The affiliate's area: ``path("affiliate/", include("affiliates.area.urls"))``."""

from __future__ import annotations

from django.urls import path

from affiliates.area.account.payouts import (
    PayoutPage,
    PayoutRequestPage,
    PayoutsPage,
    StatementFile,
    StatementPage,
)
from affiliates.area.dashboard import DashboardPage
from affiliates.area.language import choose_language
from affiliates.area.promotion.coupons import CouponsPage
from affiliates.area.promotion.links import LinkPage, LinksPage, NewLinkPage, QrCode
from affiliates.area.recruitment import (
    ApplyPage,
    ConfirmPage,
    InvitationPage,
    JoinedPage,
    ProgramPage,
    SentPage,
    TermsPage,
    VerifyPage,
)
from affiliates.area.style import brand_style
from affiliates.area.welcome import WelcomePage

app_name = "affiliates_area"

urlpatterns = [
    path("", DashboardPage.as_view(), name="dashboard"),
    path("links", LinksPage.as_view(), name="links"),
    path("links/new", NewLinkPage.as_view(), name="new_link"),
    path("links/<int:link_id>", LinkPage.as_view(), name="link"),
    path("links/<int:link_id>/qr.svg", QrCode.as_view(), name="qr_code"),
    path("coupons", CouponsPage.as_view(), name="coupons"),
    path("welcome", WelcomePage.as_view(), name="welcome"),
    path("payouts", PayoutsPage.as_view(), name="payouts"),
    path(
        "payouts/ask/<str:currency>",
        PayoutRequestPage.as_view(),
        name="payout_request",
    ),
    path("payouts/<int:payout_id>", PayoutPage.as_view(), name="payout"),
    path(
        "payouts/<int:payout_id>/<str:kind>.csv",
        StatementFile.as_view(),
        name="statement_file",
    ),
    path(
        "payouts/<int:payout_id>/<str:kind>",
        StatementPage.as_view(),
        name="statement",
    ),
    path("program", ProgramPage.as_view(), name="program"),
    path("terms", TermsPage.as_view(), name="terms"),
    path("apply", ApplyPage.as_view(), name="apply"),
    path("apply/sent", SentPage.as_view(), name="sent"),
    path("confirm/<str:token>", ConfirmPage.as_view(), name="confirm"),
    path("verify/<str:token>", VerifyPage.as_view(), name="verify"),
    path("invitation/<str:token>", InvitationPage.as_view(), name="invitation"),
    path("joined", JoinedPage.as_view(), name="joined"),
    path("brand.css", brand_style, name="style"),
    path("language", choose_language, name="language"),
]
