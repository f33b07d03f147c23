"""Runs, answers and statements in Django admin."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from affiliates.admin_tools.naming import labels, page_name
from affiliates.contrib.payout_runs.models import PayoutAnswer, PayoutRun
from affiliates.contrib.payout_runs.services.drafts import start_run
from affiliates.payouts.services.requests import request_payout
from affiliates.payouts.services.statements import issue_statement
from tests.affiliates.payouts.bank import paid, returned, statement
from tests.affiliates.payouts.looking import standing
from tests.database import nothing_written
from tests.factories.payouts import DestinationFactory, earn, earn_share
from tests.guard.markers import marker

LISTS = [
    "payoutrun",
    "payoutrunline",
    "payoutanswer",
    "payoutanswerline",
    "payoutstatement",
]


def page(name: str, *args: object) -> str:
    model, _, page = name.partition("_")
    return reverse(page_name(model, page), args=args)


def text_of(client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


@pytest.mark.parametrize("name", LISTS)
def test_lists_are_shown_while_empty(admin_client, db, name):
    assert "Nothing yet" in text_of(admin_client, page(f"{name}_changelist"))


@pytest.mark.parametrize("name", LISTS)
def test_lists_and_pages_cost_the_same_however_many_rows(
    admin_client, earner, released, answered, name
):
    def rows_more(number: int) -> None:
        affiliates = [earner(f"a-{number}-{one}") for one in range(number)]
        released()
        told = [
            paid(f"PAYOUT-{one.payouts.get().pk}", 10_000, number=one.pk)
            for one in affiliates
        ]
        answered(statement(*told))

    rows_more(1)
    address = page(f"{name}_changelist")
    first = page(f"{name}_change", _model(name).objects.latest("pk").pk)
    text_of(admin_client, address)
    with CaptureQueriesContext(connection) as few:
        text_of(admin_client, address)
        text_of(admin_client, first)
    rows_more(3)
    last = page(f"{name}_change", _model(name).objects.latest("pk").pk)

    with CaptureQueriesContext(connection) as many:
        text_of(admin_client, address)
        text_of(admin_client, last)

    # A second run has a last one to be compared with.
    assert len(many) <= len(few) + 2
    assert len(many) <= 40


def test_run_is_made_looked_at_and_approved(admin_client, brand, earner, own_account):
    affiliate = earner("good", 12_345)
    earner("poor", 100)

    answer = admin_client.post(
        page("payoutrun_make"), {"brand": brand.pk, "confirmed": "yes"}, follow=True
    )

    run = PayoutRun.objects.get()
    text = " ".join(answer.content.decode().split())
    assert answer.redirect_chain == [(page("payoutrun_change", run.pk), 302)]
    for said in ("Bank transfer (SEPA)", "€123.45", "Below the minimum", "€1.00"):
        assert said in text
    assert (
        f"run__id__exact={run.pk}&amp;outcome__exact=below_minimum&amp;currency=EUR"
        in text
    )
    assert "It is the first run of this brand." in text
    admin_client.post(page("payoutrun_approve", run.pk), {"confirmed": "yes"})
    text = text_of(admin_client, page("payoutrun_change", run.pk))
    assert run.files.get().digest in text
    assert "Now: 1 being paid (€123.45)." in text
    assert standing(affiliate) == (0, 12_345, 0)


def test_draft_is_discarded_with_a_reason(admin_client, earner, drafted):
    affiliate = earner("good")
    run = drafted()
    address = page("payoutrun_discard", run.pk)

    with nothing_written():
        admin_client.post(address, {"confirmed": "yes", "reason": ""})
    admin_client.post(address, {"confirmed": "yes", "reason": marker("staff", "run")})

    run.refresh_from_db()
    assert (run.status, run.reason) == ("discarded", marker("staff", "run"))
    assert standing(affiliate) == (10_000, 0, 0)


def act(client, action, *runs, **fields):
    """Choose runs and an action in the list, and say yes."""
    chosen = [run.pk for run in runs]
    answer = client.post(
        page("payoutrun_changelist"),
        {"action": action, "_selected_action": chosen, "confirmed": "yes", **fields},
    )
    return [str(one) for one in answer.wsgi_request._messages]


def test_several_runs_are_approved_and_a_refusal_is_told(
    admin_client, admin_user, terms, own_account, earner, drafted
):
    terms.change(needs_second_person=True)
    earner("good")
    of_another = drafted()
    earner("better")
    own = drafted(actor=admin_user)

    told = act(admin_client, "approve_selected", of_another, own)

    assert told == [
        f"{of_another} is approved. Its files are on its page.",
        f"{own}: A second person has to approve it, who did not start or prepare it.",
    ]
    assert list(PayoutRun.objects.order_by("pk").values_list("status", flat=True)) == [
        "approved",
        "draft",
    ]


def test_several_runs_are_shown_before_they_are_approved(admin_client, earner, drafted):
    earner("good", 12_345)
    runs = [drafted()]
    earner("better")
    runs.append(drafted())

    with nothing_written():
        answer = admin_client.post(
            page("payoutrun_changelist"),
            {
                "action": "approve_selected",
                "_selected_action": [run.pk for run in runs],
            },
        )

    text = " ".join(answer.content.decode().split())
    assert "Approve 2 payout runs?" in text
    assert "Bank transfer (SEPA): 1 payout, €123.45" in text
    assert "2 payout runs, €223.45 in all." in text


def test_each_discarded_run_may_have_a_reason_of_its_own(admin_client, earner, drafted):
    earner("good")
    first, second = drafted(), drafted()
    own = {f"reason-of-{second.pk}": "Empty"}

    act(
        admin_client,
        "discard_selected",
        first,
        second,
        reason=marker("staff", "run"),
        **own,
    )

    assert dict(PayoutRun.objects.values_list("reason", "status")) == {
        marker("staff", "run"): "discarded",
        "Empty": "discarded",
    }


@pytest.mark.parametrize("name", ["approve", "discard"])
def test_decided_meanwhile_nothing_is_done(admin_client, earner, released, name):
    earner("good")
    run = released()
    said = f"{run}: Approved already by {run.approved_by}."

    with nothing_written():
        of_one = admin_client.post(page(f"payoutrun_{name}", run.pk), {"reason": "No"})
        of_many = act(admin_client, f"{name}_selected", run, reason="No")

    assert of_one["Location"] == page("payoutrun_change", run.pk)
    assert [str(one) for one in of_one.wsgi_request._messages] == [said]
    assert of_many[-1] == said


def test_refusal_of_one_run_is_shown_in_its_form(
    admin_client, admin_user, terms, earner, drafted
):
    terms.change(needs_second_person=True)
    earner("good")
    run = drafted(actor=admin_user)

    with nothing_written():
        answer = admin_client.post(page("payoutrun_approve", run.pk))

    assert "A second person has to approve it" in answer.content.decode()


@pytest.mark.parametrize("since", ["before the draft", "after the draft"])
def test_who_prepared_a_run_is_told_that_a_second_person_approves_it(
    admin_client, admin_user, terms, own_account, earner, drafted, since
):
    terms.change(needs_second_person=since == "before the draft")
    earner("good", 12_345)
    run = drafted(actor=admin_user)
    terms.change(needs_second_person=True)

    answer = admin_client.get(page("payoutrun_change", run.pk))

    head = answer.context["head"]
    assert [title for title, _ in head.buttons] == ["Discard…"]
    assert head.note == "You prepared it, so a second person has to approve it."
    assert (head.amount, head.status) == ("€123.45", "Draft")
    assert [row[1] for row in answer.context["payees"]] == ["€123.45"]


def test_a_run_being_drafted_is_not_approved(admin_client, brand, staff, now):
    run = start_run(brand_id=brand.pk, period=None, actor_id=staff.pk, now=now)

    with nothing_written():
        answer = admin_client.post(page("payoutrun_approve", run.pk))

    said = [str(one) for one in answer.wsgi_request._messages]
    assert said == [f"{run} is still being drafted. Look again in a minute."]


@pytest.mark.parametrize(
    ("day", "kept"), [("2026-12-28", "2026-12-28"), ("2026-12-29", None)]
)
def test_first_run_is_on_a_day_that_every_month_has(admin_client, terms, day, kept):
    path = page("payoutterms_change", terms.pk)
    fields = {"cool_off_days": "7", "numbering": "brand", "minimums": ""}

    answer = admin_client.post(path, {**fields, "first_run_on": day})

    terms.refresh_from_db()
    assert (terms.first_run_on and terms.first_run_on.isoformat()) == kept
    refused = "Choose a day up to the 28th" in answer.content.decode()
    assert refused is (kept is None)


def test_difference_to_the_last_run_is_shown(
    admin_client, earner, released, drafted, answered
):
    from tests.factories.payouts import earn

    affiliate = earner("good")
    earner("gone")
    released()
    told = [paid(f"PAYOUT-{affiliate.payouts.get().pk}", 10_000)]
    answered(statement(*told))
    earn(affiliate, 25_000)

    run = drafted()

    text = text_of(admin_client, page("payoutrun_change", run.pk))
    assert "2 differ from" in text
    assert "<td>good</td><td>€100.00</td><td>€250.00</td>" in text
    assert "<td>gone</td><td>€100.00</td><td>€0.00</td>" in text


def test_chosen_payouts_become_a_run(admin_client, earner, terms, now):
    payout = request_payout(affiliate_id=earner("good").pk, currency="EUR", now=now)

    answer = admin_client.post(
        page("payout_changelist"),
        {"action": "make_run", "_selected_action": [payout.pk], "confirmed": "yes"},
    )

    run = PayoutRun.objects.get()
    assert answer.url == page("payoutrun_change", run.pk)
    assert run.lines.get().payout == payout


def test_file_is_read_shown_and_applied(admin_client, brand, earner, released):
    good, bad = earner("good"), earner("bad")
    released()
    content = statement(
        paid(f"PAYOUT-{good.payouts.get().pk}", 10_000),
        returned(f"PAYOUT-{bad.payouts.get().pk}", 10_000, text="&lt;b&gt;Closed"),
        paid("RENT-1", 5),
    )

    def upload():
        file = SimpleUploadedFile("bank.xml", content)
        return admin_client.post(
            page("payoutanswer_upload"),
            {"brand": brand.pk, "file": file, "confirmed": "yes"},
        )

    answer = upload()

    kept = PayoutAnswer.objects.get()
    assert answer.url == page("payoutanswer_change", kept.pk)
    text = text_of(admin_client, answer.url)
    assert "What it would do" in text
    assert "No payout of this brand has the reference RENT-1." in text
    assert "AC04 &lt;b&gt;Closed" in text
    assert "<td>good</td>" in text
    assert "<dt>Paid, in all</dt>" in text
    assert text.count("<dd>€100.00</dd>") == 2
    assert standing(good) == (0, 10_000, 0)
    admin_client.post(page("payoutanswer_apply", kept.pk), {"confirmed": "yes"})
    assert (standing(good), standing(bad)) == ((0, 0, 10_000), (10_000, 0, 0))
    assert "What it did" in text_of(admin_client, answer.url)
    with nothing_written():
        assert upload().url == answer.url


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "The submitted file is empty."),
        (b"<!DOCTYPE a><a/>", "The file is no XML that can be read safely."),
        (statement(), "The file says nothing of any payment."),
    ],
)
def test_file_that_cannot_be_read_is_refused(admin_client, brand, content, said):
    file = SimpleUploadedFile("bank.xml", content)

    with nothing_written():
        answer = admin_client.post(
            page("payoutanswer_upload"),
            {"brand": brand.pk, "file": file, "confirmed": "yes"},
        )

    assert said in answer.content.decode()


def test_statement_shows_what_is_printed(admin_client, earner, released, answered):
    affiliate = earner("good")
    released()
    answered(statement(paid(f"PAYOUT-{affiliate.payouts.get().pk}", 10_000)))

    row = affiliate.payouts.get().statements.get()

    text = text_of(admin_client, page("payoutstatement_change", row.pk))
    assert "Bank transfer (SEPA) DE… 3000" in text
    assert "€100.00" in text


def test_statement_tells_a_share_from_what_is_carried(
    admin_client, affiliate, rival, now
):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate)
    earn_share(affiliate, earn(rival), 1_250)
    payout = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
    row = issue_statement(payout, now=now)

    text = text_of(admin_client, page("payoutstatement_change", row.pk))

    assert "Share of an affiliate you recruited" in text
    assert "€12.50" in text
    assert "Refunds and corrections" not in text


def _model(name: str):
    from django.apps import apps

    return apps.get_model(labels()[name], name)
