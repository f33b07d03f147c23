"""The credentials of integrations."""

from __future__ import annotations

from affiliates.encrypted.columns import Credentials, register_column

CREDENTIALS = Credentials(b"affiliates.integration_secrets.v1")

register_column("affiliates.TrackingIntegration", "secrets", purpose=CREDENTIALS)
