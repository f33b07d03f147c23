"""Addresses of the demo's pages. Included last: the final pattern takes what is left."""

from __future__ import annotations

from django.urls import path, re_path

from affiliates.extending import LINK_ROUTE
from portal.storefront import account, passwords, second_factor, security, views

SHOP_PATHS = (
    "plans",
    "register",
    "basket",
    "checkout",
    "pay",
    "thank-you",
)

urlpatterns = [
    path("", views.front, name="front"),
    *(path(name, views.shop, name=f"shop-{name}") for name in SHOP_PATHS),
    path("login", account.log_in, name="client-login-page"),
    path("login/code", second_factor.log_in_code, name="client-login-code"),
    path("logout", account.log_out, name="client-logout"),
    path("password-reset", passwords.forgotten, name="password-forgotten"),
    path("password-reset/sent", passwords.sent),
    path("password-reset/<str:token>", passwords.new),
    path("account", account.account, name="account"),
    path("account/invoices/<str:invoice_id>", account.invoice, name="account-invoice"),
    path("legal", views.legal, name="legal"),
    path("texts/<str:language>.js", views.texts, name="shop-texts"),
    path("account/sessions", security.sessions, name="account-sessions"),
    path("account/password", security.password, name="account-password"),
    path(
        "account/second-factor",
        second_factor.second_factor,
        name="account-second-factor",
    ),
    path("account/confirm", security.confirm, name="account-confirm"),
    path("account/token", account.token, name="account-token"),
    re_path(LINK_ROUTE, views.affiliate_landing),
    re_path(r"^(?P<path>(?!api/|admin/|static/).+)\Z", views.not_found),
]
