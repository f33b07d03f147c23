"""Base class of the portal's endpoints."""

from __future__ import annotations

from rest_framework.views import APIView


class PortalView(APIView):
    @property
    def default_response_headers(self) -> dict[str, str]:
        """Answers hold clients' data and tokens: no cache may keep them."""
        return {**super().default_response_headers, "Cache-Control": "no-store"}
