from __future__ import annotations

from typing import Any

from affiliates.contrib.paypal.sender import CLIENT_ID, CLIENT_SECRET, PayPalPayouts
from affiliates.payouts.sending.secrets import CREDENTIALS
from affiliates.payouts.sending_models import PayoutAccount
from portal.demo.rows import save


def put_payout_account(brand_id: int, *, address: str) -> None:
    """Sends payouts to the simulated PayPal. After the year, whose files it would send."""
    key: dict[str, Any] = {"brand_id": brand_id, "kind": PayPalPayouts.kind}
    row = PayoutAccount.objects.filter(**key).first() or PayoutAccount(**key)
    values = {
        "provider": PayPalPayouts.code,
        "address": address,
        "config": {CLIENT_ID: "demo"},
        "secrets": row.secrets or CREDENTIALS.seal({CLIENT_SECRET: "demo"}),
    }
    save(row, values)
