"""Middleware for a host's ``MIDDLEWARE``, each by its name here."""

from __future__ import annotations

from affiliates.api.arrivals import ReferralCookieMiddleware
from affiliates.api.http.content_policy import ContentPolicyMiddleware
from affiliates.api.http.cors import BrandCorsMiddleware
from affiliates.api.http.link_host import LinkHostMiddleware
from affiliates.db.audit.middleware import AuditMiddleware

__all__ = [
    "AuditMiddleware",
    "BrandCorsMiddleware",
    "ContentPolicyMiddleware",
    "LinkHostMiddleware",
    "ReferralCookieMiddleware",
]
