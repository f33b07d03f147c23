"""The hosts that belong to a brand."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import models

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import RememberedModel
from affiliates.core.domains import (
    DomainEntry,
    canonical_host,
    international_name,
    is_public_suffix,
    split_host,
)

MAX_HOST_LENGTH = 255


class BrandDomain(RememberedModel):
    """A host of one brand. It belongs to no other brand."""

    brand = models.ForeignKey(Brand, on_delete=models.CASCADE, related_name="domains")
    host = models.CharField(
        max_length=MAX_HOST_LENGTH,
        unique=True,
        help_text=(
            "A bare host such as shop.example.com: pages on any port of it are its own. "
            "With a port, as in localhost:8000, only those on this one."
        ),
        error_messages={"unique": "This host belongs to a brand already."},
    )
    is_client_area = models.BooleanField(
        "client area",
        default=True,
        help_text="Pages on this host may call the API (its Origin names the brand).",
    )
    is_redirect_target = models.BooleanField(
        "redirect target",
        default=True,
        help_text="Affiliate links may send visitors to this host.",
    )
    include_subdomains = models.BooleanField(
        default=False, help_text="The redirect permission covers every subdomain too."
    )

    class Meta:
        ordering = ["host"]
        verbose_name = "domain"

    def __str__(self) -> str:
        """With the international name beside its ASCII form."""
        name = international_name(self.host)
        return f"{self.host} ({name})" if name else self.host

    def clean(self) -> None:
        if not self.host:
            return
        try:
            self.host = canonical_host(self.host)
        except ValueError as error:
            raise ValidationError({"host": str(error)}) from None
        if len(self.host) > MAX_HOST_LENGTH:
            raise ValidationError({"host": "This host is too long."})
        if self.include_subdomains and is_public_suffix(self.host):
            raise ValidationError(
                {
                    "include_subdomains": "Anybody can register a name below "
                    f"{self.host}: untick this, or enter a host of your own."
                }
            )
        owner = BrandDomain.objects.filter(host=self.host).exclude(
            brand_id=self.brand_id
        )
        taken = owner.select_related("brand").first()
        if taken is not None:
            raise ValidationError(
                {
                    "host": f"{self.host} belongs to the brand {taken.brand}: "
                    "remove it there first."
                }
            )

    def to_entry(self) -> DomainEntry:
        host, port = split_host(self.host)
        return DomainEntry(
            host=host,
            port=port,
            is_client_area=self.is_client_area,
            is_redirect_target=self.is_redirect_target,
            include_subdomains=self.include_subdomains,
        )
