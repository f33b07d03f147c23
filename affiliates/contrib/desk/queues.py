"""Queues of rows that wait for staff, with their counts and lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Model, QuerySet, Value
from django.http import HttpRequest
from django.urls import reverse

from affiliates.admin_tools.lists.changelist import MAX_COUNTED_ROWS, count_text
from affiliates.admin_tools.naming import page_name, permission_to
from affiliates.admin_tools.visible import visible_to
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.claims.models import MissingSaleClaim
from affiliates.contrib.claims.rules import ClaimStatus
from affiliates.contrib.payout_runs.models import PayoutRun
from affiliates.contrib.payout_runs.rules import RunStatus
from affiliates.db.records import at_once
from affiliates.emails.models import Email
from affiliates.fraud.models import FraudReview
from affiliates.fraud.rules.policy import ReviewOutcome
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.queue.rules import NEEDS_A_PERSON
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import PayoutStatus
from affiliates.privacy.erasure.models import Erasure
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus

# The sidebar of every page shows the counts of all brands: none may take long.
MAX_COUNTED = 1_000
REMEMBERED = "_affiliates_queue_counts"
Counts = dict[int | None, dict[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """``rows`` are lookups that the database and the address of the list both read;
    ``unlisted`` are those that the list has by itself."""

    name: str
    title: str
    what_to_do: str
    icon: str
    model: type[Model]
    rows: Mapping[str, Any]
    unlisted: Mapping[str, Any] = field(default_factory=dict)

    @property
    def permission(self) -> str:
        return permission_to("view", str(self.model._meta.model_name))

    def path(self, brand_id: int | None = None) -> str:
        """The list of exactly these rows."""
        listed = reverse(page_name(str(self.model._meta.model_name), "changelist"))
        asked = {name: _in_address(name, value) for name, value in self.rows.items()}
        if brand_id is not None:
            asked["brand__id__exact"] = str(brand_id)
        return f"{listed}?{urlencode(asked)}"

    def select(self, brand_id: int | None = None) -> QuerySet[Any]:
        rows = self.model._base_manager.order_by().filter(**self.rows, **self.unlisted)
        return rows if brand_id is None else rows.filter(brand_id=brand_id)


QUEUES: Sequence[Queue] = (
    Queue(
        name="affiliates",
        title="Affiliates to approve",
        what_to_do="They earn nothing until somebody approves them.",
        icon="person_add",
        model=Affiliate,
        rows={"status__exact": AffiliateStatus.PENDING},
    ),
    Queue(
        name="fraud_reviews",
        title="Fraud reviews",
        what_to_do="Sales that showed signals: release or reject them.",
        icon="gpp_maybe",
        model=FraudReview,
        rows={"outcome__exact": ReviewOutcome.OPEN},
    ),
    Queue(
        name="claims",
        title="Claims of missing sales",
        what_to_do="An affiliate waits for an answer.",
        icon="contact_support",
        model=MissingSaleClaim,
        rows={"status__exact": ClaimStatus.OPEN},
    ),
    Queue(
        name="erasures",
        title="Personal data to erase",
        what_to_do="Somebody asked for it, and a second person must agree.",
        icon="person_remove",
        model=Erasure,
        rows={"done_at__isnull": True},
    ),
    Queue(
        name="approvals",
        title="Commissions to approve",
        what_to_do="Their hold is over, and the plan asks for your word.",
        icon="fact_check",
        model=Commission,
        rows={"status__exact": CommissionStatus.MATURED},
    ),
    Queue(
        name="held",
        title="Held commissions",
        what_to_do="Nobody earns them until they are released or rejected.",
        icon="pause_circle",
        model=Commission,
        rows={"status__exact": CommissionStatus.HELD},
    ),
    Queue(
        name="payouts",
        title="Payouts to approve",
        what_to_do="An affiliate asked for its balance.",
        icon="payments",
        model=Payout,
        rows={"status__exact": PayoutStatus.REQUESTED},
    ),
    Queue(
        name="payout_runs",
        title="Payout runs to approve",
        what_to_do="Drafted: look who is paid, and approve or discard them.",
        icon="event_repeat",
        model=PayoutRun,
        rows={"status__exact": RunStatus.DRAFT},
    ),
    Queue(
        name="to_pay",
        title="Payouts to pay",
        what_to_do="Approved or exported, and not confirmed yet.",
        icon="account_balance",
        model=Payout,
        rows={"status__in": (PayoutStatus.APPROVED, PayoutStatus.EXPORTED)},
    ),
    Queue(
        name="deliveries",
        title="Deliveries that need a person",
        what_to_do="Not accepted, given up or unclear: nothing sends them again.",
        icon="sync_problem",
        model=Delivery,
        rows={
            "state__in": NEEDS_A_PERSON,
            "next_at__isnull": True,
        },
        unlisted={"integration__affiliate": None},
    ),
    Queue(
        name="emails",
        title="E-mails that did not arrive",
        what_to_do="Failed, or nobody knows: look and send them again.",
        icon="mark_email_unread",
        model=Email,
        rows={
            "state__in": NEEDS_A_PERSON,
            "recipient__gt": "",
        },
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A queue of rows that this person may see, and how many there are."""

    queue: Queue
    count: int
    most: int
    path: str

    @property
    def text(self) -> str:
        return count_text(self.count, self.most)


def waiting(request: HttpRequest, brand_id: int | None = None) -> list[Waiting]:
    """Every queue that this person may look at, also the empty ones.

    One query for all of them, once a request and brand.
    """
    counts = count_queues(request, brand_id)[brand_id]
    return [
        Waiting(
            queue=queue,
            count=counts.get(queue.name, 0),
            most=most_counted(brand_id),
            path=queue.path(brand_id),
        )
        for queue in _seen(request)
    ]


def most_counted(brand_id: int | None) -> int:
    """Returns the count limit; higher for one brand, counted on the first page only."""
    return MAX_COUNTED if brand_id is None else MAX_COUNTED_ROWS


def count_queues(request: HttpRequest, *brand_ids: int | None) -> Counts:
    """By brand and queue, and of all brands for None: one query for those not known yet."""
    known: Counts = request.__dict__.setdefault(REMEMBERED, {})
    if missing := [brand_id for brand_id in brand_ids if brand_id not in known]:
        known |= _counts(request.user, _seen(request), missing)
    return known


def _seen(request: HttpRequest) -> list[Queue]:
    return [queue for queue in QUEUES if request.user.has_perm(queue.permission)]


def _counts(
    staff: Any, queues: Sequence[Queue], brand_ids: Sequence[int | None]
) -> Counts:
    """Counts to one more than the most that is shown; leaves out empty queues."""
    counts: Counts = {brand_id: {} for brand_id in brand_ids}
    parts = []
    for queue, brand_id in product(queues, brand_ids):
        seen = visible_to(staff, queue.select(brand_id))
        some = seen.values("pk")[: most_counted(brand_id) + 1]
        rows = queue.model._base_manager.filter(pk__in=some).order_by()
        named = rows.annotate(of=Value(brand_id or 0), queue=Value(queue.name))
        counted = named.values("of", "queue").annotate(count=Count("pk"))
        parts.append(counted.values_list("of", "queue", "count"))
    for brand_id, name, count in at_once(parts):
        counts[brand_id or None][name] = count
    return counts


def _in_address(lookup: str, value: Any) -> str:
    if lookup.endswith("__in"):
        return ",".join(value)
    return str(int(value)) if isinstance(value, bool) else str(value)
