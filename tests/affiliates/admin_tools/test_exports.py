"""Lists as files, where nobody makes the large ones."""

from __future__ import annotations

from django.contrib.messages import get_messages
from django.urls import reverse

from affiliates.admin_tools import exports
from tests.database import nothing_written

LIST = "admin:affiliates_affiliate"


def test_a_list_too_large_is_refused_where_no_app_makes_its_file(
    admin_client, affiliate, monkeypatch
):
    monkeypatch.setattr(exports, "MAX_AT_ONCE", 0)
    monkeypatch.setattr(exports, "LARGE_LIST_PAGES", [])
    url = reverse(f"{LIST}_export", args=["csv"])

    with nothing_written():
        answer = admin_client.get(f"{url}?o=1", follow=True)

    assert answer.redirect_chain == [("../../?o=1", 302)]
    assert answer.request["PATH_INFO"] == reverse(f"{LIST}_changelist")
    assert [str(one) for one in get_messages(answer.wsgi_request)] == [
        "The list has more than 0 rows: filter it first."
    ]
