from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from tests.conftest import ORIGIN


@pytest.fixture
def partner(affiliate, host) -> APIClient:
    """The affiliate's own browser."""
    return APIClient(
        HTTP_ORIGIN=ORIGIN, HTTP_AUTHORIZATION=host.authorization(affiliate.user)
    )
