from __future__ import annotations

import re
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone
from rest_framework.test import APIClient

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.claims.models import MissingSaleClaim
from affiliates.contrib.claims.rules import ClaimStatus
from affiliates.contrib.desk.queues import QUEUES
from affiliates.contrib.imports.models import ImportFile
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import DestinationKind, PayoutStatus
from affiliates.plans.models.plan import CommissionPlan
from affiliates.program.creative_models import Creative
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import SaleReversal
from affiliates.visits.models import Click
from portal.billing.models import Invoice, InvoiceCounter, Refund, RefundKind
from portal.clients.models import User
from portal.demo.accounts import ADMIN_EMAIL, FINANCE_EMAIL
from portal.demo.year.traffic import DAYS
from tests.affiliates.verification.finding import everything_found

# Ten seconds and more: it is made once, for one test.
pytestmark = [pytest.mark.django_db, pytest.mark.site]

LOGIN = re.compile(r"(\S+@\S+) +([0-9a-f]{20})")


def run(*arguments: str) -> str:
    output = StringIO()
    call_command(*arguments, stdout=output, stderr=output)
    return output.getvalue()


def test_year_agrees_with_itself_and_leaves_something_in_each_queue() -> None:
    guide = run("seed_demo", "--year", "--guide")

    first = timezone.now().date() - timedelta(days=DAYS)
    assert everything_found() == []
    assert "Everything agrees." in run("verify_ledger", "--deep")
    assert " 0 differences, 0 not replayable" in run("replay_decisions")
    assert "Everything agrees." in run("verify_statistics", f"--from={first}")
    assert _program() == []
    assert [one.name for one in QUEUES if not one.select().exists()] == []
    assert _refused_logins(guide) == []
    before = _counts()
    assert "year already, which is kept" in run("seed_demo", "--year", "--guide")
    assert _counts() == before


def _program() -> list[str]:
    """What is missing of a program that has run for a year."""
    numbers = Invoice.objects.order_by("number").values_list("number", flat=True)
    last = InvoiceCounter.objects.get().last_number
    kinds = set(
        Payout.objects.filter(status=PayoutStatus.PAID).values_list(
            "destination__kind", flat=True
        )
    )
    expected = {
        "clicks": 28_000 <= Click.objects.count() <= 36_000,
        "orders": 850 <= OrderReferral.objects.count() <= 950,
        "lost orders": OrderReferral.objects.filter(affiliate=None).exists(),
        "affiliates": Affiliate.objects.count() == 41,  # noqa: PLR2004
        "plans": CommissionPlan.objects.count() == 3,  # noqa: PLR2004
        "renewals": Invoice.objects.filter(renewal_number__gte=9).exists(),
        "numbers": list(numbers) == [f"INV-{one:06d}" for one in range(1, last + 1)],
        "chargeback": Refund.objects.filter(kind=RefundKind.CHARGEBACK).exists(),
        "refunded renewal": SaleReversal.objects.filter(
            sale__renewal_number=1, net__gt=-F("sale__net")
        ).count()
        == 1,
        "refunds": SaleReversal.objects.count() > 20,  # noqa: PLR2004
        "shares": Commission.objects.exclude(share_of=None).exists(),
        "dollars": Commission.objects.filter(currency="USD").exists(),
        "states": set(CommissionStatus)
        == set(Commission.objects.values_list("status", flat=True)),
        "payouts": kinds == set(DestinationKind),
        "returned": Payout.objects.filter(status=PayoutStatus.RETURNED).exists(),
        "claims": set(ClaimStatus)
        == set(MissingSaleClaim.objects.values_list("status", flat=True)),
        "import": ImportFile.objects.exists(),
        "creatives": Creative.objects.exists(),
    }
    return [name for name, is_there in expected.items() if not is_there]


def _refused_logins(guide: str) -> list[str]:
    logins = LOGIN.findall(guide)
    shop = APIClient(HTTP_ORIGIN="http://shop.localhost:8000")
    refused = [] if len(logins) == 6 else [f"{len(logins)} logins"]  # noqa: PLR2004
    for email, password in logins:
        if email in (ADMIN_EMAIL, FINANCE_EMAIL):
            is_in = User.objects.get(email=email, is_staff=True).check_password(
                password
            )
        else:
            given = {"email": email, "password": password}
            answer = shop.post("/api/clients/login", given, format="json")
            is_in = answer.status_code == 200  # noqa: PLR2004
        refused += [] if is_in else [email]
    return refused


def _counts() -> list[int]:
    models = (Click, OrderReferral, Affiliate, User, Payout, Commission)
    return [model.objects.count() for model in models]
