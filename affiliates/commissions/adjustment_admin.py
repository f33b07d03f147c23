"""Bonuses and deductions by staff: entered, confirmed, then posted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar
from uuid import uuid4

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import TextChoices
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from moneyed import CurrencyDoesNotExist, Money, get_currency

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import ReadOnlyAdmin, action, requires
from affiliates.admin_tools.columns import (
    column,
    moment,
    money_text,
    page_link,
    row_column,
    row_link,
    row_money,
)
from affiliates.admin_tools.confirmation import AsksFirst, Question
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision, already
from affiliates.admin_tools.forms import hidden, reason_field
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.theme import register_page
from affiliates.commissions.models import MAX_ADJUSTMENT_KEY, Adjustment
from affiliates.commissions.rules import MAX_NOTE
from affiliates.commissions.services.adjusting import (
    NewAdjustment,
    adjust_by_hand,
    end_held_bonus,
)
from affiliates.core.money import to_minor
from affiliates.ledger.admin import AffiliateFilter
from affiliates.ledger.rules import Account, PostingKind
from affiliates.ledger.selectors import balance
from affiliates.program.models import Affiliate


class AdjustmentWay(TextChoices):
    BONUS = "bonus", "Bonus, payable at once"
    HELD = "held", "Bonus, held until staff release it"
    DEDUCTION = "deduction", "Deduction"


class AdjustForm(forms.Form):
    way = forms.ChoiceField(
        label="What", choices=AdjustmentWay.choices, widget=widgets.Select
    )
    amount = forms.DecimalField(min_value=0, widget=widgets.DecimalInput)
    currency = forms.CharField(
        min_length=3,
        max_length=3,
        widget=widgets.TextInput,
        help_text="Such as EUR.",
    )
    reason = reason_field("Kept in the books beside the posting.", max_length=MAX_NOTE)
    # One key per page: a form that is sent repeatedly is posted once.
    key = forms.CharField(
        max_length=MAX_ADJUSTMENT_KEY,
        widget=forms.HiddenInput,
        initial=lambda: f"desk:{uuid4()}",
    )

    def clean_currency(self) -> str:
        code: str = self.cleaned_data["currency"].upper()
        try:
            get_currency(code)
        except CurrencyDoesNotExist:
            raise ValidationError("There is no such currency.") from None
        return code

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        if "amount" in values and "currency" in values:
            try:
                minor = to_minor(Money(values["amount"], values["currency"]))
            except ValueError as error:
                raise ValidationError({"amount": str(error)}) from None
            if minor == 0:
                raise ValidationError({"amount": "Give an amount above zero."})
            values["minor"] = (
                -minor if values.get("way") == AdjustmentWay.DEDUCTION else minor
            )
        return values


class AdjustsBalance(AsksFirst):
    """Mixed into the page of an affiliate."""

    has_adjust_permission = requires("affiliates.add_adjustment")

    @action(
        description="Bonus or deduction…", url_path="adjust", permissions=["adjust"]
    )
    def adjust(self, request: HttpRequest, object_id: str) -> HttpResponse:
        affiliate = self.row_of(request, object_id)
        form = AdjustForm(request.POST or None)
        question = Question(
            title=f"Bonus or deduction for {affiliate.code}",
            button="Continue",
            facts={"Affiliate": affiliate.code, "Client": affiliate.user},
            form=form,
            row=affiliate,
            is_last=False,
        )
        if not form.is_valid():
            return self.ask(request, question, form)
        last = _second_look(question, form, affiliate)
        hidden(form)
        if "confirmed" not in request.POST:
            return self.ask(request, last, form)
        return self.ask_or_do(request, last, partial(_adjust, request, form, affiliate))


def _second_look(
    question: Question, form: AdjustForm, affiliate: Affiliate
) -> Question:
    values = form.cleaned_data
    way, currency, minor = (
        AdjustmentWay(values["way"]),
        values["currency"],
        values["minor"],
    )
    payable = balance(affiliate.pk, currency, Account.PAYABLE)
    after = payable if way is AdjustmentWay.HELD else payable + minor
    return replace(
        question,
        title=f"Post it for {affiliate.code}?",
        button="Post it",
        facts={
            **question.facts,
            "What": way.label,
            "Amount": money_text(minor, currency),
            "Reason": values["reason"],
            "Payable now": money_text(payable, currency),
            "Payable then": money_text(after, currency),
        },
        is_last=True,
    )


def _adjust(request: HttpRequest, form: AdjustForm, affiliate: Affiliate) -> str:
    values = form.cleaned_data
    wanted = NewAdjustment(
        affiliate_id=affiliate.pk,
        currency=values["currency"],
        amount=values["minor"],
        reason=values["reason"],
        is_held=values["way"] == AdjustmentWay.HELD,
        key=values["key"],
    )
    is_new = adjust_by_hand(
        wanted,
        brand_id=affiliate.brand_id,
        actor_id=request.user.pk,
        now=timezone.now(),
    )
    money = money_text(wanted.amount, wanted.currency)
    if is_new:
        return f"{money} posted for {affiliate.code}."
    return f"{money} was posted for {affiliate.code} already."


class EndForm(forms.Form):
    reason = reason_field("Kept in the books beside the posting.", max_length=MAX_NOTE)


def _is_open(row: Adjustment) -> bool:
    return row.kind == PostingKind.BONUS_HELD and not hasattr(row, "end")


def _is_late(row: Adjustment) -> str:
    end = getattr(row, "end", None)
    if end is None:
        return f"{row} is no held bonus."
    return already(row, PostingKind(end.kind), end.actor)


def _ending(kind: PostingKind, button: str, *, effect: str) -> Any:
    """The button that ends a held bonus."""

    def end(chosen: Chosen, answers: Mapping[str, Any]) -> str:
        end_held_bonus(
            adjustment_id=chosen.row.pk,
            kind=kind,
            reason=answers["reason"],
            actor_id=chosen.actor_id,
            now=timezone.now(),
        )
        return f"{kind.label}."

    return StaffDecision(
        name=button.lower(),
        permission="end",
        title=f"{button} the bonus?",
        button=button,
        paragraphs=[effect],
        details=lambda chosen: {
            "facts": {
                "Affiliate": chosen.row.affiliate,
                "Amount": row_money(chosen.row),
            }
        },
        form=lambda chosen: EndForm(chosen.data),
        is_open=_is_open,
        is_late=_is_late,
        write=end,
    ).on_row(f"{button}…")


@register_page(Adjustment)
class AdjustmentAdmin(Decides, ReadOnlyAdmin):
    about = (
        "Bonuses and deductions by staff, joining bonuses of plans, and opening balances "
        "of an import. Each is a posting of its own; what was wrong is taken back by "
        "another."
    )
    nothing_yet = "Open an affiliate and choose “Bonus or deduction…”."
    list_display = ("what", "money", "affiliate", "reason", "who", "made", "state")
    list_filter = (("at", DaysFilter), "brand", "kind", AffiliateFilter)
    list_select_related = ("affiliate", "actor", "end")
    search_fields = (search.affiliates(),)
    search_parts = (search.containing("reason"),)
    search_help_text = "Affiliate's code or a part of the reason"
    actions_detail: ClassVar = ("release", "withdraw")
    fields = (
        ("what", "money"),
        ("affiliate", "brand"),
        "reason",
        ("who", "made"),
        ("posting_link", "state"),
    )

    what = row_column("What", lambda row: row.get_kind_display(), ordering="kind")
    money = row_column("Amount", row_money)
    who = row_column("Who", lambda row: str(row.actor or "The program"))
    made = column("at", "Made", show=moment, ordering="id")
    posting_link = column("posting", "Posting", show=page_link)
    state = row_column("Held", lambda row: _state_of(row))

    has_end_permission = requires("affiliates.change_adjustment")

    release = _ending(
        PostingKind.BONUS_RELEASED, "Release", effect="It becomes payable."
    )
    withdraw = _ending(
        PostingKind.BONUS_WITHDRAWN, "Withdraw", effect="It is never paid."
    )


def _state_of(row: Adjustment) -> str:
    if row.kind != PostingKind.BONUS_HELD:
        return "-"
    if _is_open(row):
        return "Held"
    return row_link("adjustment", row.end.pk, row.end.get_kind_display())
