"""The guide's tables of verdicts and reasons: each row has a case that proves it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models import TextChoices

from affiliates.brands.rules import AttributionPolicy, BindingPolicy, ClaimPolicy
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.rules.choices import ExternalVerdict, Reason, Verdict
from affiliates.referrals.rules.decision import decide
from affiliates.referrals.rules.types import Binding, Inputs
from tests.cases import each
from tests.factories.decisions import (
    NOW,
    make_assignment,
    make_coupon,
    make_external,
    make_inputs,
    make_touch,
    make_typed,
)

GUIDE = Path(__file__).parents[3] / "docs" / "attribution.md"
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
FIRST = {"policy": AttributionPolicy.FIRST_CLICK}

one_click = make_touch(3 * DAY)
bound = Binding(click_id=one_click.click_id, affiliate_id=1, bound_at=NOW - 2 * DAY)
rival = make_touch(DAY, 2)
late_rival = make_touch(5 * MINUTE, 2)
visit = make_external(DAY)

VERDICTS: dict[Verdict, Inputs] = {
    Verdict.WON: make_inputs(one_click),
    Verdict.LATER_CLICK_WON: make_inputs(one_click, rival),
    Verdict.EARLIER_CLICK_WON: make_inputs(one_click, rival, **FIRST),
    Verdict.REPEAT: make_inputs(make_touch(DAY, is_repeat=True)),
    Verdict.BOT: make_inputs(make_touch(DAY, is_bot=True)),
    Verdict.OUTSIDE_WINDOW: make_inputs(make_touch(92 * DAY)),
    Verdict.AFTER_ORDER: make_inputs(make_touch(-MINUTE)),
    Verdict.NOT_ACTIVE_AT_VISIT: make_inputs(
        make_touch(DAY, status_at_visit=AffiliateStatus.PENDING)
    ),
    Verdict.NOT_ACTIVE_AT_ORDER: make_inputs(
        make_touch(DAY, status_at_order=AffiliateStatus.SUSPENDED)
    ),
    Verdict.PROGRAM_OFF_AT_VISIT: make_inputs(
        make_touch(DAY, program_on_at_visit=False)
    ),
    Verdict.PROGRAM_OFF_AT_ORDER: make_inputs(one_click, own_program=False),
    Verdict.BRAND_INACTIVE_AT_ORDER: make_inputs(one_click, is_brand_active=False),
    Verdict.NOT_ELIGIBLE_ORDER: make_inputs(one_click, paid_before=True),
    Verdict.THIRD_PARTY_WON: make_inputs(one_click, external=[visit]),
    Verdict.BOUND_CLIENT: make_inputs(one_click, rival, binding=bound),
    Verdict.LATE_TOUCH_STOOD_DOWN: make_inputs(one_click, late_rival),
    Verdict.COUPON_WON: make_inputs(one_click, coupon=make_coupon(4)),
    Verdict.LINK_WON: make_inputs(
        one_click, coupon=make_coupon(4), coupon_over_link=False
    ),
    Verdict.STAFF_ASSIGNED: make_inputs(one_click, assignment=make_assignment(5)),
}
EXTERNAL_VERDICTS: dict[ExternalVerdict, Inputs] = {
    ExternalVerdict.WON: make_inputs(external=[visit]),
    ExternalVerdict.WON_TOO: make_inputs(
        one_click, external=[visit], claim_policy=ClaimPolicy.BOTH
    ),
    ExternalVerdict.OWN_LATER: make_inputs(
        one_click, external=[make_external(5 * DAY)]
    ),
    ExternalVerdict.OWN_SAME_TIME: make_inputs(
        one_click, external=[make_external(3 * DAY)]
    ),
    ExternalVerdict.OWN_PREFERRED: make_inputs(
        one_click, external=[visit], claim_policy=ClaimPolicy.OWN
    ),
    ExternalVerdict.NO_IDENTIFIER: make_inputs(
        external=[make_external(DAY, visitor_id="")]
    ),
    ExternalVerdict.BOT: make_inputs(external=[make_external(DAY, is_bot=True)]),
    ExternalVerdict.OUTSIDE_WINDOW: make_inputs(external=[make_external(92 * DAY)]),
    ExternalVerdict.AFTER_ORDER: make_inputs(external=[make_external(-MINUTE)]),
    ExternalVerdict.BRAND_INACTIVE: make_inputs(
        external=[visit], is_brand_active=False
    ),
    ExternalVerdict.NOT_ELIGIBLE_ORDER: make_inputs(external=[visit], paid_before=True),
    ExternalVerdict.COUPON_WON: make_inputs(external=[visit], coupon=make_coupon(4)),
    ExternalVerdict.STAFF_ASSIGNED: make_inputs(
        external=[visit], assignment=make_assignment(5)
    ),
}
REASONS: dict[Reason, Inputs] = {
    Reason.LAST_CLICK: make_inputs(
        one_click, rival, binding=bound, bound_clients=BindingPolicy.LATEST
    ),
    Reason.FIRST_CLICK: make_inputs(one_click, rival, **FIRST),
    Reason.SELF_REFERRAL: make_inputs(make_touch(DAY, is_self=True)),
    Reason.NO_TOUCH: make_inputs(),
    Reason.NO_ELIGIBLE_TOUCH: make_inputs(make_touch(92 * DAY)),
    Reason.EXISTING_CLIENT: make_inputs(one_click, paid_before=True),
    Reason.PROGRAM_OFF: make_inputs(one_click, own_program=False),
    Reason.BRAND_INACTIVE: make_inputs(one_click, is_brand_active=False),
    Reason.THIRD_PARTY_ONLY: make_inputs(external=[visit]),
    Reason.THIRD_PARTY_LATER: make_inputs(one_click, external=[visit]),
    Reason.THIRD_PARTY_POLICY: make_inputs(
        one_click,
        external=[make_external(5 * DAY)],
        claim_policy=ClaimPolicy.THIRD_PARTY,
    ),
    Reason.COUPON: make_inputs(one_click, coupon=make_coupon(4)),
    Reason.TYPED: make_inputs(one_click, typed=make_typed(4)),
    Reason.STAFF: make_inputs(one_click, assignment=make_assignment(None)),
}


def rows(heading: str) -> dict[str, list[str]]:
    """The cells of the table below the heading, by the value in its first cell."""
    text = GUIDE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    lines = text.partition("\n## ")[0].splitlines()
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("| `")
    ]
    assert len(cells) == len({row[0] for row in cells}), "a value has two rows"
    return {row[0].strip("`"): row[1:] for row in cells}


@pytest.mark.parametrize(
    ("heading", "words", "cases"),
    [
        ("Verdicts on a click", Verdict, VERDICTS),
        ("Verdicts on the integration's claim", ExternalVerdict, EXTERNAL_VERDICTS),
        ("Reasons", Reason, REASONS),
    ],
)
def test_every_word_has_a_row_and_a_case(
    heading: str, words: type[TextChoices], cases: dict[str, Inputs]
):
    assert set(rows(heading)) == {word.value for word in words}
    assert set(cases) == set(words)
    assert all(all(cells) for cells in rows(heading).values())


@each("verdict", list(Verdict))
def test_row_of_a_verdict_is_what_the_rule_gives(verdict: Verdict):
    shown, rule, _ = rows("Verdicts on a click")[verdict]

    decision = decide(VERDICTS[verdict])

    assert verdict in [one.verdict for one in decision.candidates]
    assert (shown, rule) == (verdict.label, verdict.rule.label)


@each("verdict", list(ExternalVerdict))
def test_row_of_an_integrations_verdict_is_what_the_rule_gives(
    verdict: ExternalVerdict,
):
    shown, rule, _ = rows("Verdicts on the integration's claim")[verdict]

    decision = decide(EXTERNAL_VERDICTS[verdict])

    assert decision.external is not None
    assert decision.external.verdict is verdict
    assert (shown, rule) == (verdict.label, verdict.rule.label)


@each("reason", list(Reason))
def test_row_of_a_reason_is_what_the_rule_gives(reason: Reason):
    shown, outcome, _ = rows("Reasons")[reason]

    decision = decide(REASONS[reason])

    assert decision.reason is reason
    assert shown == reason.label
    assert decision.outcome.label in outcome.split(" or ")
