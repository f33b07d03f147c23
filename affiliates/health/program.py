"""What has to be entered before anything is tracked and earned."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from importlib.util import find_spec
from ipaddress import ip_network

from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.brands.targets import is_permitted
from affiliates.conf import conf
from affiliates.health.findings import Finding, counted, error, warning
from affiliates.health.registry import Needs, register
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.visits.models import Click

# So many visits come from more than one network.
VISITS = 100


@register(Needs.DATABASE)
def brands(now: datetime) -> Iterator[Finding]:
    active = Brand.objects.filter(is_active=True).prefetch_related("domains")
    if not active:
        yield error(
            "D006",
            "There is no active brand: no call is answered.",
            "Run manage.py affiliates_start, or add a brand with its domains in the admin.",
        )
    for brand in active:
        yield from _domains(brand)


def _domains(brand: Brand) -> Iterator[Finding]:
    domains = [domain.to_entry() for domain in brand.domains.all()]
    if not any(domain.is_client_area for domain in domains):
        yield error(
            "D007",
            f"The brand {brand} has no client-area domain: no page may call the API.",
            "Add the host of its client area to its domains and tick client area.",
        )
    if not brand.default_redirect_url:
        yield error(
            "D007",
            f"The brand {brand} has no default redirect URL.",
            "Enter where a visitor goes whose link names no target.",
        )
    elif not is_permitted(brand.default_redirect_url, domains=domains):
        yield error(
            "D007",
            f"The default redirect URL of the brand {brand} is on none of its domains.",
            "Add its host to the brand's domains and tick redirect target, or enter "
            "another address.",
        )


@register(Needs.DATABASE)
def plans(now: datetime) -> Iterator[Finding]:
    own = Brand.objects.filter(is_active=True, own_program=True)
    for brand in own.filter(plans=None):
        yield error(
            "D008",
            f"The brand {brand} has no commission plan: nobody earns anything.",
            "Add one in the admin, under Commission plans, and tick default plan.",
        )
    for brand in own.exclude(plans=None).exclude(plans__is_default=True):
        without = Affiliate.objects.filter(
            Q(group=None) | Q(group__plan=None),
            brand=brand,
            plan=None,
            status=AffiliateStatus.ACTIVE,
        ).count()
        if without:
            yield warning(
                "D008",
                f"{counted(without, 'affiliate', 'affiliates')} of the brand {brand} "
                "earn nothing: they have no plan, and the brand has no default plan.",
                "Tick default plan on one of its plans, or give them a plan.",
            )


@register(Needs.DATABASE)
def bank_files(now: datetime) -> Iterator[Finding]:
    """Who pays by bank can write the files for it."""
    if find_spec("sepaxml") is not None:
        return
    paying = Brand.objects.filter(is_active=True, payout_terms__pays_bank=True)
    for brand in paying.exclude(payout_terms__debtor_iban=""):
        yield warning(
            "D030",
            f"The brand {brand} pays by bank transfer, and no SEPA file can be written.",
            "Run pip install 'affiliates[payout-files]'.",
        )


@register(Needs.DATABASE)
def visitors(now: datetime) -> Iterator[Finding]:
    """A proxy that is not counted makes one caller of everybody."""
    newest = Click.objects.order_by("-pk").values_list("ip_prefix", flat=True)[:VISITS]
    networks = list(newest)
    if len(networks) < VISITS or len(set(networks)) > 1 or not networks[0]:
        return
    if ip_network(networks[0], strict=False).is_private:
        yield warning(
            "D020",
            f"The last {VISITS} visits all came from {networks[0]}, which is a proxy of "
            f"yours: AFFILIATES_TRUSTED_PROXIES is {conf.trusted_proxies}.",
            "Set it to how many proxies of yours append to X-Forwarded-For.",
        )
