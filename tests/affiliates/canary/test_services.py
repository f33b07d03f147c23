from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from affiliates.adapter import HostAdapter, get_adapter
from affiliates.brands.models.brand import Brand
from affiliates.canary.models import CanaryRun
from affiliates.canary.selectors import canary_health
from affiliates.canary.services import run_canaries, run_canary
from affiliates.commissions.models import Commission
from affiliates.doctor import program
from affiliates.errors import StateConflict
from affiliates.fraud.models import FraudReview
from affiliates.ledger.models import LedgerPosting
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral
from affiliates.visits.models import Click
from affiliates.worker.jobs import periodic_jobs

pytestmark = pytest.mark.django_db


@pytest.fixture
def practice(brand, plan, host) -> Brand:
    host.sell_something(brand)
    brand.is_test = True
    brand.save(update_fields=["is_test"])
    return brand


def written() -> tuple[int, ...]:
    models = (CanaryRun, Click, Affiliate, OrderReferral, Commission, LedgerPosting)
    return tuple(model.objects.count() for model in models)


def test_it_goes_from_the_visit_to_the_refund_and_leaves_the_books_balanced(
    practice, now
):
    run = run_canary(practice, now=now)

    assert (run.step, run.fault) == ("refund", "")
    assert Affiliate.objects.get().code == "canary"
    order = OrderReferral.objects.get()
    assert order.affiliate.code == "canary"
    assert order.client != order.affiliate.user
    assert Commission.objects.get().status == "reversed"
    assert FraudReview.objects.count() == 0
    assert canary_health(now) == [(practice, run, "")]


def test_a_second_walk_takes_the_same_affiliate_and_a_new_client(practice, now):
    first = run_canary(practice, now=now)
    second = run_canary(practice, now=now + timedelta(days=1))

    assert (first.is_ok, second.is_ok) == (True, True)
    assert Affiliate.objects.count() == 1
    assert OrderReferral.objects.values("client").distinct().count() == 2


def test_a_brand_that_is_no_test_brand_is_left_alone(brand, plan, now):
    before = written()

    with pytest.raises(StateConflict, match="not marked as a test brand"):
        run_canary(brand, now=now)

    assert (run_canaries(now=now), written()) == ([], before)


def test_a_brand_without_a_plan_is_found_at_the_payment(practice, now):
    practice.plans.update(is_default=False)

    run = run_canary(practice, now=now)

    assert run.step == "payment"
    assert run.fault == "The payment earned nothing: look at the brand's default plan."


def test_a_brand_without_a_client_area_is_found_at_the_visit(practice, now):
    practice.domains.update(is_client_area=False)

    run = run_canary(practice, now=now)

    assert run.step == "visit"
    assert run.fault == "The brand has no client area: add one to its domains."


@pytest.mark.parametrize("method", ["make_test_client", "make_test_order"])
def test_a_host_that_cannot_make_test_clients_is_told_what_to_write(
    method, practice, now, monkeypatch
):
    adapter = type(get_adapter())
    monkeypatch.setattr(adapter, method, getattr(HostAdapter, method))

    run = run_canary(practice, now=now)

    assert run.fault == (
        "This portal makes no test clients: write make_test_client and make_test_order "
        "in its adapter (docs/adapter-reference.md)."
    )
    assert OrderReferral.objects.count() == 0


def test_what_an_adapter_raises_is_stored(practice, now, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("the till is closed")

    monkeypatch.setattr(type(get_adapter()), "make_test_order", fail)

    run = run_canary(practice, now=now)

    assert (run.step, run.fault) == ("order", "RuntimeError: the till is closed")


def test_the_command_says_how_it_went(practice):
    out = StringIO()

    call_command("affiliates_canary", stdout=out)

    assert out.getvalue() == f"{practice}: passed\n"


def test_the_command_fails_where_the_canary_does(practice):
    practice.domains.update(is_client_area=False)
    out = StringIO()

    with pytest.raises(CommandError, match="did not arrive"):
        call_command("affiliates_canary", stdout=out)

    assert out.getvalue().endswith("add one to its domains. (at the step Visit)\n")


def test_the_command_fails_without_a_practice(brand):
    with pytest.raises(CommandError, match="no active test brand"):
        call_command("affiliates_canary", stdout=StringIO())


def test_the_worker_walks_once_a_day_and_says_so(practice, now):
    (job,) = [job for job in periodic_jobs() if job.name == "canary"]

    assert job.every == timedelta(days=1)
    assert job.run(lambda: now, lambda: False) == f"{practice}: passed."


def test_the_worker_does_nothing_without_a_practice(brand, now):
    (job,) = [job for job in periodic_jobs() if job.name == "canary"]

    assert job.run(lambda: now, lambda: False) == ""


def test_the_doctor_names_a_canary_that_failed_is_late_or_never_ran(practice, now):
    never = list(program.canary(now))
    run_canary(practice, now=now)
    passed = list(program.canary(now))
    late = list(program.canary(now + timedelta(days=2)))
    practice.domains.update(is_client_area=False)
    run_canary(practice, now=now)
    failed = list(program.canary(now))

    assert passed == []
    assert [(one[0].id, one[0].level) for one in (never, late, failed)] == [
        ("affiliates.D023", 30),
        ("affiliates.D023", 30),
        ("affiliates.D023", 40),
    ]
    assert failed[0].msg == (
        f"The canary on the test brand {practice}: Visit: The brand has no client "
        "area: add one to its domains."
    )


def test_the_ledger_is_verified_clean_after_it(practice, now):
    run_canary(practice, now=now)

    call_command("verify_ledger", deep=True, stdout=StringIO())
