"""Rows that wait for staff on the last day: some in each queue."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import F, OuterRef, Subquery
from django.test.utils import override_settings

from affiliates.brands.models.brand import Brand
from affiliates.contrib.imports.files.rows import ImportKind, ParseOptions, Source
from affiliates.contrib.imports.services import check_import, keep_file
from affiliates.contrib.recruitment.models import (
    ApplicationQuestion,
    ProgramTermsVersion,
)
from affiliates.contrib.recruitment.rules import Given
from affiliates.contrib.recruitment.services.applications import apply_as_client
from affiliates.emails.kinds import KINDS
from affiliates.emails.models import Email
from affiliates.emails.types import EmailKind
from affiliates.outbox.models.delivery import Delivery, DeliveryAttempt
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.types import OutcomeKind
from affiliates.privacy.erasure.services import ask
from affiliates.referrals.models import OrderReferral
from affiliates.webhooks.announce import FactKind
from affiliates.webhooks.models import Webhook
from affiliates.webhooks.services import add_webhook
from portal.affiliate_adapter import PortalAdapter
from portal.billing.models import Invoice
from portal.clients.models import User
from portal.demo.year.clock import StoryClock
from portal.demo.year.ordering import THROWAWAY, Orders
from portal.demo.year.people import SENDERS
from portal.demo.year.program import Program
from portal.demo.year.staff import Staff
from portal.orders.models import Order

APPLICANTS = (
    ("Robin", "Falk", "robin@heimserver.example", "heimserver.example", "8,000"),
    ("Carla", "Mendes", "carla@viajamos.example", "viajamos.example", "20,000"),
    ("Jon", "Aas", "jon@nordkodere.example", "A newsletter for developers", "3,500"),
)
IMPORTED = b"""email,code,firstname,lastname
nina@oldprogram.example,nina-old,Nina,Olsen
peter@oldprogram.example,peter-old,Peter,Novak
"""
ADDRESS = "https://hooks.demo-hosting.example/affiliates"
# Whose clients order on the last day, every other of them by a throwaway address.
BUYERS_OF = (SENDERS[1], SENDERS[4], SENDERS[6], SENDERS[1])
# E-mails of the last hours are still to be sent, the others have been.
UNSENT_EMAILS = 3


def announce(program: Program) -> None:
    """A webhook since the last day: earlier sales are announced to nobody."""
    add_webhook(
        Webhook(
            brand=program.brand,
            address=ADDRESS,
            config={"kinds": [FactKind.SALE_RECORDED, FactKind.SALE_REVERSED]},
        )
    )


def fill_queues(program: Program, staff: Staff, orders: Orders) -> None:
    """``clock`` is at the first hour of the last whole day."""
    clock = orders.clock
    announce(program)
    # The process remembers for a moment that there was no webhook.
    with override_settings(AFFILIATES_CONFIG_REFRESH_SECONDS=0):
        for number, sender in enumerate(BUYERS_OF):
            orders.tell(sender, host=THROWAWAY if number % 2 else "example.com")
        strangers = orders.tell(None)
    clock.now += timedelta(hours=22)
    for applicant in APPLICANTS:
        _apply(program, *applicant, clock=clock)
    staff.hold_one("The client asks for their money back.")
    staff.reward("pixelwerk", 7500, "Guest article, once it is online.", is_held=True)
    staff.claim(
        "smallbizhelp", str(strangers.order_id), "I sent this shop owner on Monday."
    )
    staff.claim("webtipps", "INV-99999", "A reader forwarded me the invoice.")
    # Small senders, of whom no payout is under way.
    for code in ("stadtverein", "student-max"):
        staff.reward(code, 6000, "Winner of the autumn draw.")
    staff.draft_run()
    _ask_to_erase(program, now=clock.now)
    _import(program, now=clock.now)


def _ask_to_erase(program: Program, *, now: datetime) -> None:
    first = OrderReferral.objects.filter(brand=program.brand).earliest("pk")
    ask(
        brand=program.brand,
        accounts=[str(first.client_id)],
        email=first.client.email,
        reason="Asked by e-mail; has cancelled everything.",
        asked_by_id=program.admin.pk,
        now=now,
    )


def _apply(
    program: Program,
    firstname: str,
    lastname: str,
    email: str,
    site: str,
    readers: str,
    *,
    clock: StoryClock,
) -> None:
    client = User(
        brand=program.brand,
        email=email,
        firstname=firstname,
        lastname=lastname,
        created_at=clock.now,
    )
    client.set_unusable_password()
    client.save(force_insert=True)
    known_client = PortalAdapter().get_client(str(client.pk))
    assert known_client is not None  # noqa: S101 - saved above
    questions = ApplicationQuestion.objects.filter(brand=program.brand)
    apply_as_client(
        known_client,
        Given(
            answers={
                str(question.pk): text
                for question, text in zip(questions, (site, readers), strict=True)
            },
            terms=ProgramTermsVersion.objects.get(brand=program.brand).number,
            code=email.partition("@")[0] + "-" + lastname.lower(),
        ),
        now=clock.now,
    )


def _import(program: Program, *, now: datetime) -> None:
    file = keep_file(
        brand_id=program.brand.pk,
        kind=ImportKind.AFFILIATES,
        source=Source.OWN,
        name="old-program.csv",
        content=IMPORTED,
        options=ParseOptions(),
        actor_id=program.admin.pk,
        now=now,
    )
    check_import(file.pk, now=now)


def finish_outboxes(now: datetime) -> None:
    """Marks e-mails and deliveries as sent, except some failures that need a person."""
    emails = list(Email.objects.order_by("created_at", "pk"))
    arrived = emails[:-UNSENT_EMAILS]
    for email in arrived:
        email.facts = KINDS[EmailKind(email.kind)].facts(email.values or {})
    Email.objects.bulk_update(arrived, ["facts"], batch_size=500)
    Email.objects.filter(pk__in=[email.pk for email in arrived]).update(
        state=QueueState.SENT,
        next_at=None,
        attempt_count=1,
        values=None,
        finished_at=F("created_at"),
    )
    for email in emails[-UNSENT_EMAILS:]:
        _refuse(email, now)
    for number, delivery in enumerate(Delivery.objects.order_by("pk")):
        _deliver(delivery, is_refused=number % 2 == 0)


def end_services(brand: Brand, now: datetime) -> None:
    """Ends services that were not renewed; otherwise the worker would renew them."""
    latest = Invoice.objects.filter(order=OuterRef("pk")).order_by("-renewal_number")
    orders = Order.objects.filter(brand=brand, ended_at=None)
    orders = orders.annotate(renews_at=Subquery(latest.values("renews_at")[:1]))
    for order in orders.filter(renews_at__lte=now, converted_at__isnull=False):
        order.ended_at, order.ended_reason = order.renews_at, "Cancelled by the client."
        order.save(update_fields=["ended_at", "ended_reason"])


def _refuse(email: Email, now: datetime) -> None:
    Email.objects.filter(pk=email.pk).update(
        state=QueueState.FAILED,
        next_at=None,
        attempt_count=1,
        recipient=email.recipient or "typo@freelance-io.exmaple",
        detail="5.1.1",
        finished_at=now,
    )


def _deliver(delivery: Delivery, *, is_refused: bool) -> None:
    at = delivery.created_at + timedelta(seconds=2)
    Delivery.objects.filter(pk=delivery.pk).update(
        state=QueueState.FAILED if is_refused else QueueState.SENT,
        outcome=OutcomeKind.GONE if is_refused else OutcomeKind.OK,
        attempt_count=1,
        next_at=None,
        finished_at=at,
    )
    DeliveryAttempt.objects.create(
        delivery=delivery,
        number=1,
        operation=delivery.operation,
        started_at=at,
        duration_ms=140,
        status_code=410 if is_refused else 200,
        outcome=OutcomeKind.GONE if is_refused else OutcomeKind.OK,
    )
