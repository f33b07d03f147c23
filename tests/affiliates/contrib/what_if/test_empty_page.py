"""What the page says while there is no brand."""

from __future__ import annotations

import pytest
from django.urls import reverse


@pytest.mark.portable
def test_without_a_brand_the_page_says_where_to_add_one(db, admin_client):
    page = reverse("admin:affiliates_orderreferral_what_if")

    text = admin_client.get(page).content.decode()

    assert "There is no brand" in text
    assert reverse("admin:affiliates_brand_changelist") in text
