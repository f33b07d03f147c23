"""What a host has with the core alone. Run on it by test_minimal.py."""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module
from io import StringIO

import pytest
from django.contrib import admin
from django.core.mail import EmailMessage
from django.core.management import call_command
from django.db import connection
from django.urls import get_resolver, reverse

from affiliates.emails.mail_server import MailServer
from affiliates.hooks import own_apps
from affiliates.management import commands
from affiliates.operations.health import surroundings
from affiliates.payouts.models import PayoutBatch
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.selectors import balances, batch_file
from affiliates.payouts.services.batches import export_batch
from affiliates.payouts.services.confirmations import confirm_batch
from affiliates.payouts.services.decisions import approve_payouts
from affiliates.payouts.services.destinations import change_destination
from affiliates.payouts.services.requests import request_payout
from affiliates.worker.registry import job_names
from affiliates.worker.running import run_job
from tests.factories.programs import make_world

pytestmark = pytest.mark.django_db

MAX_TABLES = 66


def test_the_core_has_few_tables():
    tables = connection.introspection.table_names()
    ours = [table for table in tables if table.startswith("affiliates_")]

    assert 20 < len(ours) <= MAX_TABLES, ours


def test_nothing_beside_the_core_is_loaded(now):
    assert len(get_resolver().url_patterns) >= 3
    ours = [one for one in admin.site._registry if one._meta.app_label == "affiliates"]
    assert len(ours) > 20
    for name in job_names():
        assert run_job(name, now=now).is_done
    names = [module.name for module in pkgutil.iter_modules(commands.__path__)]
    assert {"affiliates_worker", "affiliates_remove"} <= {*names}
    for name in names:
        command = import_module(f"{commands.__name__}.{name}").Command()
        assert command.create_parser("manage.py", name).format_help()

    assert [config.name for config in own_apps()] == ["affiliates"]
    assert [one for one in sys.modules if one.startswith("affiliates.contrib.")] == []


def test_emails_go_to_the_backend_of_the_host(now, mailoutbox):
    finding, *_ = surroundings.mail(now)
    server = MailServer()

    server.connect()
    server.send(EmailMessage("Paid", to=["ada@example.com"]), hand_over=list)
    server.close()

    assert finding.msg.startswith("E-mails go to django.core.mail.backends.locmem.")
    assert [one.subject for one in mailoutbox] == ["Paid"]


def test_every_list_of_the_admin_is_answered(admin_client):
    pages = [
        reverse(f"admin:affiliates_{model._meta.model_name}_changelist")
        for model in admin.site._registry
        if model._meta.app_label == "affiliates"
    ]

    assert {
        page: admin_client.get(page).status_code for page in pages
    } == dict.fromkeys(pages, 200)


def test_a_payout_is_paid_by_a_file():
    world = make_world()
    affiliate, staff = world.affiliates[1], world.affiliates[0].user_id
    change_destination(
        affiliate_id=affiliate.pk,
        kind="paypal",
        values={"email": "partner@example.org"},
        now=world.now,
    )
    visitor = world.arrive()
    world.visit(visitor, affiliate)
    world.register(visitor)
    order = world.convert(
        visitor, currency="EUR", lines=[("hosting", "annually", 9_000)]
    )
    world.pay(order.invoices[0])
    world.pass_by(days=30)

    payout = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=world.now)
    approve_payouts(payout_ids=[payout.pk], actor_id=staff, now=world.now)
    export_batch(payout_ids=[payout.pk], actor_id=staff, now=world.now)
    batch = PayoutBatch.objects.get()
    confirm_batch(batch_id=batch.pk, reference="1", actor_id=staff, now=world.now)

    payout.refresh_from_db()
    assert (payout.status, payout.amount) == (PayoutStatus.PAID, 3_000)
    assert "partner@example.org,30.00,EUR" in batch_file(batch).text
    [balance] = balances(affiliate.pk)
    assert (balance.payable, balance.paid_out) == (0, 3_000)
    said = StringIO()
    call_command("verify_ledger", "--deep", stdout=said)
    assert said.getvalue().endswith("Everything agrees.\n")
