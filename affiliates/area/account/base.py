"""What the pages of an affiliate's money and account have in common."""

from __future__ import annotations

from typing import Any

from django.template.response import TemplateResponse

from affiliates.area.account.words import WORDS
from affiliates.area.base import AreaPage


class AccountPage(AreaPage):
    def page(self, *, status: int = 200, **context: Any) -> TemplateResponse:
        return super().page(status=status, words=WORDS, **context)
