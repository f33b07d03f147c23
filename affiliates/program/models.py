"""Affiliates and their links."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext as _

from affiliates.adapter import get_adapter
from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import RememberedModel
from affiliates.brands.models.fields import zone_field
from affiliates.brands.targets import (
    canonical_target,
    host_of,
    is_permitted,
)
from affiliates.core.ids import LINK_HASH_LENGTH, new_affiliate_code, new_link_hash
from affiliates.db.accounts import AccountField, protect_unless_erased
from affiliates.db.records import optional_text
from affiliates.outbox.active import parameters_of_brand
from affiliates.program.rules import CODE, AffiliateStatus
from affiliates.program.slug_models import SLUG_CONSTRAINTS, Slugged, retired_among

MERGED = "It was merged into {}: Approve, in the list, makes it one of its own again."
CODE_TAKEN = "Another affiliate of this brand has this code."
OTHER_BRAND = "This {} belongs to another brand: choose one of this brand."


class Affiliate(RememberedModel):
    """A client of the brand who sends visitors and is credited for their orders."""

    brand = models.ForeignKey(
        Brand, on_delete=models.PROTECT, related_name="affiliates"
    )
    user = AccountField(
        settings.AUTH_USER_MODEL,
        on_delete=protect_unless_erased,
        related_name="affiliate_profiles",
        verbose_name="client",
    )
    code = models.CharField(
        max_length=32,
        default=new_affiliate_code,
        validators=[
            RegexValidator(
                rf"^{CODE.pattern}\Z",
                "Use 3 to 32 lower-case letters, digits, hyphens, dots and underscores; "
                "no hyphen or dot at either end. Words such as null are reserved.",
            )
        ],
        help_text="Short name for links such as ?ref=CODE.",
    )
    status = models.CharField(
        max_length=20,
        choices=AffiliateStatus.choices,
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
    recruiter = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="recruited",
        help_text="Who brought it: gets its plan's share of what it earns from now on.",
    )
    cools_off_until = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="No payout before: the client's password or e-mail address changed.",
    )
    declined_at = models.DateTimeField(null=True, editable=False)
    erased_at = models.DateTimeField(null=True, editable=False)
    is_erased = property(lambda self: self.erased_at is not None)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        permissions = [
            ("transfer_affiliate", "Can transfer what an affiliate has, and merge two"),
            ("export_person", "Can export what is stored of a person"),
        ]
        ordering = ["code"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "code"],
                name="affiliate_code_is_unique_in_brand",
                violation_error_message=CODE_TAKEN,
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
            models.CheckConstraint(
                condition=models.Q(user__isnull=False), name="affiliate_has_an_account"
            ),
            # A trigger requires a recruiter of the same brand, not recruited by it.
            models.CheckConstraint(
                condition=~models.Q(recruiter=models.F("pk")),
                name="nobody_recruits_themselves",
                violation_error_message="Nobody recruits themselves.",
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
        # The admin annotates the brand's name if there are several brands.
        brand = getattr(self, "told_apart_by", "")
        return f"{self.code} ({brand})" if brand else self.code

    @property
    def credited_as(self) -> Affiliate:
        """The owner of its visits, clicks and orders: its merge target, or itself."""
        return self.merged_into or self

    @property
    def has_left(self) -> bool:
        return self.status == AffiliateStatus.LEFT

    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone) if self.time_zone else self.brand.zone()

    @property
    def sharer(self) -> Affiliate | None:
        """Who gets a share of its earnings now: its recruiter, while active."""
        if self.recruiter is None:
            return None
        sharer = self.recruiter.credited_as
        is_other = sharer not in (self, self.credited_as)
        return sharer if is_other and sharer.status == AffiliateStatus.ACTIVE else None

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
        if fault := self._recruiter_fault():
            faults["recruiter"] = fault
        named = AffiliateLink.objects.filter(slug_brand=self.brand, slug=self.code)
        if named.exclude(affiliate_id=self.pk).exists():
            faults["code"] = "Another affiliate's link has this name."
        elif retired_among([self.code], brand_id=self.brand_id):
            faults["code"] = CODE_TAKEN
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

    def _recruiter_fault(self) -> str | None:
        if self.recruiter is None:
            return None
        if self.recruiter.brand_id != self.brand_id:
            return OTHER_BRAND.format("recruiter")
        above = (self.recruiter_id, self.recruiter.recruiter_id)
        if not self._state.adding and self.pk in above:
            return "Nobody recruits themselves, or their own recruiter."
        return None

    def url(self) -> str | None:
        """The client area's address with the affiliate's code, if there is one."""
        return self.brand.url_with(self.code)


class AffiliateLink(Slugged):
    """A link: ``/aff/<hash or slug>``, or either as the brand's parameter."""

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
        validators=[RegexValidator(r"^[0-9a-f]{40}\Z")],
    )
    old_code = optional_text(
        max_length=32,
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
        constraints = SLUG_CONSTRAINTS

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
                "domains."
            ).format(host=host_of(self.target_url), brand=brand)
            raise ValidationError({"target_url": fault})

    def urls(self) -> list[str]:
        """The link as a path and as a parameter of the client area, if there is one."""
        brand = self.affiliate.brand
        by_path = brand.link_url(self.slug_in_use or self.hash)
        by_parameter = brand.url_with(self.hash)
        return [url for url in (by_path, by_parameter) if url is not None]
