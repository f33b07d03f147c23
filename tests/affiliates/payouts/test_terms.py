"""A second person is switched off by two persons, or not at all."""

from __future__ import annotations

import pytest
from django.contrib.admin import site
from django.contrib.messages import get_messages
from django.forms import model_to_dict
from django.urls import reverse

from affiliates.payouts.models import PayoutTerms
from affiliates.payouts.services.terms import save_terms
from affiliates.payouts.terms_admin import PayoutTermsAdmin
from tests.database import nothing_written


def switch(terms, who, *, on=False, **changed):
    for name, value in {"needs_second_person": on, **changed}.items():
        setattr(terms, name, value)
    done = save_terms(terms, actor_id=who.pk)
    terms.refresh_from_db()
    return done


def test_one_person_only_asks_however_often(for_two, staff):
    done = [switch(for_two, staff, runs_approve_themselves=True) for _ in range(2)]

    assert done == [False, False]
    assert for_two.needs_second_person
    assert not for_two.runs_approve_themselves
    assert for_two.single_person_asked_by == staff


def test_another_person_agrees(for_two, staff, second):
    switch(for_two, staff)

    assert switch(for_two, second)

    assert not for_two.needs_second_person
    assert for_two.single_person_asked_by is None


def test_wish_is_forgotten_when_it_is_saved_as_it_was(for_two, staff, second):
    switch(for_two, staff)

    switch(for_two, second, on=True, cool_off_days=9)

    assert not switch(for_two, second)
    assert (for_two.needs_second_person, for_two.cool_off_days) == (True, 9)
    assert for_two.single_person_asked_by == second


def test_one_person_switches_it_on(terms, staff):
    assert switch(terms, staff, on=True)

    assert terms.needs_second_person


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (False, "Nobody"),
        (True, "Somebody else agrees by switching it off too; saving with it on"),
    ],
)
def test_page_says_who_asked_to_switch_it_off(
    for_two, staff, admin_client, asked, said
):
    if asked:
        switch(for_two, staff)
    page = reverse("admin:affiliates_payoutterms_change", args=[for_two.pk])

    text = admin_client.get(page).content.decode()

    assert said in text
    assert (f"{staff}. " in text) is asked


def test_fields_of_runs_are_not_on_the_page_of_the_core(rf, for_two, admin_user):
    request = rf.get("/")
    request.user = admin_user

    form = PayoutTermsAdmin(PayoutTerms, site).get_form(request, for_two)

    fields = form.base_fields.keys()
    assert "needs_second_person" in fields
    assert not fields & {"first_run_on", "runs_approve_themselves"}


def test_page_says_that_it_is_still_needed(for_two, admin_client, admin_user):
    page = reverse("admin:affiliates_payoutterms_change", args=[for_two.pk])
    fields = {
        name: value
        for name, value in model_to_dict(for_two).items()
        if value not in (None, False) and name != "needs_second_person"
    }

    answer = admin_client.post(page, {**fields, "minimums": ""})

    said = [str(one) for one in get_messages(answer.wsgi_request)]
    assert said[0] == (
        "A second person is still needed, until somebody else switches it off too."
    )
    for_two.refresh_from_db()
    assert for_two.needs_second_person
    assert for_two.single_person_asked_by == admin_user


def test_terms_that_need_a_second_person_are_not_deleted(for_two, admin_client):
    page = reverse("admin:affiliates_payoutterms_delete", args=[for_two.pk])
    rows = reverse("admin:affiliates_payoutterms_changelist")
    chosen = {"action": "delete_selected", "_selected_action": [for_two.pk]}

    with nothing_written():
        refused = admin_client.post(page, {"post": "yes"})
        admin_client.post(rows, {**chosen, "post": "yes"})

    assert refused.status_code == 403
    assert PayoutTerms.objects.filter(pk=for_two.pk).exists()
