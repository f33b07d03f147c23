"""One line on the current values of each folded topic of a plan's form."""

from __future__ import annotations

from affiliates.core.language import inside_sentence
from affiliates.plans.models.plan import CommissionPlan
from affiliates.plans.rules.amounts import amounts_text, days_text
from affiliates.plans.rules.rounding import Rounding
from affiliates.plans.rules.terms import CapPeriod, percent_text


def summaries_of(plan: CommissionPlan) -> dict[str, str]:
    """Reads the form's unchecked values too: a faulty one is shown again."""
    parts = {
        "Hold and approval": (
            _hold(plan.hold_days),
            days_text(plan.hold_days_by_cycle),
            "then approved" if plan.approves_itself else "then reviewed by staff",
            "if the service is active" if plan.needs_active_service else "",
        ),
        "Base": (
            f"the price {'before' if plan.counts_discount else 'after'} discounts",
            f"{'with' if plan.counts_credit else 'without'} account credit",
            ""
            if plan.rounding == Rounding.HALF_UP
            else f"rounded {inside_sentence(Rounding(plan.rounding))}",
        ),
        "Limits": (
            _cap(plan),
            f"paid advertising {'allowed' if plan.allows_paid_ads else 'forbidden'}",
        ),
        "Joining bonus": (amounts_text(plan.joining_bonus) or "none",),
        "Recruiters": (
            f"{percent_text(plan.recruiter_percent)} % of commissions"
            if plan.recruiter_percent
            else "no share",
        ),
    }
    return {topic: ", ".join(filter(None, said)) for topic, said in parts.items()}


def _hold(days: int) -> str:
    if not days:
        return "no hold"
    return "1 day" if days == 1 else f"{days} days"


def _cap(plan: CommissionPlan) -> str:
    if plan.cap_period == CapPeriod.NONE:
        return "no cap"
    period = inside_sentence(CapPeriod(plan.cap_period))
    return f"at most {amounts_text(plan.cap_amounts)} {period}"
