"""Brands and the domains that belong to them."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models

from affiliates.brands.rules import AttributionPolicy, BrandConfig, Landing
from affiliates.brands.targets import canonical_target
from affiliates.core.domains import (
    DomainEntry,
    canonical_host,
    is_public_suffix,
    split_host,
)
from affiliates.core.redirects import REDIRECT_PARAMETER

MAX_COOKIE_DAYS = 400
MAX_HOST_LENGTH = 255


class Brand(models.Model):
    """One storefront: its name, its rules, and where its visitors land."""

    name = models.CharField(max_length=100, unique=True)
    is_active = models.BooleanField(
        default=True,
        help_text="An inactive brand answers no API call from its domains.",
    )
    default_redirect_url = models.CharField(
        "default redirect URL",
        max_length=2048,
        help_text=(
            "Where a visitor goes when a link names no target or a forbidden one. "
            "Its host must be one of the domains below."
        ),
    )
    landing = models.CharField(
        max_length=20,
        choices=Landing.choices(),
        default=Landing.DEFAULT_URL.value,
        help_text="What happens to a visitor whose link names no target.",
    )
    link_parameter = models.CharField(
        max_length=32,
        default="ref",
        validators=[RegexValidator(r"^[A-Za-z][A-Za-z0-9_-]*\Z")],
        help_text="Query parameter of the brand's own links, as in ?ref=CODE.",
    )
    attribution_policy = models.CharField(
        max_length=20,
        choices=AttributionPolicy.choices(),
        default=AttributionPolicy.LAST_CLICK.value,
        help_text="Who is credited when several affiliates sent the same visitor.",
    )
    attribution_window_days = models.PositiveSmallIntegerField(
        default=90,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_COOKIE_DAYS)],
        help_text="A click older than this many days earns nothing.",
    )
    cookie_lifetime_days = models.PositiveSmallIntegerField(
        default=90,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_COOKIE_DAYS)],
        help_text="Lifetime of a new referral cookie. Browsers keep none beyond 400 days.",
    )
    own_program = models.BooleanField(
        "own affiliate program",
        default=True,
        help_text="Off: the brand's own links credit nobody.",
    )
    existing_clients_earn = models.BooleanField(
        default=False,
        help_text="On: later orders of a client who has paid before are credited too.",
    )
    require_https = models.BooleanField(
        "redirect to https only",
        default=False,
        help_text="Recommended in production. Off while developing on http.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    attribution_window_days__gte=1,
                    attribution_window_days__lte=MAX_COOKIE_DAYS,
                ),
                name="brand_window_is_1_to_400_days",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    cookie_lifetime_days__gte=1,
                    cookie_lifetime_days__lte=MAX_COOKIE_DAYS,
                ),
                name="brand_cookie_lives_1_to_400_days",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Everything but the host of the default redirect URL, which the domains decide."""
        if self.link_parameter == REDIRECT_PARAMETER:
            raise ValidationError(
                {
                    "link_parameter": "'redirect' names where a visit is to lead: "
                    "choose another name, such as ref."
                }
            )
        if not self.default_redirect_url:
            return
        try:
            self.default_redirect_url = canonical_target(
                self.default_redirect_url,
                link_parameter=self.link_parameter,
                require_https=self.require_https,
            )
        except ValueError as error:
            raise ValidationError({"default_redirect_url": str(error)}) from None

    def client_area_url(self) -> str | None:
        """The first client area's address without a path, https unless it has a port."""
        for domain in self.domains.all():
            if domain.is_client_area:
                scheme = "http" if domain.to_entry().port else "https"
                return f"{scheme}://{domain.host}"
        return None

    def to_config(self) -> BrandConfig:
        return BrandConfig(
            id=self.pk,
            name=self.name,
            default_redirect_url=self.default_redirect_url,
            landing=Landing(self.landing),
            link_parameter=self.link_parameter,
            attribution_policy=AttributionPolicy(self.attribution_policy),
            attribution_window=timedelta(days=self.attribution_window_days),
            cookie_lifetime=timedelta(days=self.cookie_lifetime_days),
            own_program=self.own_program,
            existing_clients_earn=self.existing_clients_earn,
            require_https=self.require_https,
            domains=tuple(domain.to_entry() for domain in self.domains.all()),
        )


class BrandDomain(models.Model):
    """A host of one brand. It belongs to no other brand."""

    brand = models.ForeignKey(Brand, on_delete=models.CASCADE, related_name="domains")
    host = models.CharField(
        max_length=MAX_HOST_LENGTH,
        unique=True,
        help_text="A bare host such as shop.example.com, or host:port while developing.",
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
        default=False,
        help_text="The redirect permission covers every subdomain too.",
    )

    class Meta:
        ordering = ["host"]
        verbose_name = "domain"

    def __str__(self) -> str:
        return self.host

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


class ConfigVersion(models.Model):
    """One row whose token changes whenever brands, domains, affiliates or links do.

    The token is random, not a counter: two histories never share one, so a process
    cannot mistake a rolled-back state for the present one.
    """

    SINGLETON = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=SINGLETON)
    token = models.UUIDField(default=uuid.uuid4)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(id=1), name="config_version_is_one_row"
            ),
        ]

    def __str__(self) -> str:
        return str(self.token)
