"""Sections of an affiliate's page. Each section queries only its own data."""

from __future__ import annotations

from django.db.models import Count, Sum

from affiliates.admin_tools.columns import (
    client_link,
    moment,
    money_text,
    page_link,
    row_link,
    row_money,
)
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.desk.affiliate.tables import Table, list_of, table_of
from affiliates.contrib.recruitment.models import Application
from affiliates.emails.models import Email
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import balances_of
from affiliates.payouts.models import Payout, PayoutDestination
from affiliates.plans.models.coupon import CouponCode
from affiliates.program.history_models import AffiliateNote
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.visits.models import Click

_OWED = tuple(account for account in Account if account is not Account.EXPENSE)


def facts(affiliate: Affiliate) -> list[tuple[str, object]]:
    """Returns the affiliate's main data, with the answers from their application."""
    group = affiliate.group
    terms = affiliate.accepted_terms.select_related("version").last()
    application = Application.objects.filter(affiliate=affiliate).first()
    answers = [] if application is None else application.answers
    lines: list[tuple[str, object]] = [
        ("Link with the code", affiliate.url() or "-"),
        ("Group", group and page_link(group)),
        ("Recruiter", affiliate.recruiter and page_link(affiliate.recruiter)),
        ("Affiliate since", moment(affiliate.created_at)),
        ("Accepted terms", terms and f"Version {terms.version.number}"),
        *((answer["question"], answer["answer"] or "-") for answer in answers),
    ]
    return [(name, value) for name, value in lines if value]


def plan_of(affiliate: Affiliate) -> str:
    plan = affiliate.plan or (affiliate.group and affiliate.group.plan)
    return page_link(plan) if plan else "The brand's default plan"


def payable(affiliate: Affiliate) -> str:
    """The amounts that the affiliate may ask for now."""
    accounts = sorted(balances_of(affiliate.pk).items())
    amounts = [
        money_text(of[Account.PAYABLE], currency)
        for currency, of in accounts
        if of[Account.PAYABLE]
    ]
    return ", ".join(amounts) or "Nothing"


def money(affiliate: Affiliate) -> list[Table]:
    balances = balances_of(affiliate.pk)
    money = Table(
        title="Balances",
        columns=["Currency", *(str(account.label) for account in _OWED)],
        rows=[
            [currency, *(money_text(accounts[account], currency) for account in _OWED)]
            for currency, accounts in sorted(balances.items())
        ],
        nothing="Nothing was earned yet.",
        all_of_them=list_of("accountbalance", affiliate),
    )
    return [money, _states(affiliate)]


def links(affiliate: Affiliate) -> list[Table]:
    return [
        table_of(
            "Links",
            AffiliateLink.objects.filter(affiliate=affiliate).order_by("-pk"),
            {
                "Name": page_link,
                "Leads to": lambda row: row.target_url or "Default redirect URL",
                "Active": lambda row: "Yes" if row.is_active else "No",
                "Since": lambda row: moment(row.created_at),
            },
            nothing="No link. The code alone makes one: ?ref=CODE.",
            of=affiliate,
        ),
        table_of(
            "Coupon codes",
            CouponCode.objects.filter(affiliate=affiliate).order_by("-pk"),
            {
                "Code": page_link,
                "Active": lambda row: "Yes" if row.is_active else "No",
            },
            nothing="No coupon code.",
            of=affiliate,
        ),
        table_of(
            "Last clicks",
            Click.objects.filter(affiliate=affiliate).order_by("-created_at"),
            {
                "When": lambda row: row_link("click", row.pk, moment(row.created_at)),
                "Page": lambda row: row.visit_url[:120],
                "From": lambda row: row.referrer_url[:120] or "-",
            },
            nothing="No click.",
        ),
    ]


def clients(affiliate: Affiliate) -> list[Table]:
    bound = ClientReferral.objects.filter(affiliate=affiliate).select_related("client")
    return [
        table_of(
            "Clients",
            bound.order_by("-pk"),
            {
                "Client": lambda row: client_link(row.client),
                "Bound": lambda row: row_link(
                    "clientreferral", row.pk, moment(row.bound_at)
                ),
                "By": lambda row: row.get_step_display(),
            },
            nothing="Nobody has registered through this affiliate.",
            of=affiliate,
        )
    ]


def orders(affiliate: Affiliate) -> list[Table]:
    credited = OrderReferral.objects.filter(affiliate=affiliate)
    return [
        table_of(
            "Orders",
            credited.select_related("client").order_by("-pk"),
            {
                "Order": page_link,
                "Client": lambda row: client_link(row.client),
                "Decision": lambda row: row.get_outcome_display(),
                "Converted": lambda row: moment(row.converted_at),
            },
            nothing="No order was credited to this affiliate.",
            of=affiliate,
        )
    ]


def commissions(affiliate: Affiliate) -> list[Table]:
    earned = Commission.objects.filter(affiliate=affiliate).select_related("sale")
    latest = table_of(
        "Last commissions",
        earned.order_by("-pk"),
        {
            "Commission": page_link,
            "Invoice": lambda row: row_link("sale", row.sale_id, row.sale),
            "Amount": row_money,
            "Status": lambda row: row.get_status_display(),
            "Why": lambda row: row.reason_text,
            "Earned": lambda row: moment(row.earned_at),
        },
        nothing="Nothing was earned yet.",
        of=affiliate,
        invoice_path="sale.invoice_ref",
    )
    return [_states(affiliate), latest]


def payouts(affiliate: Affiliate) -> list[Table]:
    paid = Payout.objects.filter(affiliate=affiliate).select_related("destination")
    return [
        table_of(
            "Payouts",
            paid.order_by("-pk"),
            {
                "Payout": page_link,
                "Amount": row_money,
                "To": lambda row: row.destination,
                "Status": lambda row: row.get_status_display(),
                "Requested": lambda row: moment(row.requested_at),
                "Finished": lambda row: moment(row.finished_at),
            },
            nothing="No payout was asked for.",
            of=affiliate,
        ),
        table_of(
            "Destinations",
            PayoutDestination.objects.filter(affiliate=affiliate)
            .select_related("affiliate")
            .order_by("-pk"),
            {
                "Destination": page_link,
                "Given": lambda row: moment(row.created_at),
                "Usable from": lambda row: moment(row.paid_from),
            },
            nothing="None was given: nothing can be paid.",
            of=affiliate,
        ),
    ]


def emails(affiliate: Affiliate) -> list[Table]:
    sent = Email.objects.filter(affiliate=affiliate).order_by("-created_at")
    sent = sent.defer("text", "html", "values")
    return [
        table_of(
            "E-mails",
            sent,
            {
                "E-mail": page_link,
                "Kind": lambda row: row.get_kind_display() or "-",
                "State": lambda row: row.get_state_display(),
                "Written": lambda row: moment(row.created_at),
                "Finished": lambda row: moment(row.finished_at),
            },
            nothing="None was sent.",
            of=affiliate,
        )
    ]


def notes(affiliate: Affiliate) -> list[Table]:
    written = AffiliateNote.objects.filter(affiliate=affiliate).select_related("author")
    return [
        table_of(
            "Notes",
            written,
            {
                "When": lambda row: moment(row.written_at),
                "Who": lambda row: row.author or "-",
                "Note": lambda row: row.text,
            },
            nothing="No note. The affiliate never sees them.",
        )
    ]


def _states(affiliate: Affiliate) -> Table:
    sums = (
        Commission.objects.filter(affiliate=affiliate)
        .order_by("status", "currency")
        .values_list("status", "currency")
        .annotate(count=Count("pk"), total=Sum("amount"))
    )
    return Table(
        title="Commissions by state",
        columns=["State", "How many", "Earned, before refunds"],
        rows=[
            [CommissionStatus(status).label, count, money_text(total, currency)]
            for status, currency, count, total in sums
        ],
        nothing="Nothing was earned yet.",
        all_of_them=list_of("commission", affiliate),
    )
