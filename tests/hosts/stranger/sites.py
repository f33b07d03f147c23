from __future__ import annotations

from django.contrib.admin import AdminSite

backoffice = AdminSite("backoffice")
