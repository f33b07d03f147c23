from __future__ import annotations

from typing import Any, ClassVar
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Case, Q, QuerySet, When
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from affiliates.admin_tools.base import ReadOnlyAdmin, ReadOnlyInline
from affiliates.admin_tools.columns import (
    column,
    moment,
    money_text,
    row_column,
    row_link,
    row_money,
)
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.theme import register_page
from affiliates.admin_tools.visible import visible_to
from affiliates.ledger.models import AccountBalance, LedgerEntry, LedgerPosting
from affiliates.ledger.rules import OWED_ACCOUNTS, Account
from affiliates.ledger.selectors import account_balances, sum_of_parts
from affiliates.program.models import Affiliate

MAX_IN_FILTER = 50
_TOLD_APART = ("pk", "code", "brand__name")


class AffiliateFilter(admin.SimpleListFilter):
    """Shows only the chosen affiliate if there are many: a search finds the others."""

    title = "affiliate"
    parameter_name = "affiliate"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        affiliates = visible_to(request.user, Affiliate.objects.order_by("code", "pk"))
        known = affiliates.values_list(*_TOLD_APART)
        first = list(known[: MAX_IN_FILTER + 1])
        if len(first) > MAX_IN_FILTER:
            chosen = self.value() or ""
            first = list(known.filter(pk=chosen)) if chosen.isdecimal() else []
        brands = {brand for _, _, brand in first}
        return [
            (str(pk), code if len(brands) == 1 else f"{code} ({brand})")
            for pk, code, brand in first
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        if chosen is None or not chosen.isdecimal():
            return queryset
        return self.of(queryset, int(chosen))

    def of(self, rows: QuerySet[Any], affiliate_id: int) -> QuerySet[Any]:
        return rows.filter(affiliate_id=affiliate_id)


class PostingAffiliateFilter(AffiliateFilter):
    def of(self, rows: QuerySet[Any], affiliate_id: int) -> QuerySet[Any]:
        return rows.filter(pk__in=_posting_ids(affiliate_id=affiliate_id))


class AccountFilter(admin.SimpleListFilter):
    title = "account"
    parameter_name = "account"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(account.value, str(account.label)) for account in Account]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[LedgerPosting]
    ) -> QuerySet[LedgerPosting]:
        if self.value() is None:
            return queryset
        entry: dict[str, Any] = {"account": self.value()}
        # An affiliate's own account has few entries, found by an index.
        affiliate = request.GET.get(AffiliateFilter.parameter_name, "")
        if affiliate.isdecimal():
            entry["affiliate_id"] = int(affiliate)
        return queryset.filter(pk__in=_posting_ids(**entry))


def reason_of(posting: LedgerPosting) -> str:
    """Staff's reason for an adjustment, linked to it."""
    adjustment = getattr(posting, "adjustment", None)
    if adjustment is None:
        return "-"
    return row_link("adjustment", adjustment.pk, adjustment.reason)


class LedgerEntryInline(ReadOnlyInline):
    model = LedgerEntry
    show_title = False
    fields = ("affiliate", "account", "money")

    money = row_column("Amount", row_money)


@register_page(LedgerPosting)
class LedgerPostingAdmin(ReadOnlyAdmin):
    about = (
        "Every movement of money between an affiliate's accounts. Nothing here is ever "
        "changed: what is taken back is a posting of its own."
    )
    list_display = ("what", "way", "money", "brand", "affiliate", "posted", "reason")
    ordering = ("-posted_at",)
    sortable_by = ("posted",)
    list_filter = (
        ("posted_at", DaysFilter),
        "brand",
        "kind",
        AccountFilter,
        PostingAffiliateFilter,
    )
    list_select_related = ("brand", "adjustment")
    search_fields = (search.exactly("key"), lambda model, text: _postings_of(text))
    search_help_text = "Key, such as commission:12, or affiliate's code"
    inlines = (LedgerEntryInline,)
    fields = (
        ("what", "posted"),
        ("brand", "key"),
        ("commission_link", "payout_link"),
        "reason",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[LedgerPosting]:
        postings: QuerySet[LedgerPosting] = super().get_queryset(request)
        return postings.prefetch_related("entries__affiliate")

    what = row_column("What", lambda row: row.get_kind_display(), ordering="kind")

    @admin.display(description="From and to")
    def way(self, posting: LedgerPosting) -> str:
        source, target = _sides(posting)
        return f"{Account(source.account).label} → {Account(target.account).label}"

    @admin.display(description="Amount")
    def money(self, posting: LedgerPosting) -> str:
        target = _sides(posting)[-1]
        return money_text(target.amount, target.currency)

    affiliate = row_column("Affiliate", lambda row: _sides(row)[-1].affiliate.code)
    posted = column("posted_at", "Posted", show=moment, ordering="posted_at")
    commission_link = row_column(
        "Commission",
        lambda row: row_link(
            "commission", row.commission_id, f"Commission {row.commission_id}"
        ),
    )
    payout_link = row_column(
        "Payout",
        lambda row: row_link("payout", row.payout_id, f"Payout {row.payout_id}"),
    )
    reason = row_column("Reason", reason_of)


class BalanceColumns:
    account_label = row_column(
        "Account", lambda row: row.get_account_display(), ordering="account"
    )
    money = row_column(
        "Balance", lambda row: money_text(row.balance, row.currency), ordering="balance"
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)  # type: ignore[misc]  # ModelAdmin's
        return account_balances(rows)

    @admin.display(description="Postings")
    def postings(self, balance: AccountBalance) -> str:
        page = reverse("admin:affiliates_ledgerposting_changelist")
        query = urlencode(
            {"affiliate": balance.affiliate_id, "account": balance.account}
        )
        return format_html(
            '<a href="{}?{}" class="text-link">Show postings</a>', page, query
        )


@register_page(AccountBalance)
class AccountBalanceAdmin(BalanceColumns, ReadOnlyAdmin):
    about = (
        "The balance of each account of an affiliate: the sum of its entries. Positive is "
        "what the brand owes the affiliate, program expense is what it cost the brand."
    )
    list_display = ("affiliate", "brand", "account_label", "money", "postings")
    totals_of: ClassVar = {
        # Of all accounts together it would always be zero.
        "Owed to affiliates, less their debts": (
            Case(When(account__in=OWED_ACCOUNTS, then=sum_of_parts())),
            "currency",
        )
    }
    list_filter = ("affiliate__brand", "account", "currency", AffiliateFilter)
    list_select_related = ("affiliate__brand",)
    search_fields = (search.affiliates(),)
    search_help_text = "Affiliate's code"
    fields = (("affiliate", "brand"), ("account_label", "money"), "postings")

    brand = column("affiliate.brand.name", "Brand")


class AccountBalanceInline(BalanceColumns, ReadOnlyInline):
    model = AccountBalance
    verbose_name_plural = "balances"
    show_title = False
    fields = ("account_label", "money", "postings")


def _postings_of(code: str) -> Q:
    meant = Affiliate.objects.filter(code=code.lower()).values_list("pk", flat=True)
    return Q(pk__in=_posting_ids(affiliate__in=list(meant)))


def _posting_ids(**entry: Any) -> QuerySet[LedgerEntry, tuple[int]]:
    return LedgerEntry.objects.filter(**entry).order_by().values_list("posting_id")


def _sides(posting: LedgerPosting) -> list[LedgerEntry]:
    """The entry that the money left, and the entry that it went to."""
    return sorted(posting.entries.all(), key=lambda entry: entry.amount)
