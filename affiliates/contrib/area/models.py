"""The module where Django finds the models of the area."""

from __future__ import annotations

from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.contrib.area.looks.models import AreaLook

__all__ = ["AffiliateKey", "AreaLook"]
