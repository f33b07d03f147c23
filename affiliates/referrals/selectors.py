"""The touches of a client: the facts an attribution decision is made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, Count, Q, QuerySet, Subquery, When

from affiliates.brands.rules import AttributionPolicy, BrandConfig
from affiliates.contracts import Client
from affiliates.db.accounts import email_of, key_of
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.referrals.rules.choices import Carrier
from affiliates.referrals.rules.identity import is_same_person
from affiliates.referrals.rules.types import Binding, ExternalTouch, Sender, Touch
from affiliates.visits.cookie import ReferralCookie
from affiliates.visits.models import Click

MAX_TOUCHES = 50
MAX_DECISIONS = 2_000
# A merged affiliate's credit goes to the affiliate it was merged into.
OWNER = ("affiliate__user", "affiliate__merged_into__user")


@dataclass(frozen=True, slots=True, kw_only=True)
class Touches:
    """The touches of one carrier.

    ``is_click_known`` says whether any click of the cookie's visitor is stored.
    ``binding`` is the client's binding to an own affiliate.
    """

    own: list[Touch]
    external: list[ExternalTouch]
    is_click_known: bool = False
    binding: Binding | None = None


NO_TOUCHES = Touches(own=[], external=[])


def touches_of_visitor(
    *,
    brand: BrandConfig,
    integration_id: int | None,
    cookie: ReferralCookie,
    client: Client,
    in_time: datetime,
    now: datetime,
) -> Touches:
    """The cookie's visitor's touches: at most MAX_TOUCHES clicks, oldest first.

    ``integration_id`` is that of the brand's active integration.
    """
    clicks = _ranked_clicks(brand, integration_id, cookie, in_time=in_time, now=now)
    kept = sorted(clicks[:MAX_TOUCHES], key=lambda click: (click.created_at, click.id))
    return Touches(
        own=[
            _own_touch(click, click.affiliate.credited_as, client)
            for click in kept
            if click.affiliate is not None
        ],
        external=_external_touches(kept, cookie, integration_id=integration_id),
        is_click_known=bool(kept),
    )


def _ranked_clicks(
    brand: BrandConfig,
    integration_id: int | None,
    cookie: ReferralCookie,
    *,
    in_time: datetime,
    now: datetime,
) -> QuerySet[Click]:
    """The visitor's clicks, those that can win first, without limit.

    First the cookie's own and the integration's latest, then persons' clicks of active
    own affiliates inside the window in the order the brand's policy prefers, those up
    to ``in_time`` before those that are too late to displace them.
    """
    is_first_click = brand.terms.policy is AttributionPolicy.FIRST_CLICK
    order = ("created_at", "id") if is_first_click else ("-created_at", "-id")
    of_visitor = Click.objects.filter(brand_id=brand.id, visitor_id=cookie.visitor_id)
    kept_first = Q(pk=cookie.click_id)
    if integration_id is not None:
        kept_first |= Q(
            pk=_latest_external(of_visitor, integration_id=integration_id, now=now)
        )
    can_win = Q(
        Q(affiliate__status=AffiliateStatus.ACTIVE)
        | Q(affiliate__merged_into__status=AffiliateStatus.ACTIVE),
        is_repeat=False,
        bot_signs="",
        own_program=True,
        affiliate_status=AffiliateStatus.ACTIVE,
        created_at__gte=now - brand.terms.window,
    )
    rank = Case(
        When(kept_first, then=0),
        When(can_win & Q(created_at__lte=in_time), then=1),
        When(can_win, then=2),
        default=3,
    )
    return (
        of_visitor.filter(kept_first | Q(affiliate__isnull=False))
        .select_related(*OWNER)
        .annotate(rank=rank)
        .order_by("rank", *order)
    )


def binding_of(client: Client, *, brand_id: int) -> ClientReferral | None:
    """The client's binding since registration, with its affiliate."""
    key = key_of(client.id)
    if key is None:
        return None
    bindings = ClientReferral.objects.filter(brand_id=brand_id, client__pk=key)
    return bindings.select_related(*OWNER).first()


def touches_of_binding(
    binding: ClientReferral | None, *, integration_id: int | None, client: Client
) -> Touches:
    """At most one touch of each kind."""
    if binding is None:
        return NO_TOUCHES
    return Touches(
        own=_own_of_binding(binding, client),
        external=_external_of_binding(binding, integration_id=integration_id),
        binding=_own_binding(binding),
    )


def sender_of(affiliate_id: int, *, brand_id: int, client: Client) -> Sender | None:
    """The brand's affiliate as the client's order may name it, or None."""
    affiliate = (
        Affiliate.objects.filter(pk=affiliate_id, brand_id=brand_id)
        .select_related("user")
        .first()
    )
    if affiliate is None:
        return None
    return Sender(
        affiliate_id=affiliate.pk,
        affiliate_code=affiliate.code,
        status=AffiliateStatus(affiliate.status),
        is_self=_is_self(affiliate, client),
    )


def stood_down_counts(*, brand_id: int, since: datetime) -> Counter[int]:
    """Counts clicks too late on orders converted since then, by affiliate's id.

    Only on the latest orders: each decision is read.
    """
    decided = OrderReferral.objects.filter(brand_id=brand_id, converted_at__gte=since)
    latest = decided.order_by("-converted_at")[:MAX_DECISIONS]
    counts: Counter[int] = Counter()
    for stood_down in latest.values_list("decision__stood_down", flat=True):
        counts.update(stood_down or ())
    return counts


def credited_counts(
    affiliate_ids: Collection[int], *, brand_id: int, since: datetime
) -> Counter[int]:
    """Counts the orders converted since then and credited to each affiliate."""
    credited = OrderReferral.objects.filter(
        brand_id=brand_id, affiliate_id__in=affiliate_ids, converted_at__gte=since
    ).order_by()
    return Counter(dict(credited.values_list("affiliate_id").annotate(Count("pk"))))


def _latest_external(
    of_visitor: QuerySet[Click], *, integration_id: int, now: datetime
) -> Subquery:
    """The visitor's last click for the integration; a person's before all others."""
    best = Case(When(bot_signs="", created_at__lte=now, then=0), default=1)
    return Subquery(
        of_visitor.filter(integration_id=integration_id)
        .order_by(best, "-created_at", "-id")
        .values("pk")[:1]
    )


def _own_touch(click: Click, affiliate: Affiliate, client: Client) -> Touch:
    return Touch(
        carrier=Carrier.COOKIE,
        click_id=click.id,
        touched_at=click.created_at,
        affiliate_id=affiliate.pk,
        affiliate_code=affiliate.code,
        status_at_visit=AffiliateStatus(click.affiliate_status),
        status_at_order=AffiliateStatus(affiliate.status),
        program_on_at_visit=click.own_program,
        is_bot=bool(click.bot_signs),
        is_repeat=click.is_repeat,
        is_self=_is_self(affiliate, client),
    )


def _external_touches(
    kept: Sequence[Click], cookie: ReferralCookie, *, integration_id: int | None
) -> list[ExternalTouch]:
    """The integration's clicks; if none is stored, the visit in the cookie."""
    if integration_id is None:
        return []
    clicks = [click for click in kept if click.integration_id == integration_id]
    if not clicks and cookie.external_visitor_id:
        return [
            ExternalTouch(
                carrier=Carrier.COOKIE,
                integration_id=integration_id,
                visitor_id=cookie.external_visitor_id,
                touched_at=cookie.issued_at,
            )
        ]
    return [
        ExternalTouch(
            carrier=Carrier.COOKIE,
            integration_id=integration_id,
            visitor_id=cookie.external_visitor_id,
            click_id=click.id,
            touched_at=click.created_at,
            affiliate=click.external_affiliate,
            is_bot=bool(click.bot_signs),
            ip=click.ip_prefix.partition("/")[0],
            user_agent=click.user_agent,
        )
        for click in clicks
    ]


def _own_of_binding(binding: ClientReferral, client: Client) -> list[Touch]:
    if binding.affiliate is None:
        return []
    affiliate = binding.affiliate.credited_as
    if binding.click_id is None or binding.touched_at is None:
        return []
    return [
        Touch(
            carrier=Carrier.BINDING,
            click_id=binding.click_id,
            touched_at=binding.touched_at,
            affiliate_id=affiliate.pk,
            affiliate_code=affiliate.code,
            status_at_visit=AffiliateStatus.ACTIVE,
            status_at_order=AffiliateStatus(affiliate.status),
            program_on_at_visit=True,
            is_self=_is_self(affiliate, client),
        )
    ]


def _own_binding(binding: ClientReferral) -> Binding | None:
    if binding.affiliate is None or binding.click_id is None:
        return None
    return Binding(
        click_id=binding.click_id,
        affiliate_id=binding.affiliate.credited_as.pk,
        bound_at=binding.bound_at,
    )


def _external_of_binding(
    binding: ClientReferral, *, integration_id: int | None
) -> list[ExternalTouch]:
    touched_at = binding.external_touched_at
    if integration_id is None or touched_at is None:
        return []
    if binding.integration_id != integration_id:
        return []
    return [
        ExternalTouch(
            carrier=Carrier.BINDING,
            integration_id=integration_id,
            visitor_id=binding.external_visitor_id,
            click_id=binding.external_click_id,
            touched_at=touched_at,
            affiliate=binding.external_affiliate,
            ip=binding.external_ip,
            user_agent=binding.external_user_agent,
        )
    ]


def _is_self(affiliate: Affiliate, client: Client) -> bool:
    return is_same_person(
        affiliate_user_id=str(affiliate.user_id),
        affiliate_email=email_of(affiliate.user),
        client_id=client.id,
        client_email=client.email,
    )
