"""A host that registers and sells on pages of its own answers no such call of ours."""

from __future__ import annotations

import pytest

from affiliates.adapter import HostAdapter, get_adapter
from tests.affiliates.api.calls import (
    complete,
    convert,
    refusal,
    register,
    register_guest,
)
from tests.database import nothing_written

HOST: HostAdapter = get_adapter()


class PagesOnly(HostAdapter):
    def get_client(self, client_id):
        return HOST.get_client(client_id)


@pytest.mark.parametrize(
    "endpoint", ["register", "register_guest", "complete_registration", "convert"]
)
def test_its_endpoint_is_not_found(endpoint, settings, as_buyer, buyer, order, details):
    settings.AFFILIATES_ADAPTER = f"{__name__}.PagesOnly"
    call = {
        "register": lambda: register(as_buyer),
        "register_guest": lambda: register_guest(as_buyer),
        "complete_registration": lambda: complete(as_buyer, buyer.pk),
        "convert": lambda: convert(as_buyer, order, payment_details_id=details),
    }[endpoint]

    with nothing_written():
        answer = call()

    assert refusal(answer) == (404, "not_offered", None)
