"""The API's codes of commissions and books in an affiliate's words."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from affiliates.commissions.rules import CommissionStatus
from affiliates.ledger.rules import Account, PostingKind
from affiliates.referrals.rules.choices import Verdict

Labels = Mapping[str, str | Promise]

COMMISSION_STATUS: Labels = {
    CommissionStatus.PENDING: _("In its hold"),
    CommissionStatus.MATURED: _("Waiting for approval"),
    CommissionStatus.HELD: _("Being looked at"),
    CommissionStatus.APPROVED: _("Payable"),
    CommissionStatus.PAID: _("Paid"),
    CommissionStatus.REJECTED: _("Rejected"),
    CommissionStatus.REVERSED: _("Taken back"),
}
ACCOUNT: Labels = {
    Account.PENDING: _("Waiting for its hold"),
    Account.HELD: _("Being looked at"),
    Account.PAYABLE: _("Payable"),
    Account.CLEARING: _("Being paid"),
    Account.PAID_OUT: _("Paid out"),
}
# What a movement of the books is about.
POSTING: Labels = {
    PostingKind.EARNED: _("A sale earned a commission."),
    PostingKind.HELD: _("A commission is being looked at."),
    PostingKind.RELEASED: _("A commission was looked at and goes on."),
    PostingKind.APPROVED: _("A commission became payable."),
    PostingKind.REJECTED: _("A commission was rejected."),
    PostingKind.REVERSED: _("A refund took a commission back."),
    PostingKind.PAYOUT_REQUESTED: _("A payout was asked for."),
    PostingKind.PAYOUT_PAID: _("A payout was paid."),
    PostingKind.PAYOUT_REJECTED: _("A payout was rejected: it is payable again."),
    PostingKind.PAYOUT_RETURNED: _("A payout came back: it is payable again."),
    PostingKind.BONUS: _("You were given a bonus."),
    PostingKind.BONUS_HELD: _("You were given a bonus that is held."),
    PostingKind.BONUS_RELEASED: _("A held bonus became payable."),
    PostingKind.BONUS_WITHDRAWN: _("A held bonus was withdrawn."),
    PostingKind.DEDUCTION: _("An amount was deducted."),
}
# What a kind of movements did in a span, in a word.
FLOW: Labels = {
    PostingKind.EARNED: _("Earned"),
    PostingKind.HELD: _("Held to be looked at"),
    PostingKind.RELEASED: _("Released"),
    PostingKind.APPROVED: _("Became payable"),
    PostingKind.REJECTED: _("Rejected"),
    PostingKind.REVERSED: _("Taken back by refunds"),
    PostingKind.PAYOUT_REQUESTED: _("Asked for in payouts"),
    PostingKind.PAYOUT_PAID: _("Paid"),
    PostingKind.PAYOUT_REJECTED: _("Back from rejected payouts"),
    PostingKind.PAYOUT_RETURNED: _("Back from returned payouts"),
    PostingKind.BONUS: _("Bonuses"),
    PostingKind.BONUS_HELD: _("Bonuses, held"),
    PostingKind.BONUS_RELEASED: _("Held bonuses released"),
    PostingKind.BONUS_WITHDRAWN: _("Held bonuses withdrawn"),
    PostingKind.DEDUCTION: _("Deducted"),
}
_BY_THE_RULES = _(
    "The program's rules decide whose an order is where several have a part."
)
_CLICK_AGAIN = _(
    "Nothing to do for this order. A client who follows one of your links again counts anew."
)
_ACTIVE_ONLY = _("Only clicks and orders of the time in which you are active count.")
_PROGRAM_ON_ONLY = _(
    "Only clicks and orders of the time in which the program is on count."
)
# What the affiliate can make of an order that is not credited to it.
ADVICE: Labels = {
    Verdict.STAFF_ASSIGNED: _("People looked into this order and decided."),
    Verdict.THIRD_PARTY_WON: _BY_THE_RULES,
    Verdict.COUPON_WON: _BY_THE_RULES,
    Verdict.LINK_WON: _BY_THE_RULES,
    Verdict.LATER_CLICK_WON: _BY_THE_RULES,
    Verdict.EARLIER_CLICK_WON: _BY_THE_RULES,
    Verdict.BOUND_CLIENT: _BY_THE_RULES,
    Verdict.LATE_TOUCH_STOOD_DOWN: _BY_THE_RULES,
    Verdict.NOT_ELIGIBLE_ORDER: _(
        "By the program's rules such an order earns nothing."
    ),
    Verdict.PROGRAM_OFF_AT_ORDER: _PROGRAM_ON_ONLY,
    Verdict.PROGRAM_OFF_AT_VISIT: _PROGRAM_ON_ONLY,
    Verdict.NOT_ACTIVE_AT_ORDER: _ACTIVE_ONLY,
    Verdict.NOT_ACTIVE_AT_VISIT: _ACTIVE_ONLY,
    Verdict.OUTSIDE_WINDOW: _CLICK_AGAIN,
    Verdict.AFTER_ORDER: _CLICK_AGAIN,
    Verdict.REPEAT: _CLICK_AGAIN,
    Verdict.BOT: _("Only visits of people count."),
}
