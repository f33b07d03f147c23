from __future__ import annotations

from django.urls import path

from portal.clients.api import LoginView

urlpatterns = [path("clients/login", LoginView.as_view(), name="client-login")]
