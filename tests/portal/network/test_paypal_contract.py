"""The tests that any payout provider can run, for PayPal's."""

from __future__ import annotations

from affiliates.contrib.paypal.sender import PayPalPayouts
from affiliates.outbox.protocol import ProviderSettings
from affiliates.payouts.providers.protocol import Transfer
from portal.demo.network import paypal
from tests.portal.network.simulated import SimulatedTests

ADDRESS = "https://api-m.paypal.example"


class TestPayPal(SimulatedTests):
    simulator = paypal
    sender = PayPalPayouts()
    settings = ProviderSettings(
        address=ADDRESS,
        parameters=(),
        values={"client_id": "demo"},
        secrets={"client_secret": "s3cret"},
    )
    transfers = tuple(
        Transfer(
            reference=f"PAYOUT-{number}",
            amount=1_000 + number,
            currency="EUR",
            details={"email": f"partner{number}@example.org"},
            text="Affiliate payout",
        )
        for number in range(30)
    )

    def taken(self) -> int:
        return len(self.state.paypal.batches)
