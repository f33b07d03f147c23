from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from affiliates.errors import InvalidInput, StateConflict
from affiliates.payouts import details
from affiliates.payouts.details import Details
from affiliates.payouts.files import (
    MAX_CENTS,
    Debtor,
    PayoutTransfer,
    PayPalRow,
    batch_reference,
    payout_reference,
    write_csv,
    write_pain001,
)
from affiliates.payouts.models import Payout, PayoutBatch
from affiliates.payouts.rules import DestinationKind, PayoutStatus
from affiliates.payouts.selectors import digest_of, payout_terms
from affiliates.payouts.services.steps import (
    kind_of,
    lock_payouts,
    move,
    require_cooled_off,
    require_paid,
)

# PayPal's limit for one file.
MAX_LINES = 5_000


@transaction.atomic
def export_batch(
    *, payout_ids: Sequence[int], actor_id: Any, now: datetime
) -> PayoutBatch:
    """Writes approved payouts of one brand, kind and currency into one file.

    The file is stored unchanged for later downloads. Raises InvalidInput for payouts
    that cannot share a file, StateConflict if one of them is not approved, its
    affiliate is no longer active or is cooling off, its destination cannot be read or
    the brand's own account is not known; then nothing is exported.
    """
    payouts = lock_payouts(payout_ids)
    kind = _common_kind(payouts)
    for payout in payouts:
        if payout.status != PayoutStatus.APPROVED:
            raise StateConflict(
                "payout_not_approved",
                f"Payout {payout.pk} is not approved, or exported already.",
            )
        require_paid(payout)
        require_cooled_off(payout, now=now)
    batch = PayoutBatch.objects.create(
        brand=payouts[0].brand,
        kind=kind,
        currency=payouts[0].currency,
        exported_at=now,
        exported_by_id=actor_id,
    )
    if kind is DestinationKind.BANK:
        batch.reference = batch_reference(batch.pk, now.date())
    write = _write_paypal if kind is DestinationKind.PAYPAL else _write_sepa
    text = write(payouts, batch)
    batch.change(
        content=details.encrypt(text),
        digest=digest_of(text),
        reference=batch.reference,
    )
    for payout in payouts:
        payout.batch = batch
        move(payout, PayoutStatus.EXPORTED, actor_id=actor_id, now=now)
    return batch


def _common_kind(payouts: Sequence[Payout]) -> DestinationKind:
    files = {(row.brand_id, kind_of(row), row.currency) for row in payouts}
    if len(files) != 1 or len(payouts) > MAX_LINES:
        raise InvalidInput(
            "no_single_file",
            f"A file holds 1 to {MAX_LINES:,} payouts of one brand, one kind of "
            "destination and one currency.",
        )
    [(_, kind, _)] = files
    if not kind.is_exported:
        raise InvalidInput("not_exported", f"{kind.label} is paid without a file.")
    return kind


def _write_paypal(payouts: Sequence[Payout], batch: PayoutBatch) -> str:
    return write_csv(
        [
            PayPalRow(
                email=_details_of(payout)["email"],
                amount=payout.amount,
                currency=payout.currency,
                reference=payout_reference(payout.pk),
                note=_text(payout),
            )
            for payout in payouts
        ]
    )


def _write_sepa(payouts: Sequence[Payout], batch: PayoutBatch) -> str:
    terms = payout_terms(batch.brand_id)
    debtor = Debtor(
        name=terms.debtor_name, iban=terms.debtor_iban, bic=terms.debtor_bic
    )
    if not (debtor.name and debtor.iban and debtor.bic):
        raise StateConflict(
            "no_own_account",
            f"Fill in the account that {batch.brand} pays from, in its payout terms.",
        )
    return write_pain001(
        [_transfer(payout) for payout in payouts],
        debtor=debtor,
        day=batch.exported_at.date(),
        reference=batch.reference,
    )


def _transfer(payout: Payout) -> PayoutTransfer:
    if payout.amount > MAX_CENTS:
        raise StateConflict(
            "amount_too_large", f"Payout {payout.pk} is too large for one transfer."
        )
    account = _details_of(payout)
    return PayoutTransfer(
        reference=payout_reference(payout.pk),
        name=account["account_holder"],
        iban=account["iban"],
        cents=payout.amount,
        text=_text(payout),
    )


def _details_of(payout: Payout) -> Details:
    """Raises StateConflict naming the payout, so that the others can be exported."""
    try:
        return details.open_details(payout.destination.details)
    except StateConflict as error:
        detail = f"Payout {payout.pk}: {error.detail}"
        raise StateConflict(error.code, detail) from None


def _text(payout: Payout) -> str:
    return f"Affiliate payout {payout.pk} of {payout.brand}"
