"""Every kind of e-mail: when it is sent, its subject, whether it can be turned off.

The text of a kind is the template ``affiliates/emails/<kind>.txt``, filled from the same
values as the subject; ``preview/values.py`` has examples of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from affiliates.emails.types import EmailDelivery, EmailKind

MEMBERSHIP = _("It tells you whether you take part in the program.")
REDIRECTED = _("So that nobody can redirect your money unnoticed.")
IN_DIGEST = (
    EmailDelivery.DAILY,
    EmailDelivery.WEEKLY,
    EmailDelivery.AT_ONCE,
    EmailDelivery.NEVER,
)


class EmailButton(NamedTuple):
    """Opens a page: the area's of this name, or the desk's of this model's row.

    ``row`` names the value that holds the row's key, ``query`` those of the page's
    parameters. ``page`` may contain values, as in ``{model}``.
    """

    label: str | Promise
    page: str
    row: str = ""
    query: Sequence[str] = ()


class Figure(NamedTuple):
    """The amount shown large: ``value`` is the name of one or of a list of them."""

    caption: str | Promise
    value: str


SEE_COMMISSION = EmailButton(_("See the commission"), "commission", "commission_id")
SEE_DESTINATION = EmailButton(_("See where your payouts go"), "destination")
SEE_PAYOUT = EmailButton(_("See the payout"), "payout", "payout")


@dataclass(frozen=True, slots=True)
class KindOfEmail:
    """``about`` says when it is sent, for the page on which affiliates choose.

    ``always`` says why a kind that affiliates always get cannot be turned off.
    ``is_sent_once`` marks events that happen to an affiliate once. ``sums`` are the
    amounts that a digest adds up: a kind without them is in no digest.
    """

    about: str | Promise
    subject: str | Promise
    button: EmailButton
    figure: Figure | None = None
    sums: Sequence[str] = ()
    always: str | Promise = ""
    is_for_staff: bool = False
    is_sent_once: bool = False

    @property
    def is_optional(self) -> bool:
        return not (self.always or self.is_for_staff)

    @property
    def deliveries(self) -> Sequence[EmailDelivery]:
        """The deliveries that an affiliate may choose; the first is the default."""
        if self.sums:
            return IN_DIGEST
        return [
            EmailDelivery.AT_ONCE,
            *([EmailDelivery.NEVER] if self.is_optional else []),
        ]

    def facts(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The amount and the keys of what it is about: no personal data."""
        names = {"invoice", self.button.row, *self.button.query}
        if self.figure:
            names.add(self.figure.value)
        return {name: value for name, value in values.items() if name in names}


KINDS: Mapping[EmailKind, KindOfEmail] = MappingProxyType(
    {
        EmailKind.APPLIED: KindOfEmail(
            _("You have applied"),
            _("%(brand)s: we have received your application"),
            button=EmailButton(_("See your application"), "dashboard"),
            always=MEMBERSHIP,
        ),
        EmailKind.APPROVED: KindOfEmail(
            _("Your application is approved"),
            _("%(brand)s: you are an affiliate now"),
            button=EmailButton(_("Open your overview"), "dashboard"),
            always=MEMBERSHIP,
        ),
        EmailKind.DECLINED: KindOfEmail(
            _("Your application is declined"),
            _("%(brand)s: your application was declined"),
            button=EmailButton(_("See your application"), "dashboard"),
            always=MEMBERSHIP,
        ),
        EmailKind.LEFT: KindOfEmail(
            _("You have left the program"),
            _("%(brand)s: you have left the program"),
            button=EmailButton(_("See what is still paid"), "leave"),
            always=MEMBERSHIP,
        ),
        EmailKind.FIRST_REFERRAL: KindOfEmail(
            _("The first client you sent has registered"),
            _("%(brand)s: your first referral"),
            button=EmailButton(_("See the clients you sent"), "referrals"),
            is_sent_once=True,
        ),
        EmailKind.SALE: KindOfEmail(
            _("A sale is credited to you"),
            _("%(brand)s: you made a sale"),
            button=EmailButton(_("See the order"), "order", "order_id"),
            figure=Figure(_("Your commission"), "commission"),
            sums=("net", "commission"),
        ),
        EmailKind.COMMISSION_APPROVED: KindOfEmail(
            _("One of your commissions is approved"),
            _("%(brand)s: a commission of %(left)s is approved"),
            button=SEE_COMMISSION,
            figure=Figure(_("Approved"), "left"),
            sums=("left",),
        ),
        EmailKind.REVERSAL: KindOfEmail(
            _("One of your commissions is taken back, wholly or in part"),
            _("%(brand)s: a commission was reversed"),
            button=SEE_COMMISSION,
            figure=Figure(_("Reversed"), "taken"),
            sums=("taken",),
        ),
        EmailKind.RESTORATION: KindOfEmail(
            _("A reversed commission is given back, wholly or in part"),
            _("%(brand)s: a commission was restored"),
            button=SEE_COMMISSION,
            figure=Figure(_("Restored"), "given_back"),
            sums=("given_back",),
        ),
        EmailKind.DIGEST: KindOfEmail(
            _("Your sales and commissions, together"),
            _("%(brand)s: your sales and commissions"),
            button=EmailButton(_("See your commissions"), "commissions"),
            figure=Figure(_("Your commission"), "earned"),
        ),
        EmailKind.PAYOUT_REQUESTED: KindOfEmail(
            _("A payout is requested"),
            _("%(brand)s: a payout of %(amount)s was requested"),
            button=SEE_PAYOUT,
            figure=Figure(_("Requested"), "amount"),
        ),
        EmailKind.PAID: KindOfEmail(
            _("A payout is paid"),
            _("%(brand)s: your payout of %(amount)s is paid"),
            button=SEE_PAYOUT,
            figure=Figure(_("Paid"), "amount"),
        ),
        EmailKind.PAYOUT_REJECTED: KindOfEmail(
            _("A payout is rejected"),
            _("%(brand)s: your payout of %(amount)s was rejected"),
            button=SEE_PAYOUT,
            figure=Figure(_("Rejected"), "amount"),
        ),
        EmailKind.PAYOUT_RETURNED: KindOfEmail(
            _("A payout came back"),
            _("%(brand)s: your payout of %(amount)s came back"),
            button=SEE_PAYOUT,
            figure=Figure(_("Returned"), "amount"),
        ),
        EmailKind.INVOICE_NEEDED: KindOfEmail(
            _("A payout waits for your invoice"),
            _("%(brand)s: send an invoice for your payout of %(amount)s"),
            button=SEE_PAYOUT,
            figure=Figure(_("Your invoice"), "amount"),
            always=_("Without the invoice nothing is paid."),
        ),
        EmailKind.DESTINATION_SET: KindOfEmail(
            _("Your first payout destination is set"),
            _("%(brand)s: your payout destination is set"),
            button=SEE_DESTINATION,
            always=REDIRECTED,
        ),
        EmailKind.DESTINATION_CHANGED: KindOfEmail(
            _("Your payout destination is changed"),
            _("%(brand)s: your payout destination was changed"),
            button=SEE_DESTINATION,
            always=REDIRECTED,
        ),
        EmailKind.CREDENTIALS_CHANGED: KindOfEmail(
            _(
                "Your password, e-mail address or sign-in with a code is changed, or API "
                "keys of yours end"
            ),
            _("%(brand)s: access to your account was changed"),
            button=EmailButton(_("See your account"), "profile"),
            always=_("So that nobody else can use your account unnoticed."),
        ),
        EmailKind.TRANSFERRED: KindOfEmail(
            _("Your affiliate account is transferred to another affiliate"),
            _("%(brand)s: your affiliate account was transferred"),
            button=EmailButton(_("See your balance"), "balances"),
            always=_("So that nobody can take over your earnings unnoticed."),
        ),
        EmailKind.CLAIM_ANSWERED: KindOfEmail(
            _("A missing sale that you reported is answered"),
            _("%(brand)s: about the missing sale that you reported"),
            button=EmailButton(_("See the answer"), "claim", "claim_id"),
        ),
        EmailKind.MONTHLY_SUMMARY: KindOfEmail(
            _("Your results of a month, when it is over"),
            _("%(brand)s: your results in %(month)s"),
            button=EmailButton(
                _("See the month"),
                "statistics",
                query=("first", "last"),
            ),
            figure=Figure(_("Your commission"), "earned"),
        ),
        EmailKind.ANNOUNCEMENT: KindOfEmail(
            _("The program writes to its affiliates"),
            "%(subject)s",
            button=EmailButton(_("Open your overview"), "dashboard"),
        ),
        EmailKind.STAFF_APPLICATION: KindOfEmail(
            _("Somebody has applied"),
            _("%(brand)s: %(affiliate)s has applied"),
            button=EmailButton(
                _("Decide on the application"), "affiliate", "affiliate_id"
            ),
            is_for_staff=True,
        ),
        EmailKind.STAFF_PAYOUT: KindOfEmail(
            _("An affiliate requests a payout"),
            _("%(brand)s: %(affiliate)s requests a payout of %(amount)s"),
            button=EmailButton(_("Decide on the payout"), "payout", "payout"),
            figure=Figure(_("Requested"), "amount"),
            is_for_staff=True,
        ),
        EmailKind.STAFF_CLAIM: KindOfEmail(
            _("An affiliate reports a missing sale"),
            _("%(brand)s: %(affiliate)s reports a missing sale"),
            button=EmailButton(_("Answer the claim"), "missingsaleclaim", "claim_id"),
            is_for_staff=True,
        ),
        EmailKind.STAFF_INTEGRATION: KindOfEmail(
            _("An integration has not answered for half an hour"),
            _("%(brand)s: %(integration)s does not respond"),
            button=EmailButton(_("See the integration"), "{model}", "integration_id"),
            is_for_staff=True,
        ),
    }
)


def chosen_kinds() -> list[EmailKind]:
    """Kinds that affiliates get for facts of their own, in the order of their life."""
    staff = {kind for kind, known in KINDS.items() if known.is_for_staff}
    return [kind for kind in KINDS if kind not in {*staff, EmailKind.DIGEST}]


def optional_kinds() -> list[EmailKind]:
    return [kind for kind in chosen_kinds() if KINDS[kind].is_optional]


def is_optional(kind: str) -> bool:
    """False for an e-mail of no kind, too."""
    return bool(kind) and KINDS[EmailKind(kind)].is_optional


def ends_on_leaving(kind: str) -> bool:
    """Whether affiliates who have left get none: of results, and announcements."""
    is_other = kind in (EmailKind.DIGEST, EmailKind.ANNOUNCEMENT)
    return bool(kind) and (is_other or bool(KINDS[EmailKind(kind)].sums))
