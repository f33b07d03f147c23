from __future__ import annotations

from django.urls import path

from portal.clients.api import (
    LoginView,
    NewPasswordView,
    PasswordResetView,
    TokenView,
)

urlpatterns = [
    path("clients/login", LoginView.as_view(), name="client-login"),
    path("clients/token", TokenView.as_view(), name="client-token"),
    path("clients/password_reset", PasswordResetView.as_view()),
    path("clients/password_reset/confirm", NewPasswordView.as_view()),
]
