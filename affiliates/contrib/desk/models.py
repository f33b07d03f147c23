"""The module where Django finds the models of the desk."""

from __future__ import annotations

from affiliates.contrib.desk.brand_choice.models import LastBrand
from affiliates.contrib.desk.exports.models import SavedList

__all__ = ["LastBrand", "SavedList"]
