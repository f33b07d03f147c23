"""What staff and the worker do meanwhile, beside a demonstration that runs."""

from __future__ import annotations

import re
from email import message_from_string
from email.policy import default

from tests.browser.demo_server import DemoServer

APPROVE = """
from affiliates.payouts.models import PayoutTerms
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import change_status
affiliate = Affiliate.objects.get(code={code!r})
terms = {{"minimums": {{"EUR": 100}}}}
PayoutTerms.objects.update_or_create(brand=affiliate.brand, defaults=terms)
# Without the three days that a flagged sale waits.
affiliate.brand.flagged_hold_days = 0
affiliate.brand.save()
change_status(Affiliate.objects.filter(pk=affiliate.pk), status=AffiliateStatus.ACTIVE)
"""
PAY = """
from django.utils import timezone
from affiliates.payouts.models import Payout
from affiliates.payouts.services.confirmations import confirm_payouts
from affiliates.payouts.services.decisions import approve_payouts
from portal.clients.models import User
payouts = Payout.objects.filter(affiliate__code={code!r})
ids, staff, now = [one.pk for one in payouts], User.objects.get(is_superuser=True), timezone.now()
approve_payouts(payout_ids=ids, actor_id=staff.pk, now=now)
confirm_payouts(payout_ids=ids, actor_id=staff.pk, clock=timezone.now, reference="Paid by hand")
"""
LINKS = """
from affiliates.program.models import Affiliate, AffiliateLink
affiliate = Affiliate.objects.get(user__email={email!r})
AffiliateLink.objects.bulk_create(
    AffiliateLink(affiliate=affiliate, name=f"A{{number:03}}") for number in range({count})
)
"""


def approve(server: DemoServer, code: str) -> None:
    """The affiliate; one euro is enough for a payout from now on."""
    server.console.run_code(APPROVE.format(code=code))


def make_links(server: DemoServer, email: str, count: int) -> None:
    """Named A000, A001 and so on."""
    server.console.run_code(LINKS.format(email=email, count=count))


def pay(server: DemoServer, code: str) -> None:
    """What the affiliate has asked for."""
    server.console.run_code(PAY.format(code=code))


def mailed_link(
    server: DemoServer, recipient: str, path: str, *, job: str = "emails"
) -> str:
    """The address below ``path`` in what the job sends to this recipient now."""
    printed = server.console.run("affiliates_run", job)
    for part in printed.split("-" * 79):
        message = message_from_string(part.strip(), policy=default)
        body = message.get_body(("plain",))
        if message["To"] == recipient and body is not None:
            found = re.search(rf"https?://\S+{path}\S+", body.get_content())
            if found:
                return found[0]
    raise AssertionError(f"no e-mail to {recipient} leads to {path}: {printed}")
