from __future__ import annotations

import pytest
from django.urls import reverse

from affiliates.contrib.stripe.health import refused_events
from affiliates.contrib.stripe.models import StripeEvent
from tests.affiliates.contrib.stripe import samples
from tests.affiliates.contrib.stripe.samples import line
from tests.database import nothing_written

pytestmark = pytest.mark.django_db


def page(name, *args):
    return reverse(f"admin:affiliates_stripe_stripeevent_{name}", args=args)


def test_staff_try_again_what_was_refused(
    as_role, send, buyer, cookie, now, program, earned, settings
):
    settings.AFFILIATES_STRIPE_CLIENT = f"{__name__}.nobody"
    send(samples.session(str(buyer.pk), cookie, now))
    lines = [line(1000, now)]
    send(samples.invoice(1, lines, now, reason="subscription_create"))
    row = StripeEvent.objects.get(state="refused")
    operator = as_role("operator")
    shown = operator.get(page("changelist")).content.decode()
    assert "The portal knows no client of the customer." in shown
    its_page = operator.get(page("change", row.pk)).content.decode()
    assert ">Refused<" in "".join(its_page.split())
    settings.AFFILIATES_STRIPE_CLIENT = ""

    [finding] = refused_events(now)
    assert finding.msg == "1 event of Stripe could not be applied."
    assert str(row) in operator.get(finding.page.address).content.decode()
    question = operator.get(page("try_this_again", row.pk))
    operator.post(page("try_this_again", row.pk), {"confirmed": "on"})

    assert f"Try {row} again?" in question.content.decode()
    row.refresh_from_db()
    assert row.state == "applied"
    assert earned() == {"in_1": 200}
    assert list(refused_events(now)) == []


def test_who_may_only_look_tries_nothing(as_role, send, now):
    send(samples.refund(9, 100, now))
    row = StripeEvent.objects.get()
    viewer = as_role("read-only")

    assert "pi_9" in viewer.get(page("changelist")).content.decode()
    with nothing_written():
        answer = viewer.get(page("try_this_again", row.pk))

    assert answer.status_code == 403


def nobody(customer):
    return None
