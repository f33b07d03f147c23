from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import ReadOnlyAdmin, action
from affiliates.admin_tools.columns import (
    column,
    moment,
    page_link,
    row_column,
    row_money,
)
from affiliates.admin_tools.confirmation import AsksFirst, Question, answer_of
from affiliates.admin_tools.exports import FORMATS, csv_lines
from affiliates.admin_tools.leaving import ask_identity
from affiliates.admin_tools.theme import register_page
from affiliates.brands.models.brand import Brand
from affiliates.payouts.papers.content import paper_of
from affiliates.payouts.papers.year import year_rows
from affiliates.payouts.statement_models import PayoutStatement


class YearForm(forms.Form):
    brand = forms.ModelChoiceField(
        Brand.objects.order_by("pk"), widget=widgets.Select, empty_label=None
    )
    year = forms.IntegerField(
        min_value=2000,
        max_value=2200,
        widget=widgets.IntegerInput,
        help_text="In which statements were issued, in the brand's time zone.",
    )


@register_page(PayoutStatement)
class PayoutStatementAdmin(AsksFirst, ReadOnlyAdmin):
    about = (
        "The numbered statement of each payout that was paid, and the credit note of each "
        "that came back. Their numbers have no gaps."
    )
    nothing_yet = "A row appears when a payout is confirmed as paid."
    actions_list: ClassVar[tuple[str, ...]] = ("year",)
    list_display = (
        "name",
        "brand",
        "kind",
        "of_payout",
        "affiliate",
        "worth",
        "issued",
    )
    list_filter = ("kind", "brand", "currency")
    list_select_related = ("brand", "payout__affiliate")
    search_fields = ("=name", "=payout__pk", "payout__affiliate__code")
    search_help_text = "Number, payout or affiliate's code"
    change_form_outer_before_template = "affiliates/admin/payout_statement.html"
    fields = (
        ("name", "kind"),
        ("brand", "affiliate"),
        ("of_payout", "worth"),
        "issued",
    )

    def beside(self, row: PayoutStatement) -> dict[str, Any]:
        return {"paper": paper_of(row)}

    @action(description="A year as CSV…", url_path="year", permissions=["view"])
    def year(self, request: HttpRequest) -> HttpResponse:
        """What the affiliates of a brand were paid in a year, for the accountant."""
        if asked := ask_identity(request):
            return asked
        last_year = timezone.localdate().year - 1
        form = YearForm(answer_of(request), initial={"year": last_year})
        question = Question(
            title="A year of statements as CSV",
            button="Save as CSV",
            paragraphs=["A row for each affiliate and currency."],
            form=form,
        )
        return self.ask_or_do(request, question, lambda: _year_file(form))

    affiliate = column("payout.affiliate", "Affiliate", show=page_link)
    of_payout = column("payout", "Payout", show=page_link)
    worth = row_column("Amount", row_money)
    issued = column("issued_at", "Issued", show=moment, ordering="id")


def _year_file(form: YearForm) -> HttpResponse:
    brand, year = form.cleaned_data["brand"], form.cleaned_data["year"]
    name = f"payouts-{year}-brand-{brand.pk}.csv"
    return HttpResponse(
        b"".join(csv_lines(year_rows(brand, year))),
        content_type=FORMATS["csv"],
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
