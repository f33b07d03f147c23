"""Affiliates and their links."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models

from affiliates.adapter import get_adapter
from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import RememberedModel
from affiliates.brands.models.fields import zone_field
from affiliates.brands.targets import (
    LINK_PATH_PREFIX,
    canonical_target,
    host_of,
    is_permitted,
)
from affiliates.core.ids import LINK_HASH_LENGTH, new_affiliate_code, new_link_hash
from affiliates.core.language import gettext as _
from affiliates.integrations.selectors import parameters_of_brand
from affiliates.program.rules import AffiliateStatus
from affiliates.records import Record, staff_field

CODE_PATTERN = r"^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]\Z"
HASH_PATTERN = r"^[0-9a-f]{40}\Z"
MAX_NOTE = 2_000
MAX_REASON = 255
MERGED = "It was merged into {}: Approve, in the list, makes it one of its own again."
OTHER_BRAND = "This {} belongs to another brand: choose one of this brand."


class Affiliate(RememberedModel):
    """A client of the brand who sends visitors and is credited for their orders."""

    brand = models.ForeignKey(
        Brand, on_delete=models.PROTECT, related_name="affiliates"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="affiliate_profiles",
        verbose_name="client",
    )
    code = models.CharField(
        max_length=32,
        default=new_affiliate_code,
        validators=[
            RegexValidator(
                CODE_PATTERN,
                "Use 3 to 32 lower-case letters, digits and hyphens; "
                "no hyphen at either end.",
            )
        ],
        help_text="Short name for links such as ?ref=CODE.",
    )
    status = models.CharField(
        max_length=20,
        choices=AffiliateStatus.choices(),
        default=AffiliateStatus.PENDING,
        help_text="Only visits and orders of an active affiliate are credited.",
    )
    group = models.ForeignKey(
        "affiliates.AffiliateGroup",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="affiliates",
    )
    plan = models.ForeignKey(
        "affiliates.CommissionPlan",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="affiliates",
        help_text="Empty: the group's plan, or the brand's default plan.",
    )
    time_zone = zone_field(help_text="Of the times it reads. Empty: the brand's.")
    merged_into = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="merged",
        help_text="Whose its code, links and earlier clicks are from then on.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        permissions = [
            ("transfer_affiliate", "Can transfer what an affiliate has, and merge two")
        ]
        ordering = ["code"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "code"],
                name="affiliate_code_is_unique_in_brand",
                violation_error_message="Another affiliate of this brand has this code.",
            ),
            models.UniqueConstraint(
                fields=["brand", "user"],
                name="client_is_affiliate_once_per_brand",
                violation_error_message="This client is an affiliate of this brand already.",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=list(AffiliateStatus)),
                name="affiliate_status_is_known",
            ),
            models.CheckConstraint(
                condition=models.Q(merged_into__isnull=True)
                | models.Q(status=AffiliateStatus.SUSPENDED),
                name="merged_affiliate_is_suspended",
            ),
        ]
        indexes = [
            models.Index(
                fields=["brand"],
                condition=models.Q(status=AffiliateStatus.PENDING),
                name="affiliate_pending",
            ),
        ]

    def __str__(self) -> str:
        # The admin asks for the brand's name where there are several.
        brand = getattr(self, "told_apart_by", "")
        return f"{self.code} ({brand})" if brand else self.code

    @property
    def credited_as(self) -> Affiliate:
        """Whose its visits, clicks and orders are: whoever it was merged into, or itself."""
        return self.merged_into or self

    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone) if self.time_zone else self.brand.zone()

    def clean(self) -> None:
        if None in (self.user_id, self.brand_id):
            return
        faults = {}
        if self.merged_into is not None and self.status != AffiliateStatus.SUSPENDED:
            faults["status"] = MERGED.format(self.merged_into)
        if fault := self._client_fault():
            faults["user"] = fault
        if self.group is not None and self.group.brand_id != self.brand_id:
            faults["group"] = OTHER_BRAND.format("group")
        if self.plan is not None and self.plan.brand_id != self.brand_id:
            faults["plan"] = OTHER_BRAND.format("plan")
        if faults:
            raise ValidationError(faults)

    def _client_fault(self) -> str | None:
        client = get_adapter().get_client(str(self.user_id))
        if client is None:
            return "This is nobody's client: choose a client of the brand."
        if client.brand_id != self.brand_id:
            return OTHER_BRAND.format("client")
        if client.is_guest:
            return "This is a guest: it must complete its registration first."
        return None

    def url(self) -> str | None:
        """The client area's address with the affiliate's code, if there is one."""
        return _with_parameter(self.brand, self.code)


class AffiliateLink(RememberedModel):
    """An affiliate's link: ``/aff/<hash>``, or the hash as the brand's parameter."""

    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="links"
    )
    name = models.CharField(
        max_length=100, help_text="For the affiliate's own use, such as 'Blog footer'."
    )
    hash = models.CharField(
        max_length=LINK_HASH_LENGTH,
        unique=True,
        default=new_link_hash,
        editable=False,
        validators=[RegexValidator(HASH_PATTERN)],
    )
    old_code = models.CharField(
        max_length=32,
        blank=True,
        db_default="",
        default="",
        editable=False,
        help_text="What the system it was imported from called it: found by that too.",
    )
    target_url = models.CharField(
        "target URL",
        max_length=2048,
        blank=True,
        help_text="Where the link leads. Empty: the brand's default redirect URL.",
    )
    is_active = models.BooleanField(
        default=True, help_text="An inactive link credits nobody."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["affiliate", "name"]
        verbose_name = "affiliate link"
        indexes = [
            models.Index(
                fields=["old_code"],
                name="link_by_old_code",
                condition=~models.Q(old_code=""),
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.hash[:8]})"

    def clean(self) -> None:
        if not self.target_url or self.affiliate_id is None:
            return
        brand = self.affiliate.brand
        try:
            self.target_url = canonical_target(
                self.target_url,
                link_parameter=brand.link_parameter,
                require_https=brand.require_https,
                integration_parameters=parameters_of_brand(brand.pk),
            )
        except ValueError as error:
            raise ValidationError({"target_url": str(error)}) from None
        if not is_permitted(self.target_url, domains=brand.to_config().domains):
            fault = _(
                "{host} is no redirect target of {brand}: choose a page on one of its "
                "domains, or add the host to them."
            ).format(host=host_of(self.target_url), brand=brand)
            raise ValidationError({"target_url": fault})

    def urls(self) -> list[str]:
        """The link as a path and as a parameter of the client area, if there is one."""
        base = self.affiliate.brand.client_area_url()
        by_parameter = _with_parameter(self.affiliate.brand, self.hash)
        if base is None or by_parameter is None:
            return []
        return [f"{base}{LINK_PATH_PREFIX}{self.hash}", by_parameter]


class AffiliateNote(Record):
    """What staff want each other to know of an affiliate. Only ever added."""

    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="notes"
    )
    text = models.CharField(max_length=MAX_NOTE)
    author = staff_field()
    written_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"Note {self.pk} on {self.affiliate}"


class AffiliateTransfer(Record):
    """What one affiliate had was given to another. Only ever added.

    ``key`` is of the page it was asked for on: asked twice, it is done once.
    """

    source = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="transfers_away"
    )
    target = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="transfers_here"
    )
    key = models.UUIDField(unique=True)
    reason = models.CharField(max_length=MAX_REASON)
    given = models.JSONField(help_text="How many of what, and how much money.")
    actor = staff_field()
    at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(source=models.F("target")),
                name="transfer_is_to_another_affiliate",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} to {self.target}"


def _with_parameter(brand: Brand, value: str) -> str | None:
    base = brand.client_area_url()
    return None if base is None else f"{base}/?{brand.link_parameter}={value}"
