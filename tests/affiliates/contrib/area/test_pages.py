"""What stands around every list: its pages."""

from __future__ import annotations

import pytest

from tests.factories.affiliates import AffiliateLinkFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("ordering", ["", "ordering=name&"])
def test_pages_are_called_alike_however_a_list_is_ordered(browser, affiliate, ordering):
    AffiliateLinkFactory.create_batch(101, affiliate=affiliate)

    answer = browser.get(f"/affiliate/links?{ordering}page=2")

    assert ">Previous page</a>" in answer.text
    assert ">Next page</a>" in answer.text
    assert "Newer" not in answer.text
    assert "Older" not in answer.text
