"""One living token of every kind, in a world whose rows the admin shows."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from django.core.mail import EmailMessage
from django.test import Client

from affiliates.adapter import get_adapter
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.area.keys.services import give_key
from affiliates.contrib.area.looks.services import ask_for_look
from affiliates.contrib.recruitment.rules import Approval, Given, Person
from affiliates.contrib.recruitment.services import applications
from affiliates.contrib.recruitment.services.invitations import invite
from affiliates.program.models import Affiliate
from affiliates.webhooks.services import rotate_secret
from portal.clients.models import User
from portal.clients.password_reset import request_reset, send_links
from portal.clients.second_factor import renew_codes
from portal.clients.services import _issue_token
from tests.affiliates.emails.test_news import notify
from tests.affiliates.till import Till, order_of
from tests.factories.integrations import WebhookFactory
from tests.factories.portal import ClientFactory, GuestFactory
from tests.factories.recruitment import InvitationFactory, RecruitmentPolicyFactory

SITE = "https://shop.example.com"
LINK_WITH_TOKEN = re.compile(
    rf"{SITE}/(?:\S*?/)?(?P<kind>confirm|invitation|verify|unsubscribe|password-reset)/(?P<token>[^\s\"'/]+)"
)


def tokens_of(affiliate: Affiliate, staff: User, *, now: datetime) -> dict[str, str]:
    """By the name of its kind; those in e-mails are in the outbox of Django's tests."""
    client = affiliate.user
    hooks = [
        WebhookFactory(brand=affiliate.brand),
        WebhookFactory(brand=affiliate.brand, affiliate=affiliate),
    ]
    _, key = give_key(
        affiliate_id=affiliate.pk,
        name="Sheet",
        scopes=list(Scope),
        expires_at=now + timedelta(days=30),
        now=now,
    )
    code = renew_codes(client)[0]
    look = ask_for_look(affiliate, reason="Asked", actor_id=staff.pk, now=now)
    browser = Client()
    browser.force_login(client, backend="portal.clients.backends.ClientBackend")
    return {
        "login": _issue_token(client, now),
        "guest": _issue_token(GuestFactory(brand=affiliate.brand), now),
        "key": key,
        "look": look.rsplit("/", 1)[1],
        "recovery code as shown": code,
        "recovery code": code.replace("-", ""),
        "session": browser.session.session_key or "",
        "webhook": rotate_secret(hooks[0].pk, now=now),
        "affiliate's webhook": rotate_secret(hooks[1].pk, now=now),
    }


def write_emails(affiliate: Affiliate, *, now: datetime) -> None:
    """A confirmation, an address to verify, an invitation and one to unsubscribe by."""
    brand = affiliate.brand
    RecruitmentPolicyFactory(brand=brand, approval=Approval.PAID)
    applications.apply_as_stranger(
        Person(email="new@example.com", firstname="Ada", lastname="Lovelace"),
        Given(),
        brand_id=brand.pk,
        site=SITE,
        now=now,
    )
    invite(InvitationFactory.build(brand=brand), site=SITE, now=now)
    payer = ClientFactory(brand=brand, email="payer@example.com")
    order_of(affiliate, payer, order_ref="order-1", invoice_ref="invoice-1")
    Till(brand.pk).pay()
    applicant = get_adapter().get_client(str(payer.pk))
    assert applicant is not None
    applications.apply_as_client(applicant, Given(), site=SITE, now=now)
    notify(affiliate, now)


def write_reset(affiliate: Affiliate, *, now: datetime) -> None:
    """The link to set a new password, in the outbox of Django's tests."""
    request_reset(
        brand_id=affiliate.brand_id,
        email=affiliate.user.email,
        origin=SITE,
        language="en",
        now=now,
    )
    assert send_links(now=now) == (1, 0)


def tokens_in(messages: list[EmailMessage]) -> dict[str, str]:
    """By the name of the page that they open."""
    found = (LINK_WITH_TOKEN.search(str(message.body)) for message in messages)
    return {one["kind"]: one["token"] for one in found if one is not None}
