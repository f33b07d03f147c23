"""What pages of the desk say while there is nothing to show."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.factories.affiliates import BrandFactory

COHORTS = "admin:affiliates_brand_cohorts"
RANKING = "admin:affiliates_brand_ranking"
UNEARNED = "admin:affiliates_brand_unearned"


@pytest.mark.portable
@pytest.mark.parametrize(
    ("page", "without_a_brand", "without_a_row"),
    [
        (RANKING, "There is no brand, so there is nothing to rank.", ""),
        (COHORTS, "", "No client of an affiliate signed up in these months."),
        (
            UNEARNED,
            "There is no brand, so there are no orders.",
            "Every order of these days earned something, or there were none.",
        ),
    ],
)
def test_page_says_that_there_is_nothing(
    page, without_a_brand, without_a_row, db, admin_client
):
    before = admin_client.get(reverse(page)).content.decode()
    BrandFactory()
    after = admin_client.get(reverse(page)).content.decode()

    assert without_a_brand in before
    assert without_a_row in after
