"""Admin pages of a host in the style of these."""

from __future__ import annotations

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import (
    LookOnly,
    ModelAdmin,
    OnlyWhatIsPossible,
    TabularInline,
    action,
)
from affiliates.admin_tools.columns import column, moment
from affiliates.admin_tools.confirmation import AsksFirst, Question, answer_of
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter

__all__ = [
    "AsksFirst",
    "DaysFilter",
    "LookOnly",
    "ModelAdmin",
    "OnlyWhatIsPossible",
    "Question",
    "TabularInline",
    "action",
    "answer_of",
    "column",
    "moment",
    "search",
    "widgets",
]
