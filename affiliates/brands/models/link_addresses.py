"""Where the links of a brand are: their addresses in its client area."""

from __future__ import annotations

from typing import Any

from django.core.validators import RegexValidator
from django.db import models

from affiliates.brands.links import LINK_PLACE, LINK_WORD, PLACE
from affiliates.core.domains import client_area_url
from affiliates.db.records import Record


class LinkAddresses(Record):
    """A brand's part that makes the addresses of links and codes."""

    link_place = models.CharField(
        "links begin with",
        max_length=100,
        blank=True,
        default=LINK_PLACE,
        db_default=LINK_PLACE,
        validators=[
            RegexValidator(
                rf"^{PLACE}\Z",
                f"Write a path that ends with {LINK_PLACE}, such as {LINK_PLACE}, "
                f"/portal{LINK_PLACE} or /#{LINK_PLACE}.",
            )
        ],
        help_text=(
            f"The path of links in the client area: {LINK_PLACE}, or with your own part "
            f"before it, such as /portal{LINK_PLACE}. /#{LINK_PLACE} where one page shows "
            "every view by what follows the #. It needs a page with the script."
        ),
    )

    domains: Any  # of BrandDomain
    link_parameter: str
    require_https: bool

    class Meta:
        abstract = True

    def client_area_url(self, origin: str = "") -> str | None:
        """The address of the client area with this origin's host, or of the first."""
        entries = [domain.to_entry() for domain in self.domains.all()]
        return client_area_url(entries, require_https=self.require_https, origin=origin)

    def url_with(self, name: str) -> str | None:
        """The client area's first page with the name of a link or affiliate."""
        base = self.client_area_url()
        if base is None:
            return None
        first_page = self.link_place.partition("#")[0].removesuffix(LINK_WORD)
        return f"{base}{first_page}?{self.link_parameter}={name}"

    def link_url(self, name: str) -> str | None:
        base = self.client_area_url()
        return None if base is None else f"{base}{self.link_place}/{name}"
