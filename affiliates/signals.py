"""Signals for other apps: sent after the commit of the facts they report.

``client_referred``, ``referral_recorded``, ``sale_recorded``, ``sale_reversed``,
``sale_restored``, ``commission_changed`` and ``payout_changed`` each bring these
arguments:

- ``sender``: ``affiliates.webhooks.announce.Fact``
- ``brand_id`` (int)
- ``subject`` (str): what the fact is about, such as ``invoice:<ref>``
- ``key`` (str): the same each time the same fact is sent
- ``data``: a mapping of JSON values, as docs/events.md shows for each kind
- ``at`` (aware UTC datetime)

``database_restored`` is sent by ``affiliates_after_restore`` inside its transaction, with
``numbers``, how many numbers to leave out where lost rows may have had them, and ``now``.
A receiver does the same for the host's numbers and returns lines for the report, or
None; one that raises stops the command. In a dry run all is taken back.

A receiver of the others that raises is logged, by its name and location, and stops nothing. The same
facts go to the brand's webhooks, where a lost one is retried; a process that dies right
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
    """A signal whose receivers may fail without their messages in the log."""

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
sale_restored = FactSignal()
commission_changed = FactSignal()
payout_changed = FactSignal()
person_erased = FactSignal()
database_restored = Signal()
