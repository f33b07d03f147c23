from __future__ import annotations

from django.contrib import admin
from django.urls import path
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerView

from tests.hosts.own_rest.views import BrokenView, ContactView

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/contact", ContactView.as_view(), name="client_register"),
    path("api/broken", BrokenView.as_view()),
    path("api/openapi", SpectacularJSONAPIView.as_view(), name="schema"),
    path("api/swagger", SpectacularSwaggerView.as_view(), name="docs"),
]
