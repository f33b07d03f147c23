"""All providers by their codes."""

from __future__ import annotations

from collections.abc import Mapping

from affiliates.integrations.providers.custom import (
    CustomPostback,
    CustomRemotePostback,
)
from affiliates.integrations.providers.pap.adapter import PapAdapter
from affiliates.integrations.providers.pap.sale import PapSale
from affiliates.integrations.providers.protocol import TrackingAdapter
from affiliates.integrations.providers.tapfiliate.adapter import TapfiliateAdapter
from affiliates.integrations.providers.webhook import WebhookAdapter

ADAPTERS: Mapping[str, TrackingAdapter] = {
    adapter.code: adapter
    for adapter in (
        PapAdapter(),
        TapfiliateAdapter(),
        CustomPostback(),
        CustomRemotePostback(),
        PapSale(),
        WebhookAdapter(),
    )
}


def trackers() -> list[TrackingAdapter]:
    """The providers that attribute visits: all except the webhook."""
    return [one for one in ADAPTERS.values() if one.code != WebhookAdapter.code]
