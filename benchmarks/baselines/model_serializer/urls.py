from __future__ import annotations

from django.urls import path

from benchmarks.baselines.model_serializer.views import VisitView

urlpatterns = [path("api/affiliate_link/visit", VisitView.as_view())]
