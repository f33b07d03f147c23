"""Lines of answers about a whole batch, as one line for each of its payouts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from affiliates.contrib.payout_runs.rules import entries_of_batch, offered_batches
from affiliates.contrib.payout_runs.selectors import known_batch, open_batches
from affiliates.contrib.payout_runs.types import Entry, KnownBatch, Said
from affiliates.payouts.providers.references import batch_number, payout_number


def spread_batches(entries: Sequence[Entry], *, brand_id: int) -> Iterator[Entry]:
    """Names the payouts of each line that is about a batch of the brand."""
    named = {payout_number(entry.reference) for entry in entries} - {None}
    offered = None
    batches: dict[str, KnownBatch | None] = {}
    for entry in entries:
        if not entry.is_batch:
            yield entry
            continue
        if batch_number(entry.reference) is None:
            if offered is None:
                offered = open_batches(brand_id=brand_id)
            yield offered_batches(entry, offered)
            continue
        if entry.reference not in batches:
            batch = known_batch(entry.reference, brand_id=brand_id)
            batches[entry.reference] = batch
        batch = batches[entry.reference]
        lines = [entry] if batch is None else entries_of_batch(entry, batch)
        for line in lines:
            # A refused batch is about the transfers that the report does not list.
            is_listed = payout_number(line.reference) in named
            if not (line.said is Said.FAILED and is_listed):
                yield line
