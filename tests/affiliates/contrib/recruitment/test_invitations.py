"""Staff invite by e-mail: once, for a time, into a group and plan."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse

from affiliates.adapter import get_adapter
from affiliates.contrib.recruitment.models import Invitation
from affiliates.contrib.recruitment.rules import Given
from affiliates.contrib.recruitment.services.invitations import (
    accept_as_client,
    accept_as_stranger,
    invite,
    open_invitation,
    revoke,
)
from affiliates.core.language import LANGUAGES
from affiliates.emails.models import Email
from affiliates.errors import NotFound, StateConflict
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.contrib.recruitment.links import SITE, links, token_of
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory
from tests.factories.plans import AffiliateGroupFactory, CommissionPlanFactory
from tests.factories.recruitment import InvitationFactory
from tests.guard.markers import marker

EMAIL = f"{marker('applicant', 'invited')}@example.com"
FORM = {"email": EMAIL, "language": "en", "group": "", "plan": ""}
PASSWORD = "correct horse battery"  # noqa: S105 of nobody


@pytest.fixture
def invitation(brand, now):
    invitation = InvitationFactory.build(
        brand=brand,
        group=AffiliateGroupFactory(brand=brand),
        plan=CommissionPlanFactory(brand=brand),
    )
    invite(invitation, site=SITE, now=now)
    return invitation


@pytest.fixture
def accept(brand, now):
    def accept(token, *, at=now, **fields):
        return accept_as_stranger(
            token,
            Given(),
            brand_id=brand.pk,
            firstname="Ada",
            lastname="Lovelace",
            password=PASSWORD,
            referral_cookie=None,
            now=at,
            **fields,
        )

    return accept


def test_a_stranger_is_registered_and_active_in_its_group_and_plan(
    invitation, accept, now
):
    affiliate = accept(token_of(EMAIL))

    assert affiliate.status == AffiliateStatus.ACTIVE
    assert (affiliate.group, affiliate.plan) == (invitation.group, invitation.plan)
    assert get_adapter().get_client(str(affiliate.user_id)).email == EMAIL
    assert Invitation.objects.get().affiliate == affiliate
    assert affiliate.application.applied_at == now


def test_a_client_becomes_active_by_it(invitation, buyer, now):
    client = get_adapter().get_client(str(buyer.pk))

    affiliate = accept_as_client(token_of(EMAIL), client, Given(), now=now)

    assert affiliate.status == AffiliateStatus.ACTIVE
    assert Invitation.objects.get().affiliate == affiliate


def test_an_invited_client_has_to_sign_in(brand, host, invitation, accept):
    host.client(brand, email=EMAIL)

    with nothing_written(), pytest.raises(StateConflict):
        accept(token_of(EMAIL))


def test_it_is_used_once_for_its_time_and_brand(
    brand, invitation, accept, buyer, now, host
):
    token = token_of(EMAIL)
    other = BrandFactory(client_area="other.example.com")
    with nothing_written(), pytest.raises(NotFound):
        accept(token, at=invitation.expires_at)
    with pytest.raises(NotFound):
        open_invitation(token, brand_id=other.pk, now=now)
    accept(token, at=invitation.expires_at - timedelta(seconds=1))

    client = get_adapter().get_client(str(buyer.pk))
    with nothing_written(), pytest.raises(NotFound):
        accept_as_client(token, client, Given(), now=now)
    with nothing_written(), pytest.raises(StateConflict):
        revoke(invitation.pk, now=now)


def test_a_revoked_one_leads_nowhere(invitation, accept, now):
    revoke(invitation.pk, now=now)

    assert Invitation.objects.get().revoked_at == now
    with nothing_written(), pytest.raises(NotFound):
        accept(token_of(EMAIL))


def test_without_a_client_area_nobody_is_invited(brand, now):
    with nothing_written(), pytest.raises(StateConflict):
        invite(InvitationFactory.build(brand=brand), site=None, now=now)


def test_staff_invite_by_the_form_and_revoke(admin_client, admin_user, brand):
    group = AffiliateGroupFactory(brand=brand)
    form = {**FORM, "brand": brand.pk, "group": group.pk}

    answer = admin_client.post(
        reverse("admin:affiliates_recruitment_invitation_add"), form
    )

    made = Invitation.objects.get()
    assert answer.status_code == 302
    assert (made.invited_by, made.group) == (admin_user, group)
    assert made.expires_at - made.created_at == timedelta(days=30)
    assert links()[EMAIL].startswith(f"{SITE}/affiliate/invitation/")
    shown = reverse("admin:affiliates_recruitment_invitation_change", args=[made.pk])
    assert "Open" in admin_client.get(shown).content.decode()
    page = reverse("admin:affiliates_recruitment_invitation_revoke", args=[made.pk])
    admin_client.get(page)
    assert Invitation.objects.get().revoked_at is None
    admin_client.post(page, {"confirmed": "yes"})
    assert Invitation.objects.get().revoked_at is not None


@pytest.mark.parametrize("language", ["en", "de"])
def test_it_is_written_in_the_language_that_staff_choose(admin_client, brand, language):
    page = reverse("admin:affiliates_recruitment_invitation_add")

    admin_client.post(page, {**FORM, "brand": brand.pk, "language": language})

    made, email = Invitation.objects.get(), Email.objects.get(recipient=EMAIL)
    subjects = {"en": "become an affiliate", "de": "Partner werden"}
    assert (made.language, email.subject) == (
        language,
        f"{brand.name}: {subjects[language]}",
    )
    assert f'<html lang="{language}">' in email.html
    shown = reverse("admin:affiliates_recruitment_invitation_change", args=[made.pk])
    assert LANGUAGES[language] in admin_client.get(shown).content.decode()


@pytest.mark.parametrize(
    ("code", "language"), [("en", "en"), ("de", "de"), ("de-at", "de"), ("fr", "en")]
)
def test_the_sites_language_is_chosen_first(
    admin_client, brand, settings, code, language
):
    settings.LANGUAGE_CODE = code

    page = admin_client.get(reverse("admin:affiliates_recruitment_invitation_add"))

    field = page.context["adminform"].form["language"]
    assert field.value() == language
    assert list(field.field.choices) == [("en", "English"), ("de", "Deutsch")]


def test_what_cannot_be_sent_is_refused_on_the_form(admin_client, brand):
    other = BrandFactory(client_area="other.example.com")
    group = AffiliateGroupFactory(brand=other)
    brand.domains.update(is_client_area=False)
    page = reverse("admin:affiliates_recruitment_invitation_add")

    for wrong, said in (
        ({"group": group.pk}, "belongs to another brand"),
        ({"language": "fr"}, "fr is not one of the available choices"),
        ({}, "Add a client area"),
    ):
        form = {**FORM, "brand": brand.pk, **wrong}
        answer = admin_client.post(page, form)
        assert said in answer.content.decode()

    assert not Invitation.objects.exists()
    assert not Email.objects.filter(recipient=EMAIL).exists()
