"""Facts for outsiders: sent after the commit that made them true.

``client_referred``, ``referral_recorded``, ``sale_recorded``, ``sale_reversed``,
``commission_changed`` and ``payout_changed`` each bring these arguments:

- ``sender``: ``affiliates.integrations.webhooks.announce.Fact``
- ``brand_id`` (int)
- ``subject`` (str): what the fact is about, such as ``invoice:<ref>``
- ``key`` (str): the same for every telling of the same fact
- ``data``: a mapping of JSON values, as docs/events.md shows for each kind
- ``at`` (aware UTC datetime)

A receiver that raises is logged, by its name and the place, and stops nothing. The same
facts go to the brand's webhooks, where a lost one is sent again; a process that dies right
after its commit sends no signal.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from typing import Any

from django.dispatch import Signal

logger = logging.getLogger(__name__)


class FactSignal(Signal):
    """A signal whose receivers may fail without their words reaching the log."""

    def _log_robust_failure(self, receiver: Callable[..., Any], err: Exception) -> None:
        # An exception's text may quote the fact: a client, an amount, an address.
        frames = traceback.extract_tb(err.__traceback__)
        logger.error(
            "%s at %s in %s, which receives a fact",
            type(err).__name__,
            f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "unknown place",
            getattr(receiver, "__qualname__", type(receiver).__name__),
        )


client_referred = FactSignal()
referral_recorded = FactSignal()
sale_recorded = FactSignal()
sale_reversed = FactSignal()
commission_changed = FactSignal()
payout_changed = FactSignal()
