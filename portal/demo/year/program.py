"""Extends the empty demonstration's program for the year.

Adds two plans, coupons, staff, terms of payout and recruitment, and affiliates.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import Group
from moneyed import Money

from affiliates.brands import roles
from affiliates.brands.models.brand import Brand
from affiliates.contrib.recruitment.models import ApplicationQuestion, RecruitmentPolicy
from affiliates.contrib.recruitment.services.enrolling import (
    accept_terms,
    publish_terms,
)
from affiliates.payouts.models import PayoutTerms
from affiliates.payouts.services.destinations import change_destination
from affiliates.plans.models.coupon import CouponCode
from affiliates.plans.models.plan import CommissionPlan
from affiliates.plans.models.rule import PlanRule
from affiliates.plans.services import publish_coupon, publish_plan
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import AffiliateStatus
from affiliates.uploads.images import save_picture
from portal.clients.models import User
from portal.demo.accounts import AFFILIATE_EMAIL, FINANCE_EMAIL, put_user
from portal.demo.seeding.ibans import iban_of
from portal.demo.year.creatives import put_creatives
from portal.demo.year.people import SENDERS, Fortune, Plan, Sender
from portal.demo.year.pictures import draw_logo
from portal.demo.year.texts import (
    QUESTIONS,
    TERMS,
    TERMS_IN_GERMAN,
)
from portal.orders.catalogue import BillingCycle, Coupon, Product, ProductKind

# The brand, its policy and its plans are so much older than the year.
BEFORE_THE_YEAR = timedelta(days=30)
PLANS: dict[Plan, tuple[dict[str, Any], tuple[dict[str, Any], ...]]] = {
    Plan.AGENCIES: (
        {"approves_itself": False, "recruiter_percent": Decimal(10)},
        (
            {"kind": "hosting", "percent": Decimal(25), "position_to": 24},
            {"percent": Decimal(15), "position_to": 0},
        ),
    ),
    Plan.CREATORS: (
        {"cap_period": "month", "cap_amounts": {"EUR": "60.00"},
         "joining_bonus": {"EUR": "10.00"}, "allows_paid_ads": False},
        (
            {"kind": "hosting", "percent": Decimal(15), "position_to": 0,
             "tier_period": "month",
             "tiers": [{"unit": "sales", "from": "3", "percent": "20"},
                       {"unit": "sales", "from": "6", "percent": "25"}]},
            {"percent": Decimal(10), "position_to": 0},
        ),
    ),
}  # fmt: skip
# The code, its affiliate and the client's discount in percent.
COUPONS = (("KAI15", "codewithkai", 15), ("TECHTV", "techreviewtv", 10))
TRIAL_CODE = "TRIAL"
# What the first affiliate shares beside the link that is printed.
MORE_LINKS = ("Newsletter", "Article on backups")
# Whose logins are printed beside the first one's, and what they are.
PRINTED = {
    "compare-hosts": "an affiliate with rejected commissions and a returned payout",
    "codewithkai": "a video channel, paid by tiers",
    "pixelwerk": "an agency that recruits others",
    "foto-elena": "an affiliate who owes what a refund took back after a payout",
    "laufblog": "an affiliate that never started",
}
BRAND_COLOUR = "#0b6b50"


@dataclass(kw_only=True)
class Program:
    brand: Brand
    origin: str
    products: dict[str, Product]
    plans: dict[Plan, CommissionPlan]
    admin: User
    finance: User
    affiliates: dict[str, Affiliate]


def extend_program(brand: Brand, *, began_at: datetime) -> Program:
    """The program as of ``began_at``; its affiliates join later."""
    logo = save_picture(draw_logo(brand.name, BRAND_COLOUR))
    Brand.objects.filter(pk=brand.pk).update(colour=BRAND_COLOUR, logo=logo)
    brand.refresh_from_db()
    _extend_payouts(brand)
    _recruit(brand, began_at=began_at)
    put_creatives(brand, BRAND_COLOUR)
    plans = {Plan.STANDARD: CommissionPlan.objects.get(brand=brand, is_default=True)}
    for plan, (values, rules) in PLANS.items():
        plans[plan] = _put_plan(brand, plan, values, rules, now=began_at)
    CommissionPlan.objects.filter(brand=brand).update(created_at=began_at)
    Product.objects.create(
        brand=brand,
        sku="business-annually-usd",
        name="Business",
        description="Billed in US dollars.",
        kind=ProductKind.HOSTING,
        billing_cycle=BillingCycle.ANNUALLY,
        price=Money("99.00", "USD"),
        tax_rate=0,
        position=100,
    )
    Coupon.objects.create(brand=brand, code=TRIAL_CODE, percent_off=100)
    return Program(
        brand=brand,
        origin=brand.default_redirect_url.rstrip("/"),
        products={
            product.sku: product for product in Product.objects.filter(brand=brand)
        },
        plans=plans,
        admin=User.objects.get(brand=None, is_superuser=True),
        finance=_put_staff(FINANCE_EMAIL, "Miriam", "Engels", roles.FINANCE),
        affiliates={},
    )


def _extend_payouts(brand: Brand) -> None:
    terms = PayoutTerms.objects.get(brand=brand)
    terms.change(
        kinds=["wallet", "paypal", "bank", "offline"],
        minimums={"EUR": 5000, "USD": 5000},
        debtor_name=brand.name,
        debtor_iban="DE89370400440532013000",
        debtor_bic="COBADEFFXXX",
        issuer=f"{brand.name} GmbH\nHafenstrasse 12\n20457 Hamburg\nDE123456789",
        tax_note="Self-billing. Reverse charge.",
    )


def _recruit(brand: Brand, *, began_at: datetime) -> None:
    RecruitmentPolicy.objects.create(
        brand=brand, terms=TERMS, translations={"de": TERMS_IN_GERMAN}
    )
    publish_terms(brand.pk, now=began_at)
    for position, (text, german) in enumerate(QUESTIONS):
        ApplicationQuestion.objects.create(
            brand=brand,
            text=text,
            translations={"de": german},
            is_required=not position,
            position=position,
        )


def _put_plan(
    brand: Brand,
    plan: Plan,
    values: dict[str, Any],
    rules: tuple[dict[str, Any], ...],
    *,
    now: datetime,
) -> CommissionPlan:
    row = CommissionPlan(brand=brand, name=plan.value, **values)
    row.full_clean()
    row.save()
    for values_of_rule in rules:
        rule = PlanRule(plan=row, **values_of_rule)
        rule.full_clean()
        rule.save()
    publish_plan(row, now=now)
    return row


def _put_staff(email: str, firstname: str, lastname: str, role: str) -> User:
    user = put_user(
        {"brand": None, "email": email},
        {"firstname": firstname, "lastname": lastname, "is_staff": True},
    )
    user.groups.set(Group.objects.filter(name=roles.group_name(role)))
    return user


def join(program: Program, sender: Sender, *, now: datetime) -> Affiliate:
    """The affiliate with its link and the way it is paid."""
    user = _put_client(program.brand, sender, now=now)
    is_first = sender is SENDERS[0]
    if is_first:
        affiliate = Affiliate.objects.get(brand=program.brand, code=sender.code)
    else:
        affiliate = Affiliate(
            brand=program.brand,
            user=user,
            code=sender.code,
            status=AffiliateStatus.ACTIVE,
            recruiter=program.affiliates.get(sender.recruiter),
        )
    affiliate.plan = (
        None if sender.plan is Plan.STANDARD else program.plans[sender.plan]
    )
    affiliate.save()
    Affiliate.objects.filter(pk=affiliate.pk).update(created_at=now)
    for name in MORE_LINKS if is_first else [sender.site.removeprefix("www.")]:
        AffiliateLink.objects.create(
            affiliate=affiliate, name=name, target_url=f"{program.origin}/plans"
        )
    affiliate.links.update(created_at=now)
    accept_terms(affiliate, number=1, now=now)
    if sender.fortune is not Fortune.NEVER:
        change_destination(
            affiliate_id=affiliate.pk,
            kind=sender.paid_by,
            values=_destination(sender),
            now=now,
        )
    program.affiliates[sender.code] = affiliate
    for code, owner, percent in COUPONS:
        if owner == sender.code:
            _put_coupon(affiliate, code, percent, now=now)
    return affiliate


def accounts() -> dict[str, str]:
    """The e-mail addresses with a password that the year adds, and whose they are."""
    affiliates = {
        email_of(sender): PRINTED[sender.code]
        for sender in SENDERS
        if sender.code in PRINTED
    }
    return {FINANCE_EMAIL: "staff who pay", **affiliates}


def email_of(sender: Sender) -> str:
    if sender is SENDERS[0]:
        return AFFILIATE_EMAIL
    name, _, _ = sender.firstname.lower().partition(" ")
    host, slash, _ = sender.site.partition("/")
    return f"{name}@{sender.code}.example" if slash else f"{name}@{host}"


def _put_client(brand: Brand, sender: Sender, *, now: datetime) -> User:
    key = {"brand": brand, "email": email_of(sender), "is_guest": False}
    names = {"firstname": sender.firstname, "lastname": sender.lastname}
    if sender is SENDERS[0] or sender.code in PRINTED:
        user = put_user(key, names)
    else:
        user = User(**key, **names)
        user.set_unusable_password()
        user.save(force_insert=True)
    User.objects.filter(pk=user.pk).update(created_at=now)
    return user


def _destination(sender: Sender) -> dict[str, str]:
    if sender.paid_by == "paypal":
        return {"email": email_of(sender)}
    if sender.paid_by == "bank":
        return {
            "account_holder": f"{sender.firstname} {sender.lastname}",
            "iban": iban_of(sender.code),
        }
    if sender.paid_by == "offline":
        return {"agreement": "Donated to the association, by invoice."}
    return {}


def _put_coupon(
    affiliate: Affiliate, code: str, percent: int, *, now: datetime
) -> None:
    Coupon.objects.create(brand=affiliate.brand, code=code, percent_off=percent)
    row = CouponCode.objects.create(
        brand=affiliate.brand, code=code, affiliate=affiliate
    )
    publish_coupon(row, now=now)
