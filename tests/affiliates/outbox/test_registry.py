"""Which providers there are."""

from __future__ import annotations

from affiliates.outbox.registry import ADAPTERS, trackers


def test_every_provider_is_known_by_its_own_code():
    assert {code: adapter.code for code, adapter in ADAPTERS.items()} == {
        code: code
        for code in ("pap", "postback", "postback_remote", "pap_sale", "webhook")
    }


def test_every_tracker_explains_itself_and_its_fields():
    for adapter in trackers():
        assert adapter.about
        assert adapter.address_help
        assert all(one.label and one.help for one in adapter.fields)
