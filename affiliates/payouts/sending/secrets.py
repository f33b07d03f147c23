"""The credentials of payout accounts."""

from __future__ import annotations

from affiliates.encrypted.columns import Credentials, register_column

CREDENTIALS = Credentials(b"affiliates.payout_account_secrets.v1")

register_column("affiliates.PayoutAccount", "secrets", purpose=CREDENTIALS)
