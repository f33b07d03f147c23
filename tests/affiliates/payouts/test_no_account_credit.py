"""A host without ``credit_wallet``: account credit is neither offered nor promised."""

from __future__ import annotations

import pytest
from django.urls import reverse

from affiliates.adapter import HostAdapter, get_adapter
from affiliates.contrib.area.api.payouts import destination_data
from affiliates.contrib.payout_runs.services.approvals import approve_run
from affiliates.contrib.payout_runs.services.drafts import draft, start_run
from affiliates.errors import StateConflict
from affiliates.payouts.models import Payout, PayoutTerms
from affiliates.payouts.selectors import terms_of
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import approve_payouts
from affiliates.payouts.services.destinations import change_destination
from affiliates.payouts.services.requests import request_payout
from tests.affiliates.payouts.looking import standing
from tests.database import nothing_written
from tests.factories.payouts import DestinationFactory, PayoutTermsFactory, earn

pytestmark = pytest.mark.django_db
WALLET = "wallet"
OTHERS = {"paypal", "bank", "offline"}
REMEDY = (
    "This portal keeps no account credit. Once the payout is rejected, the affiliate "
    "can choose another destination."
)
Sound = type(get_adapter())


class KeepsNone(Sound):
    credit_wallet = HostAdapter.credit_wallet


@pytest.fixture
def no_wallet(settings):
    def no_wallet() -> None:
        settings.AFFILIATES_ADAPTER = f"{__name__}.KeepsNone"

    return no_wallet


def test_it_is_no_term_of_any_brand(brand, no_wallet):
    assert WALLET in terms_of(brand.pk).kinds
    no_wallet()

    assert terms_of(brand.pk).kinds == OTHERS - {"offline"}
    PayoutTermsFactory(brand=brand)
    assert terms_of(brand.pk).kinds == OTHERS


def test_it_is_not_taken_for_a_destination(affiliate, terms, now, no_wallet):
    no_wallet()

    with nothing_written(), pytest.raises(StateConflict) as refused:
        change_destination(affiliate_id=affiliate.pk, kind=WALLET, values={}, now=now)

    assert refused.value.code == "kind_not_offered"
    assert destination_data(affiliate) is None


def test_staff_can_neither_tick_nor_see_it(admin_client, brand, no_wallet):
    no_wallet()
    page = reverse("admin:affiliates_payoutterms_add")

    values = {"brand": brand.pk, "cool_off_days": "7", "numbering": "brand"}

    shown = admin_client.get(page).text
    refused = admin_client.post(page, {**values, "kinds": ["wallet", "paypal"]})
    assert not PayoutTerms.objects.exists()
    admin_client.post(page, {**values, "kinds": ["paypal"]})

    assert 'value="paypal"' in shown
    assert 'value="wallet"' not in shown
    assert "wallet is not one of the available choices" in refused.text
    assert PayoutTerms.objects.get().kinds == ["paypal"]
    assert (
        "Account credit"
        not in admin_client.get(reverse("admin:affiliates_payoutterms_changelist"))
        .text.split("</thead>")[1]
        .split("</table>")[0]
    )


def test_nothing_is_asked_for_to_a_destination_given_before(
    affiliate, terms, now, no_wallet
):
    DestinationFactory(affiliate=affiliate, to=WALLET, usable_from=now)
    earn(affiliate)
    no_wallet()

    with nothing_written(), pytest.raises(StateConflict) as refused:
        request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)

    assert refused.value.code == "kind_not_offered"


def test_a_payout_asked_for_before_is_not_approved(requested, staff, now, no_wallet):
    payout = requested(to=WALLET)
    no_wallet()

    with nothing_written():
        outcome = approve_payouts(payout_ids=[payout.pk], actor_id=staff.pk, now=now)

    assert outcome.refused == (f"Payout {payout.pk}: {REMEDY}",)


@pytest.mark.django_db(transaction=True)
def test_a_payout_approved_before_is_refused_before_anything_is_marked(
    approved, staff, now, no_wallet
):
    payout = approved(to=WALLET)
    no_wallet()

    with nothing_written(), pytest.raises(StateConflict) as refused:
        confirm_payout(payout_id=payout.pk, reference="", actor_id=staff.pk, now=now)

    assert (refused.value.code, refused.value.detail) == ("no_wallet", REMEDY)


def test_a_run_drafted_before_gives_the_money_back(
    affiliate, terms, staff, now, no_wallet
):
    DestinationFactory(affiliate=affiliate, to=WALLET, usable_from=now)
    earn(affiliate)
    run = start_run(
        brand_id=affiliate.brand_id, period=None, actor_id=staff.pk, now=now
    )
    draft(run, clock=lambda: now, should_stop=lambda: False)
    no_wallet()

    approve_run(run_id=run.pk, actor_id=staff.pk, now=now)

    payout = Payout.objects.get()
    assert (payout.status, payout.reason) == ("rejected", REMEDY)
    assert standing(affiliate) == (10_000, 0, 0)
