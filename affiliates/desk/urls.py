"""The operator's first page in place of the admin's index.

``path("admin/", include("affiliates.desk.urls"))``, before ``admin.site.urls``.
"""

from __future__ import annotations

from django.contrib import admin
from django.urls import path

from affiliates.desk.overview import first_page

urlpatterns = [path("", admin.site.admin_view(first_page))]
