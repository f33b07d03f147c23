"""The operator's first page in place of the admin's index.

``path("admin/", include("affiliates.contrib.desk.urls"))``, before the URLs of the admin's site.
"""

from __future__ import annotations

from django.urls import path

from affiliates.admin_tools.theme import host_site
from affiliates.contrib.desk.overview import first_page

urlpatterns = [path("", host_site().admin_view(first_page))]
