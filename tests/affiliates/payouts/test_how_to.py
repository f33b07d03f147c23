"""The provider that docs/how-to/add-a-payout-provider.md leads through."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from affiliates.errors import InvalidInput
from affiliates.outbox.http.types import Call, Response
from affiliates.outbox.protocol import ProviderSettings
from affiliates.payouts.providers import registry
from affiliates.payouts.providers.protocol import Payer, Transfer
from affiliates.testing import SenderTests

PAGE = Path(__file__).resolve().parents[3] / "docs/how-to/add-a-payout-provider.md"
ADDRESS = "https://api.mobile.example"


def _written() -> dict[str, Any]:
    """The page's classes, registered for nobody."""
    samples = re.findall(
        r"^    ```python\n(.*?)^    ```$", PAGE.read_text(), re.DOTALL | re.MULTILINE
    )
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "PROVIDERS", {})
        patch.setattr(registry, "SENDERS", {})
        exec(dedent(samples[0]), names)  # noqa: S102 - our own page
    return names


WRITTEN = _written()
PROVIDER = WRITTEN["MobileMoney"]()


def transfer(number: int = 1) -> Transfer:
    return Transfer(
        reference=f"PAYOUT-{number}",
        amount=1_000 + number,
        currency="KES",
        details={"number": f"+25470000000{number}"},
        text="Affiliate payout",
    )


class TestMobileMoneyApi(SenderTests):
    sender = WRITTEN["MobileMoneyApi"]()
    settings = ProviderSettings(
        address=ADDRESS, parameters=(), values={}, secrets={"key": "s3cret"}
    )
    transfers = (transfer(1), transfer(2))

    def begin(self) -> None:
        self.batches: dict[str, Any] = {}

    def answer(self, call: Call) -> Response:
        name = call.url.rpartition("/")[2]
        if call.method == "POST":
            items = [{**one, "state": "paid"} for one in json.loads(call.body)]
            self.batches.setdefault(name, {"id": name, "items": items})
        body = json.dumps(self.batches[name]).encode()
        return Response(status=200, headers={}, body=body)

    def taken(self) -> int:
        return len(self.batches)


def test_its_details_are_checked_and_hidden():
    assert PROVIDER.check({"number": "+254 700 000 001"}) == {"number": "+254700000001"}
    assert PROVIDER.hint({"number": "+254700000001"}) == "+254… 001"
    with pytest.raises(InvalidInput) as refused:
        PROVIDER.check({"number": "0700"})
    assert (refused.value.code, refused.value.field) == ("invalid_number", "number")


def test_its_file_names_each_payout():
    payer = Payer(brand="Demo", name="", iban="", bic="")

    text = PROVIDER.write(
        [transfer(1), transfer(2)], payer=payer, day=date(2026, 3, 1), reference="B-1"
    )

    assert text.splitlines() == [
        "PAYOUT-1,+254700000001,1001",
        "PAYOUT-2,+254700000002,1002",
    ]
