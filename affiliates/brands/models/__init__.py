"""Brands, the domains that belong to them, and the versions of their policy."""

from __future__ import annotations

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import ConfigChange, RememberedModel
from affiliates.brands.models.domain import BrandDomain
from affiliates.brands.models.versions import AttributionPolicyVersion

__all__ = [
    "AttributionPolicyVersion",
    "Brand",
    "BrandDomain",
    "ConfigChange",
    "RememberedModel",
]
