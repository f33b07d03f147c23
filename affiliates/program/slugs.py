"""Gives a link its slug, and takes one that offends out of use."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from affiliates.errors import InvalidInput, StateConflict
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import RESERVED_SLUGS
from affiliates.program.slug_models import SLUG_TAKEN, retired_among

# Of one affiliate: good names are scarce in a brand.
MAX_SLUGS = 100


def give_slug(link: AffiliateLink, slug: str) -> None:
    """To a link without one. Addresses are published: nobody else ever gets a slug."""
    if link.slug:
        raise StateConflict(
            "slug_is_fixed",
            _("A name in an address stays for good: make another link."),
        )
    brand = link.affiliate.brand
    link.slug, link.slug_brand = slug, brand
    of_brand = AffiliateLink.objects.filter(affiliate__brand=brand)
    if slug in RESERVED_SLUGS:
        raise InvalidInput("slug_reserved", SLUG_TAKEN, field="slug")
    if (
        of_brand.filter(Q(slug=slug) | Q(old_code=slug)).exists()
        or Affiliate.objects.filter(brand=brand, code=slug)
        .exclude(pk=link.affiliate.pk)
        .exists()
        or retired_among([slug], brand_id=brand.pk)
    ):
        raise InvalidInput("slug_taken", SLUG_TAKEN, field="slug")
    if link.affiliate.links.exclude(slug="").count() >= MAX_SLUGS:
        raise StateConflict(
            "too_many_slugs",
            _("At most {most} of your links have names of their own.").format(
                most=MAX_SLUGS
            ),
        )


@transaction.atomic
def clear_slug(link_id: int) -> AffiliateLink:
    """Ends the link's name in addresses for good; its hash goes on working."""
    link = AffiliateLink.objects.select_for_update(no_key=True).get(pk=link_id)
    if not link.slug or link.slug_is_cleared:
        raise StateConflict("no_slug", "This link has no name in its address.")
    link.slug_is_cleared = True
    link.save(update_fields=["slug_is_cleared"])
    return link
