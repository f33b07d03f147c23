"""The terms of a decision: what was judged, how, by which rule, with what outcome."""

from __future__ import annotations

from django.db.models import TextChoices


class Carrier(TextChoices):
    """The source by which a touch reached the decision."""

    COOKIE = "cookie", "Referral cookie"
    BINDING = "binding", "Client's registration"
    COUPON = "coupon", "Coupon code on the order"
    TYPED = "typed", "Code typed by hand"
    STAFF = "staff", "Staff's assignment"

    @property
    def is_code(self) -> bool:
        return self in (Carrier.COUPON, Carrier.TYPED)


class CookieState(TextChoices):
    ABSENT = "absent", "No referral cookie was sent"
    UNUSABLE = "unusable", "The referral cookie sent was expired or not this brand's"
    CLICK_GONE = "click_gone", "The referral cookie's click is no longer on record"
    VALID = "valid", "A valid referral cookie was sent"


class Rule(TextChoices):
    """The origin of a verdict."""

    CLICK_ORDER = "click_order", "First or last click"
    REPEATS = "repeats", "Repeated clicks"
    PERSONS = "persons", "Persons only"
    WINDOW = "window", "Attribution window"
    CLOCK = "clock", "Before the order"
    STATUS = "status", "Affiliate's status"
    OWN_PROGRAM = "own_program", "Own affiliate program"
    ACTIVE_BRAND = "active_brand", "Active brand"
    EXISTING_CLIENTS = "existing_clients", "Existing clients"
    OWN_OR_THIRD_PARTY = "claims", "Own program or integration"
    IDENTIFIER = "identifier", "Integration's identifier"
    BOUND_CLIENTS = "bound_clients", "Registered clients"
    STAND_DOWN = "stand_down", "Checkout stand-down"
    COUPONS = "coupons", "Code or link"
    STAFF = "staff", "Staff's assignment"


class Verdict(TextChoices):
    WON = "won", "Credited"
    LATER_CLICK_WON = "later_click_won", "A later click won"
    EARLIER_CLICK_WON = "earlier_click_won", "An earlier click won"
    REPEAT = "repeat", "Repeat of the same affiliate's click within 30 minutes"
    BOT = "bot", "Not made by a person"
    OUTSIDE_WINDOW = "outside_window", "Older than the attribution window"
    AFTER_ORDER = "after_order", "Made after the order was converted"
    NOT_ACTIVE_AT_VISIT = "not_active_at_visit", "Affiliate not active at the click"
    NOT_ACTIVE_AT_ORDER = "not_active_at_order", "Affiliate not active at the order"
    PROGRAM_OFF_AT_VISIT = "program_off_at_visit", "Own program off at the click"
    PROGRAM_OFF_AT_ORDER = "program_off_at_order", "Own program off at the order"
    BRAND_INACTIVE_AT_ORDER = "brand_inactive_at_order", "Brand inactive at the order"
    NOT_ELIGIBLE_ORDER = "not_eligible_order", "The order itself earns nothing"
    THIRD_PARTY_WON = "third_party_won", "The tracking integration was credited instead"
    BOUND_CLIENT = "bound_client", "The client was another affiliate's by then"
    LATE_TOUCH_STOOD_DOWN = (
        "late_touch_stood_down",
        "Too late: the client another affiliate had sent was at the checkout",
    )
    COUPON_WON = "coupon_won", "A code won"
    LINK_WON = "link_won", "A click won over the code"
    STAFF_ASSIGNED = "staff_assigned", "Staff decided"

    @property
    def rule(self) -> Rule:
        return _RULES[self]


class ExternalVerdict(TextChoices):
    """The verdict on the tracking integration's visit."""

    WON = "won", "Credited"
    WON_TOO = "won_too", "Credited as well: the brand's policy credits both"
    OWN_LATER = "own_later", "A click of the brand's own affiliate was later"
    OWN_SAME_TIME = "own_same_time", "The same visit was an own affiliate's as well"
    OWN_PREFERRED = "own_preferred", "The brand's policy prefers its own affiliate"
    NO_IDENTIFIER = (
        "no_identifier",
        "Nothing is known by which the integration could match the visitor",
    )
    BOT = "bot", "Not made by a person"
    OUTSIDE_WINDOW = "outside_window", "Older than the attribution window"
    AFTER_ORDER = "after_order", "Made after the order was converted"
    NOT_ELIGIBLE_ORDER = "not_eligible_order", "The order itself earns nothing"
    BRAND_INACTIVE = "brand_inactive_at_order", Verdict.BRAND_INACTIVE_AT_ORDER.label
    COUPON_WON = "coupon_won", "A code won"
    STAFF_ASSIGNED = "staff_assigned", "Staff decided"

    @property
    def is_credited(self) -> bool:
        return self in (ExternalVerdict.WON, ExternalVerdict.WON_TOO)

    @property
    def rule(self) -> Rule:
        return _EXTERNAL_RULES[self]


class Outcome(TextChoices):
    CREDITED = "credited", "Credited"
    HELD = "held", "Held for review"
    THIRD_PARTY = "third_party", "Credited through the tracking integration"
    NOBODY = "nobody", "Nobody credited"


class Reason(TextChoices):
    """The reason for a decision's outcome."""

    LAST_CLICK = "last_click", "The last click inside the window wins."
    FIRST_CLICK = "first_click", "The first click inside the window wins."
    SELF_REFERRAL = (
        "self_referral",
        "The affiliate is the client or shares the client's e-mail address.",
    )
    NO_TOUCH = "no_touch", "No affiliate is known to have sent this client."
    NO_ELIGIBLE_TOUCH = (
        "no_eligible_touch",
        "Affiliates sent this client, but no click of theirs may be credited.",
    )
    EXISTING_CLIENT = (
        "existing_client",
        "The client had paid an earlier order, and existing clients earn nothing.",
    )
    PROGRAM_OFF = "program_off", "The brand's own affiliate program is off."
    BRAND_INACTIVE = (
        "brand_inactive",
        "The brand was inactive when the order was reported.",
    )
    THIRD_PARTY_ONLY = (
        "third_party_only",
        "The tracking integration's affiliate sent this client, and no affiliate of the "
        "brand's own may be credited.",
    )
    THIRD_PARTY_LATER = (
        "third_party_later",
        "The tracking integration's click was later than the own affiliate's, and the "
        "brand credits the one that sent the client last.",
    )
    THIRD_PARTY_POLICY = (
        "third_party_policy",
        "The tracking integration and an own affiliate both sent this client, and the "
        "brand's policy prefers the integration.",
    )
    COUPON = "coupon", "The order names the affiliate's coupon code."
    TYPED = "typed", "The order names the affiliate's code, typed by hand."
    STAFF = "staff", "Staff decided whom the order goes to."


_RULES = {
    Verdict.WON: Rule.CLICK_ORDER,
    Verdict.LATER_CLICK_WON: Rule.CLICK_ORDER,
    Verdict.EARLIER_CLICK_WON: Rule.CLICK_ORDER,
    Verdict.REPEAT: Rule.REPEATS,
    Verdict.BOT: Rule.PERSONS,
    Verdict.OUTSIDE_WINDOW: Rule.WINDOW,
    Verdict.AFTER_ORDER: Rule.CLOCK,
    Verdict.NOT_ACTIVE_AT_VISIT: Rule.STATUS,
    Verdict.NOT_ACTIVE_AT_ORDER: Rule.STATUS,
    Verdict.PROGRAM_OFF_AT_VISIT: Rule.OWN_PROGRAM,
    Verdict.PROGRAM_OFF_AT_ORDER: Rule.OWN_PROGRAM,
    Verdict.BRAND_INACTIVE_AT_ORDER: Rule.ACTIVE_BRAND,
    Verdict.NOT_ELIGIBLE_ORDER: Rule.EXISTING_CLIENTS,
    Verdict.THIRD_PARTY_WON: Rule.OWN_OR_THIRD_PARTY,
    Verdict.BOUND_CLIENT: Rule.BOUND_CLIENTS,
    Verdict.LATE_TOUCH_STOOD_DOWN: Rule.STAND_DOWN,
    Verdict.COUPON_WON: Rule.COUPONS,
    Verdict.LINK_WON: Rule.COUPONS,
    Verdict.STAFF_ASSIGNED: Rule.STAFF,
}
_EXTERNAL_RULES = {
    ExternalVerdict.WON: Rule.OWN_OR_THIRD_PARTY,
    ExternalVerdict.WON_TOO: Rule.OWN_OR_THIRD_PARTY,
    ExternalVerdict.OWN_LATER: Rule.OWN_OR_THIRD_PARTY,
    ExternalVerdict.OWN_SAME_TIME: Rule.OWN_OR_THIRD_PARTY,
    ExternalVerdict.OWN_PREFERRED: Rule.OWN_OR_THIRD_PARTY,
    ExternalVerdict.NO_IDENTIFIER: Rule.IDENTIFIER,
    ExternalVerdict.BOT: Rule.PERSONS,
    ExternalVerdict.OUTSIDE_WINDOW: Rule.WINDOW,
    ExternalVerdict.AFTER_ORDER: Rule.CLOCK,
    ExternalVerdict.NOT_ELIGIBLE_ORDER: Rule.EXISTING_CLIENTS,
    ExternalVerdict.BRAND_INACTIVE: Rule.ACTIVE_BRAND,
    ExternalVerdict.COUPON_WON: Rule.COUPONS,
    ExternalVerdict.STAFF_ASSIGNED: Rule.STAFF,
}
