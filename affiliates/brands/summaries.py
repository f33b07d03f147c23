"""One line on the current values of each folded topic of a brand's form."""

from __future__ import annotations

from affiliates.brands.models.brand import Brand
from affiliates.brands.rules import ConsentRule, Font, Landing, PrivacyControl
from affiliates.core.language import inside_sentence


def summaries_of(brand: Brand) -> dict[str, str]:
    stays = brand.landing == Landing.STAY
    terms, days = brand.terms(), f"{brand.attribution_window_days} days"
    consent = inside_sentence(ConsentRule(brand.consent))
    privacy = inside_sentence(PrivacyControl(brand.privacy_control))
    parts = {
        "State": (
            "active" if brand.is_active else "switched off",
            *(["a test brand"] if brand.is_test else []),
            brand.zone().key,
        ),
        "Landing": (
            "the opened page" if stays else "the default redirect URL",
            "https only" if brand.require_https else "http too",
        ),
        "Attribution": (inside_sentence(terms.policy), f"within {days}"),
        "Cookie": (
            f"{brand.cookie_lifetime_days} days",
            f"consent {consent}",
            f"privacy signal {privacy}",
        ),
        "Clicks kept": (
            _kept(brand.click_months),
            f"of robots {_kept(brand.other_click_months)}",
        ),
        "Program": (
            "on" if brand.own_program else "off",
            "clients masked" if brand.masks_clients else "clients shown",
            f"flagged sales wait {brand.flagged_hold_days} days",
        ),
        "Contact": (
            brand.support or "no support contact",
            "a legal line" if brand.legal_text else "no legal line",
        ),
        "Look": (
            brand.colour or "usual colour",
            "a logo" if brand.logo else "no logo",
            f"{inside_sentence(Font(brand.font))}".partition(",")[0],
        ),
    }
    return {topic: ", ".join(said) for topic, said in parts.items()}


def _kept(months: int) -> str:
    return f"{months} months" if months else "for ever"
