from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from affiliates.brands.models.brand import Brand
from affiliates.errors import InvalidInput, StateConflict
from affiliates.payouts import details
from affiliates.payouts.models import Payout, PayoutBatch
from affiliates.payouts.providers.protocol import (
    Details,
    Payer,
    PayoutProvider,
    Transfer,
    Way,
)
from affiliates.payouts.providers.references import batch_reference, payout_reference
from affiliates.payouts.providers.registry import PROVIDERS, label_of
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.selectors import (
    digest_of,
    payout_terms,
)
from affiliates.payouts.sending_models import PayoutSending, account_for, most_in_batch
from affiliates.payouts.services.steps import (
    lock_payouts,
    move,
    require_cooled_off,
    require_paid,
)


@transaction.atomic
def export_batch(
    *, payout_ids: Sequence[int], actor_id: Any, now: datetime
) -> PayoutBatch:
    """Makes approved payouts of one brand, kind and currency one batch.

    Where the brand has an account that pays them, the batch is sent once this is
    committed. Otherwise it is a file, stored unchanged for later downloads. Raises InvalidInput for payouts
    that cannot share a file, StateConflict if one of them is not approved, its
    affiliate is no longer active or is cooling off, its destination cannot be read or
    the provider cannot write it; then nothing is exported.
    """
    payouts = lock_payouts(payout_ids)
    provider = _common_provider(payouts)
    for payout in payouts:
        if payout.status != PayoutStatus.APPROVED:
            raise StateConflict(
                "payout_not_approved",
                f"Payout {payout.pk} is not approved, or exported already.",
            )
        require_paid(payout)
        require_cooled_off(payout, now=now)
    brand = payouts[0].brand
    batch = PayoutBatch.objects.create(
        brand=brand,
        kind=provider.code,
        currency=payouts[0].currency,
        exported_at=now,
        exported_by_id=actor_id,
    )
    reference = batch_reference(batch.pk, now)
    transfers = [_transfer(payout) for payout in payouts]
    account = account_for(brand.pk, provider.code)
    if account is None:
        text = provider.write(
            transfers, payer=_payer(brand), day=now.date(), reference=reference
        )
    else:
        text = details.transfers_text(transfers)
        PayoutSending.objects.create(
            batch=batch, account=account, next_at=now, created_at=now
        )
    batch.change(
        content=details.encrypt(text), digest=digest_of(text), reference=reference
    )
    for payout in payouts:
        payout.batch = batch
        move(payout, PayoutStatus.EXPORTED, actor_id=actor_id, now=now)
    return batch


def _common_provider(payouts: Sequence[Payout]) -> PayoutProvider:
    kinds = {(row.brand_id, row.destination.kind, row.currency) for row in payouts}
    if len(kinds) != 1:
        raise InvalidInput(
            "no_single_file",
            "A file holds payouts of one brand, one kind of destination and one "
            "currency.",
        )
    [(brand_id, kind, _)] = kinds
    provider = PROVIDERS.get(kind)
    if provider is None or provider.way is not Way.FILE:
        raise InvalidInput("not_exported", f"{label_of(kind)} is paid without a file.")
    most = most_in_batch(brand_id, kind)
    if len(payouts) > most:
        raise InvalidInput("no_single_file", f"A batch holds at most {most:,} payouts.")
    return provider


def _payer(brand: Brand) -> Payer:
    terms = payout_terms(brand.pk)
    return Payer(
        brand=str(brand),
        name=terms.debtor_name,
        iban=terms.debtor_iban,
        bic=terms.debtor_bic,
    )


def _transfer(payout: Payout) -> Transfer:
    return Transfer(
        reference=payout_reference(payout.pk),
        amount=payout.amount,
        currency=payout.currency,
        details=_details_of(payout),
        text=f"Affiliate payout {payout.pk} of {payout.brand}",
    )


def _details_of(payout: Payout) -> Details:
    """Raises StateConflict naming the payout, so that the others can be exported."""
    try:
        return details.ACCOUNTS.open(payout.destination.details)
    except StateConflict as error:
        detail = f"Payout {payout.pk}: {error.detail}"
        raise StateConflict(error.code, detail) from None
