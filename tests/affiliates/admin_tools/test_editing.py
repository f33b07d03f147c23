"""Two people who have one form open: nothing of either is lost in silence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.admin.utils import flatten_fieldsets
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from affiliates.admin_tools.editing.digests import digests_of, is_edited
from affiliates.admin_tools.editing.pages import MergesEdits
from affiliates.db.audit.recording import is_available
from affiliates.hooks import own_apps
from affiliates.payouts.models import PayoutTerms
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion
from affiliates.plans.models.rule import PlanRule
from tests.change_forms import SHOWN, filled_in, posted_again
from tests.factories.editable import editable_rows
from tests.factories.payouts import PayoutTermsFactory
from tests.factories.plans import CommissionPlanFactory, PlanRuleFactory

pytestmark = [pytest.mark.portable, pytest.mark.django_db]

RATE, BONUS = "rules-0-percent", "joining_bonus"
LATE = "after you opened this page."
AGAIN = "Your value is not saved. Save again to replace theirs."


@pytest.fixture
def plan(brand) -> CommissionPlan:
    plan = CommissionPlanFactory(brand=brand, name="Creators")
    assert plan.rules.count() == 1
    return plan


@pytest.fixture
def colleague(brand) -> Client:
    """Another person of staff, at another browser."""
    person: Any = get_user_model()
    email = "colleague@example.com"
    # Django's own user has a name beside the address, the portal's has none.
    names = {person.USERNAME_FIELD: email, "email": email}
    user = person.objects.create_superuser(**names, password="pw-of-a-colleague")
    browser = Client()
    browser.force_login(user)
    return browser


def page_of(row: Any) -> str:
    meta = row._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk])


def rate_of(plan: CommissionPlan) -> str:
    return str(PlanRule.objects.get(plan=plan).percent)


def errors_of(page: Any) -> list[str]:
    forms = [page.context["adminform"].form]
    for inline in page.context["inline_admin_formsets"]:
        forms += inline.formset.forms
    return [str(error) for form in forms for of in form.errors.values() for error in of]


def test_fields_that_only_the_other_person_changed_keep_that_value(
    admin_client, colleague, plan
):
    stale = filled_in(admin_client, page_of(plan))
    colleague.post(page_of(plan), filled_in(colleague, page_of(plan)) | {RATE: "22"})

    saved = admin_client.post(page_of(plan), stale | {BONUS: "EUR 5.00"})

    assert saved.status_code == 302
    plan.refresh_from_db()
    assert (rate_of(plan), plan.joining_bonus) == ("22.000", {"EUR": "5.00"})
    version = CommissionPlanVersion.objects.order_by("-number").first()
    assert version is not None
    assert version.terms["rules"][0]["percent"] == "22"
    first, second = LogEntry.objects.filter(action_flag=CHANGE).order_by("pk")
    assert "percent" in first.change_message.lower()
    assert json.loads(second.change_message) == [
        {"changed": {"fields": ["Joining bonus"]}}
    ]


def test_field_that_both_changed_is_refused_and_saved_when_sent_again(
    admin_client, colleague, plan
):
    stale = filled_in(admin_client, page_of(plan))
    colleague.post(page_of(plan), filled_in(colleague, page_of(plan)) | {RATE: "22"})
    versions = CommissionPlanVersion.objects.count()

    refused = admin_client.post(page_of(plan), stale | {RATE: "15", BONUS: "EUR 5.00"})

    (error,) = errors_of(refused)
    assert error.endswith(f"{LATE} {AGAIN}")
    if is_available():
        assert error.startswith("colleague@example.com changed this from ")
        assert " to 22 at " in error
    assert rate_of(plan) == "22.000"
    assert CommissionPlanVersion.objects.count() == versions

    saved = admin_client.post(page_of(plan), posted_again(refused))

    assert saved.status_code == 302
    plan.refresh_from_db()
    assert (rate_of(plan), plan.joining_bonus) == ("15.000", {"EUR": "5.00"})


def test_refused_form_shows_merged_values_in_open_fields(admin_client, colleague, plan):
    stale = filled_in(admin_client, page_of(plan))
    theirs = {RATE: "22", "hold_days": "9"}
    colleague.post(page_of(plan), filled_in(colleague, page_of(plan)) | theirs)

    refused = admin_client.post(page_of(plan), stale | {RATE: "15"})

    hold = refused.context["adminform"].form["hold_days"]
    assert (hold.value(), hold.field.disabled) == (9, False)
    admin_client.post(page_of(plan), posted_again(refused))
    plan.refresh_from_db()
    assert (rate_of(plan), plan.hold_days) == ("15.000", 9)


def test_both_may_enter_the_same_value(admin_client, colleague, plan):
    stale = filled_in(admin_client, page_of(plan))
    colleague.post(page_of(plan), filled_in(colleague, page_of(plan)) | {RATE: "22"})

    assert admin_client.post(page_of(plan), stale | {RATE: "22"}).status_code == 302

    assert rate_of(plan) == "22.000"


@pytest.mark.parametrize(
    ("changes", "is_saved"), [({BONUS: "EUR 5.00"}, True), ({RATE: "15"}, False)]
)
def test_row_that_somebody_deleted_comes_back_neither_by_itself_nor_in_silence(
    changes, is_saved, admin_client, colleague, plan
):
    PlanRuleFactory(plan=plan, kind="domain")
    stale = filled_in(admin_client, page_of(plan))
    theirs = {"rules-0-DELETE": "on"}
    colleague.post(page_of(plan), filled_in(colleague, page_of(plan)) | theirs)

    answer = admin_client.post(page_of(plan), stale | changes)

    assert plan.rules.get().kind == "domain"
    assert (answer.status_code == 302) is is_saved
    if not is_saved:
        assert "deleted this row after you opened this page" in errors_of(answer)[0]


def test_row_that_somebody_changed_is_not_deleted_unseen(admin_client, colleague, plan):
    stale = filled_in(admin_client, page_of(plan))
    colleague.post(page_of(plan), filled_in(colleague, page_of(plan)) | {RATE: "22"})

    refused = admin_client.post(page_of(plan), stale | {"rules-0-DELETE": "on"})

    (error,) = errors_of(refused)
    assert error.endswith(f"{LATE} The row is not deleted. Tick it again to delete it.")
    assert rate_of(plan) == "22.000"


@pytest.mark.parametrize("digests", [None, "", "{", "[]", '{"a": 1}'])
def test_form_without_readable_digests_is_saved_as_it_is(digests, admin_client, plan):
    form = filled_in(admin_client, page_of(plan)) | {SHOWN: digests, RATE: "22"}
    sent = {name: value for name, value in form.items() if value is not None}

    assert admin_client.post(page_of(plan), sent).status_code == 302

    assert rate_of(plan) == "22.000"


def test_digest_of_an_unknown_field_of_a_deleted_row_says_nothing(
    admin_client, colleague, plan
):
    PlanRuleFactory(plan=plan, kind="domain")
    stale = filled_in(admin_client, page_of(plan))
    theirs = {"rules-0-DELETE": "on"}
    colleague.post(page_of(plan), filled_in(colleague, page_of(plan)) | theirs)
    rows = json.loads(stale[SHOWN])
    forged = {key: row | {"nothing": "0"} for key, row in rows.items()}

    answer = admin_client.post(page_of(plan), stale | {SHOWN: json.dumps(forged)})

    assert answer.status_code == 302
    assert plan.rules.get().kind == "domain"


def test_security_setting_does_not_go_back_unseen(admin_client, colleague, brand):
    terms = PayoutTermsFactory(brand=brand, cool_off_days=7)
    stale = filled_in(admin_client, page_of(terms))
    theirs = filled_in(colleague, page_of(terms)) | {"cool_off_days": "9"}
    colleague.post(page_of(terms), theirs)

    admin_client.post(page_of(terms), stale | {"minimums": "EUR 60.00"})

    assert PayoutTerms.objects.get().cool_off_days == 9


@pytest.mark.parametrize("row", ["brand", "plan"])
def test_form_holds_what_it_showed(row, admin_client, request):
    row = request.getfixturevalue(row)

    text = admin_client.get(page_of(row)).text

    form = text[text.index("<form", text.index('id="content-main"')) :]
    assert f'name="{SHOWN}"' in form[: form.index("</form>")]


def editable_pages() -> dict[str, Any]:
    """Returns our pages whose rows have fields to edit, by the model's label."""
    apps = {config.label for config in own_apps()}
    return {
        model._meta.label: page
        for model, page in admin.site._registry.items()
        if model._meta.app_label in apps and isinstance(page, MergesEdits)
    }


def edited_fields(page: Any, request: Any, row: Any) -> list[str]:
    """Returns the fields of a form and its inlines that count as edited."""
    fields = flatten_fieldsets(page.get_fieldsets(request, row))
    form = page.get_form(request, row, change=True, fields=fields)(
        request.POST, instance=row
    )
    formsets, _ = page._create_formsets(request, row, change=True)
    forms = [form, *(row for formset in formsets for row in formset.initial_forms)]
    return [
        name
        for form in forms
        for name, digest in digests_of(form).items()
        if is_edited(form, name, digest)
    ]


def test_untouched_form_counts_as_unedited_on_every_page(
    rf, admin_client, admin_user, brand, affiliate
):
    rows = editable_rows(brand, affiliate)
    pages = editable_pages()

    for row in rows:
        page = pages.pop(row._meta.label)
        # In a window of its own: the page of an affiliate shows no form otherwise.
        form = filled_in(admin_client, f"{page_of(row)}?_popup=1")
        request = rf.post("/", form)
        request.user = admin_user
        assert edited_fields(page, request, row) == [], row._meta.label

    request = rf.get("/")
    request.user = admin_user
    assert [
        label for label, page in pages.items() if page.has_change_permission(request)
    ] == []
