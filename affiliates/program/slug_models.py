"""A link's slug: its name in addresses, chosen by the affiliate."""

from __future__ import annotations

from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy, gettext_noop

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import RememberedModel
from affiliates.program.rules import SLUG

SLUG_TAKEN = gettext_noop("This name is taken: choose another one.")


class Slugged(RememberedModel):
    """A slug is given once, and to no other link of the brand, even after staff have
    cleared it."""

    slug = models.CharField(
        "name in the address",
        max_length=32,
        blank=True,
        db_default="",
        default="",
        editable=False,
        validators=[
            RegexValidator(
                rf"^{SLUG.pattern}\Z",
                gettext_lazy(
                    "Use 3 to 32 lower-case letters, digits and hyphens: at least one "
                    "letter, and no hyphen at either end."
                ),
            )
        ],
    )
    # The affiliate's brand, set with the slug: a constraint cannot follow relations.
    slug_brand = models.ForeignKey(
        Brand,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        db_index=False,
    )
    slug_is_cleared = models.BooleanField(
        "name was withdrawn", default=False, db_default=False, editable=False
    )

    class Meta:
        abstract = True

    @property
    def slug_in_use(self) -> str:
        return "" if self.slug_is_cleared else self.slug


SLUG_CONSTRAINTS = [
    models.UniqueConstraint(
        fields=["slug_brand", "slug"],
        name="link_slug_is_unique_in_brand",
        violation_error_message=SLUG_TAKEN,
    ),
    models.CheckConstraint(
        condition=models.Q(slug="", slug_brand=None)
        | models.Q(slug=Lower("slug"), slug_brand__isnull=False) & ~models.Q(slug=""),
        name="link_slug_is_lower_case_with_brand",
    ),
]
