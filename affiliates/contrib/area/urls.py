"""The affiliate's area: ``path("affiliate/", include("affiliates.contrib.area.urls"))``."""

from __future__ import annotations

from django.urls import path

from affiliates.contrib.area.account.claims import ClaimPage, ClaimsPage, NewClaimPage
from affiliates.contrib.area.account.destination import (
    DestinationChangePage,
    DestinationPage,
)
from affiliates.contrib.area.account.keys import KeyRevocationPage, KeysPage, NewKeyPage
from affiliates.contrib.area.account.leaving import LeaveConfirmPage, LeavePage
from affiliates.contrib.area.account.notifications import (
    NotificationPage,
    NotificationsPage,
)
from affiliates.contrib.area.account.payouts import (
    PayoutPage,
    PayoutRequestPage,
    PayoutsPage,
    StatementFile,
    StatementPage,
    StatementPdf,
)
from affiliates.contrib.area.account.profile import ProfilePage
from affiliates.contrib.area.account.sign_out import SignOut
from affiliates.contrib.area.account.terms import MyTermsPage, TermsPage
from affiliates.contrib.area.account.webhook import (
    WebhookPage,
    WebhookRemovalPage,
    WebhookSecretPage,
    WebhookTestPage,
)
from affiliates.contrib.area.dashboard import DashboardPage
from affiliates.contrib.area.earnings.books import BalancesPage, PostingsPage
from affiliates.contrib.area.earnings.commissions import CommissionPage, CommissionsPage
from affiliates.contrib.area.earnings.orders import OrderPage, OrdersPage, ReferralsPage
from affiliates.contrib.area.earnings.statistics import StatisticsPage
from affiliates.contrib.area.images import image
from affiliates.contrib.area.language import LanguageChoice
from affiliates.contrib.area.looks.pages import EndLookPage, StartLookPage
from affiliates.contrib.area.promotion.coupons import CouponsPage
from affiliates.contrib.area.promotion.creatives import CreativeFile, CreativesPage
from affiliates.contrib.area.promotion.links import (
    LinkPage,
    LinksPage,
    NewLinkPage,
)
from affiliates.contrib.area.qr_codes import OwnQrCode, QrCode
from affiliates.contrib.area.recruitment import (
    ApplyPage,
    ConfirmPage,
    InvitationPage,
    JoinedPage,
    ProgramPage,
    SentPage,
    VerifyPage,
)
from affiliates.contrib.area.sections import MORE_PAGES
from affiliates.contrib.area.style import brand_style
from affiliates.contrib.area.welcome import WelcomePage

app_name = "affiliates_area"

urlpatterns = [
    path("", DashboardPage.as_view(), name="dashboard"),
    path("orders", OrdersPage.as_view(), name="orders"),
    path("orders/<int:order_id>", OrderPage.as_view(), name="order"),
    path("referrals", ReferralsPage.as_view(), name="referrals"),
    path("commissions", CommissionsPage.as_view(), name="commissions"),
    path(
        "commissions/<int:commission_id>", CommissionPage.as_view(), name="commission"
    ),
    path("statistics", StatisticsPage.as_view(), name="statistics"),
    path("balances", BalancesPage.as_view(), name="balances"),
    path("postings", PostingsPage.as_view(), name="postings"),
    path("links", LinksPage.as_view(), name="links"),
    path("links/new", NewLinkPage.as_view(), name="new_link"),
    path("links/<int:link_id>", LinkPage.as_view(), name="link"),
    path("links/<int:link_id>/qr.svg", QrCode.as_view(), name="qr_code"),
    path("qr.svg", OwnQrCode.as_view(), name="own_qr_code"),
    path("creatives", CreativesPage.as_view(), name="creatives"),
    path(
        "creatives/<int:creative_id>/file", CreativeFile.as_view(), name="creative_file"
    ),
    path("images/<slug:stem>.<slug:ending>", image, name="image"),
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
        "payouts/<int:payout_id>/<str:kind>.pdf",
        StatementPdf.as_view(),
        name="statement_pdf",
    ),
    path(
        "payouts/<int:payout_id>/<str:kind>",
        StatementPage.as_view(),
        name="statement",
    ),
    path("program", ProgramPage.as_view(), name="program"),
    path("my-terms", MyTermsPage.as_view(), name="my_terms"),
    path("terms", TermsPage.as_view(), name="terms"),
    path("apply", ApplyPage.as_view(), name="apply"),
    path("apply/sent", SentPage.as_view(), name="sent"),
    path("confirm/<str:token>", ConfirmPage.as_view(), name="confirm"),
    path("verify/<str:token>", VerifyPage.as_view(), name="verify"),
    path("invitation/<str:token>", InvitationPage.as_view(), name="invitation"),
    path("joined", JoinedPage.as_view(), name="joined"),
    path("destination", DestinationPage.as_view(), name="destination"),
    path(
        "destination/<str:to>",
        DestinationChangePage.as_view(),
        name="destination_change",
    ),
    path("claims", ClaimsPage.as_view(), name="claims"),
    path("claims/new", NewClaimPage.as_view(), name="new_claim"),
    path("claims/<uuid:claim_id>", ClaimPage.as_view(), name="claim"),
    path("notifications", NotificationsPage.as_view(), name="notifications"),
    path(
        "notifications/<int:email_id>", NotificationPage.as_view(), name="notification"
    ),
    path("keys", KeysPage.as_view(), name="keys"),
    path("keys/new", NewKeyPage.as_view(), name="new_key"),
    path(
        "keys/<int:key_id>/revoke", KeyRevocationPage.as_view(), name="key_revocation"
    ),
    path("webhook", WebhookPage.as_view(), name="webhook"),
    path("webhook/secret", WebhookSecretPage.as_view(), name="webhook_secret"),
    path("webhook/test", WebhookTestPage.as_view(), name="webhook_test"),
    path("webhook/remove", WebhookRemovalPage.as_view(), name="webhook_removal"),
    path("look/end", EndLookPage.as_view(), name="end_look"),
    path("look/<str:token>", StartLookPage.as_view(), name="start_look"),
    path("profile", ProfilePage.as_view(), name="profile"),
    path("leave", LeavePage.as_view(), name="leave"),
    path("leave/confirm", LeaveConfirmPage.as_view(), name="leave_confirm"),
    path("brand.css", brand_style, name="style"),
    path("sign-out", SignOut.as_view(), name="sign_out"),
    path("language", LanguageChoice.as_view(), name="language"),
    *MORE_PAGES,
]
