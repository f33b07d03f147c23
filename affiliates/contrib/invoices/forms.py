"""Forms for staff: a brand's invoice terms, and the reason of a refusal."""

from __future__ import annotations

from typing import ClassVar

from affiliates.admin_tools.forms import ModelForm
from affiliates.contrib.invoices.models import InvoiceTerms
from affiliates.payouts.forms import MinimumsField


class InvoiceTermsForm(ModelForm):
    needed_from = MinimumsField(
        required=False,
        help_text="The least payout that waits for the affiliate's own invoice, one "
        "currency a line, such as EUR 600. EUR 0: every payout in EUR. A currency that "
        "is not listed needs none.",
    )

    class Meta:
        model = InvoiceTerms
        fields: ClassVar = "__all__"
