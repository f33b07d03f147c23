from __future__ import annotations

import pytest

from portal.checks import check_demo_gateway


@pytest.mark.parametrize(("is_on", "found"), [(True, ["portal.E001"]), (False, [])])
def test_demo_gateway_must_not_go_live(is_on, found, settings):
    settings.DEMO_GATEWAY = is_on

    assert [message.id for message in check_demo_gateway(None)] == found
