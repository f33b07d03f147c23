"""A brand: one storefront with its rules."""

from __future__ import annotations

from datetime import timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models

from affiliates.brands.links import LINK_PLACE
from affiliates.brands.models.change import RememberedModel
from affiliates.brands.models.contact import BrandContactFields
from affiliates.brands.models.fields import (
    BANNED_REFERRERS,
    CONSENT,
    OLD_ADDRESSES,
    PRIVACY_SIGNAL,
    DomainsField,
    addresses_field,
    bonus_limit_field,
    flagged_hold_field,
    months_field,
    rule_field,
    zone_field,
)
from affiliates.brands.models.link_addresses import LinkAddresses
from affiliates.brands.rules import (
    AttributionPolicy,
    AttributionTerms,
    BindingPolicy,
    BrandConfig,
    ClaimPolicy,
    ConsentRule,
    Font,
    Landing,
    OldAddress,
    PolicyVersion,
    PrivacyControl,
    addresses_in,
)
from affiliates.brands.targets import canonical_target
from affiliates.core.redirects import REDIRECT_PARAMETER
from affiliates.db.records import optional_text

MAX_COOKIE_DAYS = 400
MAX_STAND_DOWN_MINUTES = 24 * 60


class Brand(LinkAddresses, BrandContactFields, RememberedModel):
    """One storefront: its name, its rules, and where its visitors land.

    A change of its terms makes a version of them, in the same transaction.
    """

    name = models.CharField(max_length=100, unique=True)
    is_active = models.BooleanField(
        default=True,
        help_text="Inactive: answers no API call, and what its host reports credits nobody.",
    )
    is_test = models.BooleanField(
        "test brand",
        default=False,
        db_default=False,
        help_text=(
            "For trying things out: everything works as on every other brand, with "
            "books and numbers of its own, but statistics leave it out."
        ),
    )
    default_redirect_url = models.CharField(
        "default redirect URL",
        max_length=2048,
        help_text=(
            "The shop's first page, such as https://shop.example.com/. A visitor goes "
            "there when a link names no target or a forbidden one. Its host must be one "
            "of the domains below."
        ),
    )
    landing = models.CharField(
        max_length=20,
        choices=Landing.choices,
        default=Landing.DEFAULT_URL,
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
        choices=AttributionPolicy.choices,
        default=AttributionPolicy.LAST_CLICK,
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
    click_months = months_field("clicks of people")
    other_click_months = months_field(
        "clicks of robots, and repeats", help_text="In whole months, in the same way."
    )
    old_addresses = rule_field(OldAddress, help_text=OLD_ADDRESSES)
    own_program = models.BooleanField(
        "own affiliate program",
        default=True,
        help_text="Off: the brand's own links credit nobody.",
    )
    claim_policy = models.CharField(
        max_length=20,
        choices=ClaimPolicy.choices,
        default=ClaimPolicy.LATEST,
        help_text=(
            "Who gets a sale when an affiliate of the brand's own and the tracking "
            "integration both sent the client. One click that is both counts as the "
            "brand's own."
        ),
    )
    existing_clients_earn = models.BooleanField(
        default=False,
        help_text="On: later orders of a client who has paid before are credited too.",
    )
    bound_clients = models.CharField(
        "registered clients",
        max_length=20,
        choices=BindingPolicy.choices,
        default=BindingPolicy.KEEP,
        help_text="Whether a click after the registration may win the client's order.",
    )
    stand_down_minutes = models.PositiveSmallIntegerField(
        "checkout stand-down",
        default=30,
        validators=[MaxValueValidator(MAX_STAND_DOWN_MINUTES)],
        help_text=(
            "A click made after the basket began, or less than so many minutes before "
            "the order, never displaces another affiliate's earlier one. 0: off."
        ),
    )
    coupon_over_link = models.BooleanField(
        "coupon wins over link",
        default=True,
        help_text="An affiliate's coupon code on the order wins over every click.",
    )
    consent = rule_field(ConsentRule, help_text=CONSENT)
    privacy_control = rule_field(
        PrivacyControl, "Global Privacy Control", help_text=PRIVACY_SIGNAL
    )
    time_zone = zone_field(
        help_text=(
            "Where the brand's days, weeks and months begin: in its statistics and its "
            "schedules. Such as Europe/Berlin; empty: the site's own."
        ),
    )
    masks_clients = models.BooleanField(
        "affiliates see no client",
        default=True,
        db_default=True,
        help_text=(
            "On: affiliates read a…@e….org of the clients they sent, and of an invoice's "
            "lines the product. Off: name, e-mail address and the lines' own words."
        ),
    )
    colour = models.CharField(
        max_length=7,
        blank=True,
        default="",
        db_default="",
        validators=[RegexValidator(r"^#[0-9a-fA-F]{6}\Z", "Write it as #2457c5.")],
        help_text=(
            "Of buttons and links in the affiliate's area, such as #2457c5. Shades that "
            "can be read on light and on dark pages are made of it."
        ),
    )
    font = models.CharField(
        max_length=20,
        choices=Font.choices,
        default=Font.SYSTEM,
        db_default=Font.SYSTEM,
        help_text=(
            "Of the affiliate's area, the program page, statements and e-mails. Nothing "
            "is downloaded: a device without the first typeface takes a similar one."
        ),
    )
    staff_emails = addresses_field(
        "e-mail addresses of staff",
        help_text=(
            "Who reads of applications, payout requests, missing sales and integrations "
            "that are down. Several are divided by commas; empty: nobody."
        ),
    )
    banned_referrers = DomainsField(help_text=BANNED_REFERRERS)
    flagged_hold_days = flagged_hold_field()
    bonus_limit = bonus_limit_field()
    logo = optional_text(max_length=100, editable=False)
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
        """Checks all but the host of the default redirect URL: domains decide it."""
        self.link_place = self.link_place or LINK_PLACE
        if self.link_parameter.lower() == REDIRECT_PARAMETER:
            fault = "'redirect' names where a visit is to lead: choose another name, such as ref."
            raise ValidationError({"link_parameter": fault})
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

    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone or settings.TIME_ZONE)

    def staff_addresses(self) -> list[str]:
        return addresses_in(self.staff_emails)

    def terms(self) -> AttributionTerms:
        return AttributionTerms(
            policy=AttributionPolicy(self.attribution_policy),
            claim_policy=ClaimPolicy(self.claim_policy),
            window=timedelta(days=self.attribution_window_days),
            own_program=self.own_program,
            existing_clients_earn=self.existing_clients_earn,
            bound_clients=BindingPolicy(self.bound_clients),
            stand_down=timedelta(minutes=self.stand_down_minutes),
            coupon_over_link=self.coupon_over_link,
        )

    def to_config(self, latest: PolicyVersion | None = None) -> BrandConfig:
        """``latest`` is the brand's latest version, which may be of other terms."""
        terms = self.terms()
        version = latest if latest and latest.digest == terms.digest else None
        return BrandConfig(
            id=self.pk,
            name=self.name,
            default_redirect_url=self.default_redirect_url,
            landing=Landing(self.landing),
            link_parameter=self.link_parameter,
            link_place=self.link_place,
            colour=self.colour,
            font=Font(self.font),
            logo=self.logo,
            contact=self.contact(),
            terms=terms,
            policy_version_id=None if version is None else version.id,
            policy_version=None if version is None else version.number,
            cookie_lifetime=timedelta(days=self.cookie_lifetime_days),
            consent=ConsentRule(self.consent),
            privacy_control=PrivacyControl(self.privacy_control),
            require_https=self.require_https,
            is_active=self.is_active,
            domains=tuple(domain.to_entry() for domain in self.domains.all()),
        )
