"""Every provider by its code."""

from __future__ import annotations

from collections.abc import Mapping

from affiliates.integrations.providers.custom import (
    CustomPostback,
    CustomRemotePostback,
)
from affiliates.integrations.providers.pap.adapter import PapAdapter
from affiliates.integrations.providers.presets.affise import Affise
from affiliates.integrations.providers.presets.awin import Awin
from affiliates.integrations.providers.presets.everflow import Everflow, EverflowDirect
from affiliates.integrations.providers.presets.impact import Impact
from affiliates.integrations.providers.presets.pap_sale import PapSale
from affiliates.integrations.providers.presets.scaleo import Scaleo
from affiliates.integrations.providers.presets.tune import Tune
from affiliates.integrations.providers.protocol import TrackingAdapter
from affiliates.integrations.providers.tapfiliate.adapter import TapfiliateAdapter
from affiliates.integrations.providers.webhook import WebhookAdapter

ADAPTERS: Mapping[str, TrackingAdapter] = {
    adapter.code: adapter
    for adapter in (
        PapAdapter(),
        TapfiliateAdapter(),
        Tune(),
        Everflow(),
        EverflowDirect(),
        Awin(),
        Affise(),
        Scaleo(),
        Impact(),
        CustomPostback(),
        CustomRemotePostback(),
        PapSale(),
        WebhookAdapter(),
    )
}


def trackers() -> list[TrackingAdapter]:
    """Those that attribute visits: all but the webhook."""
    return [one for one in ADAPTERS.values() if one.code != WebhookAdapter.code]
