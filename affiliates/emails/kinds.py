"""Every kind of e-mail: when it is sent, its subject, whether it can be turned off.

The text of a kind is the template ``affiliates/emails/<kind>.txt``, filled from the same
values as the subject; ``sample`` holds such values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from affiliates.emails.types import EmailKind, moment, money, month, named

EUR = money(12_50, "EUR")
PAYPAL = named("PayPal", "a…@example.org")
MEMBERSHIP = _("It says whether you take part.")
SALE: Mapping[str, Any] = {"order": "ORDER-1042", "net": money(125_00, "EUR")}


@dataclass(frozen=True, slots=True)
class KindOfEmail:
    """``about`` says when it is sent, for the page on which affiliates choose.

    ``always`` says why a kind that affiliates always get cannot be turned off.
    ``is_sent_once`` marks events that happen to an affiliate once.
    """

    about: str | Promise
    subject: str | Promise
    sample: Mapping[str, Any] = field(default_factory=dict)
    always: str | Promise = ""
    is_for_staff: bool = False
    is_sent_once: bool = False

    @property
    def is_optional(self) -> bool:
        return not (self.always or self.is_for_staff)


KINDS: Mapping[EmailKind, KindOfEmail] = MappingProxyType(
    {
        EmailKind.APPLIED: KindOfEmail(
            _("You have applied"),
            _("%(brand)s: your application has arrived"),
            always=MEMBERSHIP,
        ),
        EmailKind.APPROVED: KindOfEmail(
            _("Your application is approved"),
            _("%(brand)s: you are an affiliate now"),
            {"code": "ada", "url": "https://shop.example.com/?ref=ada"},
            always=MEMBERSHIP,
        ),
        EmailKind.DECLINED: KindOfEmail(
            _("Your application is declined"),
            _("%(brand)s: your application was declined"),
            {"reason": "Your site sells what we do not allow."},
            always=MEMBERSHIP,
        ),
        EmailKind.FIRST_REFERRAL: KindOfEmail(
            _("The first client you sent has registered"),
            _("%(brand)s: your first referral"),
            is_sent_once=True,
        ),
        EmailKind.SALE: KindOfEmail(
            _("A sale is credited to you"),
            _("%(brand)s: a sale is credited to you"),
            {**SALE, "commission": EUR},
        ),
        EmailKind.COMMISSION_APPROVED: KindOfEmail(
            _("A commission of yours is approved"),
            _("%(brand)s: a commission of %(left)s is approved"),
            {**SALE, "left": EUR},
        ),
        EmailKind.REVERSAL: KindOfEmail(
            _("A commission of yours is taken back, wholly or in part"),
            _("%(brand)s: a commission was taken back"),
            {**SALE, "reason": "refund", "taken": EUR, "left": money(0, "EUR")},
        ),
        EmailKind.RESTORATION: KindOfEmail(
            _("A commission of yours is given back, wholly or in part"),
            _("%(brand)s: a commission was given back"),
            {**SALE, "given_back": EUR, "left": EUR},
        ),
        EmailKind.PAYOUT_REQUESTED: KindOfEmail(
            _("A payout is asked for"),
            _("%(brand)s: a payout of %(amount)s was asked for"),
            {"payout": 17, "amount": EUR, "destination": PAYPAL},
        ),
        EmailKind.PAID: KindOfEmail(
            _("A payout is paid"),
            _("%(brand)s: your payout of %(amount)s is paid"),
            {"payout": 17, "amount": EUR, "destination": PAYPAL},
        ),
        EmailKind.PAYOUT_REJECTED: KindOfEmail(
            _("A payout is rejected"),
            _("%(brand)s: your payout of %(amount)s was rejected"),
            {
                "payout": 17,
                "amount": EUR,
                "reason": "The account does not exist.",
            },
        ),
        EmailKind.DESTINATION_CHANGED: KindOfEmail(
            _("Where your payouts go is changed"),
            _("%(brand)s: where your affiliate payouts go was changed"),
            {
                "before": PAYPAL,
                "destination": named("Bank transfer (SEPA)", "DE… 3000"),
                "usable_from": moment(datetime(2026, 3, 8, 12, tzinfo=UTC)),
            },
            always=_("So that nobody else redirects your money unnoticed."),
        ),
        EmailKind.CREDENTIALS_CHANGED: KindOfEmail(
            _("Your password or e-mail address is changed, or your keys end"),
            _("%(brand)s: the access to your account was changed"),
            {
                "change": "email",
                "at": moment(datetime(2026, 3, 1, 12, tzinfo=UTC)),
                "is_by_staff": True,
                "keys": 2,
                "paid_from": moment(datetime(2026, 3, 8, 12, tzinfo=UTC)),
            },
            always=_("So that nobody else uses your account unnoticed."),
        ),
        EmailKind.TRANSFERRED: KindOfEmail(
            _("What you have is given to another affiliate"),
            _("%(brand)s: what you have was given to another affiliate"),
            {
                "target": "grace",
                "at": moment(datetime(2026, 3, 1, 12, tzinfo=UTC)),
                "reason": "Both accounts are yours.",
                "amounts": [EUR],
                "is_merged": True,
            },
            always=_("So that nobody takes what is yours unnoticed."),
        ),
        EmailKind.CLAIM_ANSWERED: KindOfEmail(
            _("A missing sale that you have reported is decided"),
            _("%(brand)s: your missing sale was answered"),
            {"claim": "ORDER-1042", "is_granted": True, "answer": "It is yours now."},
        ),
        EmailKind.MONTHLY_SUMMARY: KindOfEmail(
            _("A month in which something came by you is over"),
            _("%(brand)s: your %(month)s"),
            {
                "month": month(date(2026, 2, 1)),
                "clicks": 420,
                "signups": 12,
                "orders": 7,
                "sales": 6,
                "amounts": [{"revenue": money(750_00, "EUR"), "commission": EUR}],
            },
        ),
        EmailKind.STAFF_APPLICATION: KindOfEmail(
            _("Somebody has applied"),
            _("%(brand)s: %(affiliate)s has applied"),
            {"affiliate": "ada", "client": "ada@example.org"},
            is_for_staff=True,
        ),
        EmailKind.STAFF_PAYOUT: KindOfEmail(
            _("An affiliate asks for a payout"),
            _("%(brand)s: %(affiliate)s asks for a payout of %(amount)s"),
            {"affiliate": "ada", "payout": 17, "amount": EUR},
            is_for_staff=True,
        ),
        EmailKind.STAFF_CLAIM: KindOfEmail(
            _("An affiliate misses a sale"),
            _("%(brand)s: %(affiliate)s misses a sale"),
            {"affiliate": "ada", "claim": "ORDER-1042", "note": "It was by my link."},
            is_for_staff=True,
        ),
        EmailKind.STAFF_INTEGRATION: KindOfEmail(
            _("An integration has not answered for half an hour"),
            _("%(brand)s: %(integration)s does not answer"),
            {"integration": "Tapfiliate", "failures": 42, "reason": "HTTP 503."},
            is_for_staff=True,
        ),
    }
)


def optional_kinds() -> list[EmailKind]:
    return [kind for kind, known in KINDS.items() if known.is_optional]
