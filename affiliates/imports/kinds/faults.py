"""What is wrong with a row beside what we hold, as codes and as sentences."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from affiliates.imports.rows import RowError
from affiliates.imports.sentences import SENTENCES


class Fault(Exception):
    """The row cannot be imported. ``column`` is one of ours."""

    def __init__(self, code: str, column: str = "", /, **params: str | int) -> None:
        super().__init__(code)
        self.code, self.column, self.params = code, column, params

    def at(self, row_number: int) -> RowError:
        return RowError(row_number, self.column, self.code, self.params)


OURS: dict[str, str | Promise] = {
    "amount_too_large": _("The amount is larger than the books can hold."),
    "affiliate_code_taken": _("%(code)s is the code of another affiliate."),
    "affiliate_has_other_code": _(
        "This client is an affiliate already, by the code %(code)s."
    ),
    "affiliate_is_client": _("The affiliate is this client in person."),
    "affiliate_not_active": _("%(name)s is not active: only active ones are credited."),
    "affiliate_known_otherwise": _("%(key)s was imported as another affiliate."),
    "balance_posted_otherwise": _(
        "This balance was imported before with another amount: %(amount)s. "
        "Correct it with a bonus or a deduction on the page of the affiliate."
    ),
    "changed_meanwhile": _(
        "Something was written meanwhile that this file names. Nothing was imported: "
        "upload it again."
    ),
    "client_bound_to_other": _("This client is bound to another affiliate, %(code)s."),
    "client_is_guest": _("%(name)s is a guest: it must register first."),
    "coupon_of_other": _("The coupon %(code)s belongs to another affiliate."),
    "gave_up": _("It could not be imported. The log of the worker says why."),
    "in_future": _("This moment is yet to come."),
    "invalid_value": _("This value cannot be kept: %(value)s."),
    "key_is_gone": _(
        "The file cannot be read with the keys of this server: upload it again."
    ),
    "link_code_taken": _("%(code)s is another link, or the code of an affiliate."),
    "link_code_unusable": _(
        "No link is found by %(code)s: it has 1 to 32 letters, digits, dots, hyphens and "
        "underscores."
    ),
    "link_of_other": _("The link %(hash)s belongs to another affiliate."),
    "order_known_otherwise": _(
        "The order or its invoice is known with another client, affiliate or reference."
    ),
    "own_balance": _("Nobody imports a balance of their own."),
    "repeats_row": _("This says again, or otherwise, what row %(row)s says."),
    "staff_needed": _(
        "Past orders are credited by a member of staff: say who imports them."
    ),
    "target_refused": _(
        "%(url)s is no page that this brand's links may lead to: use an address on one "
        "of its domains."
    ),
    "too_many_paid": _(
        "At most %(most)s orders with amounts are imported at once: divide the file."
    ),
    "unknown_affiliate": _("%(name)s is no affiliate of this brand."),
    "unknown_client": _("Nobody of this brand's clients is %(name)s."),
    "unknown_group": _("The brand has no group %(name)s."),
}


def sentence_of(code: str, params: Mapping[str, str | int]) -> str:
    """In the language of the moment, without the place."""
    template = OURS.get(code) or SENTENCES.get(code)
    return code if template is None else str(template) % params
