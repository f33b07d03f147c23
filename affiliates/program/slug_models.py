"""Names in addresses: a link's slug, and names that nobody is given again."""

from __future__ import annotations

from collections.abc import Collection

from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy, gettext_noop

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import RememberedModel
from affiliates.conf import conf
from affiliates.core.secrets.encryption import fingerprints
from affiliates.db.records import Record
from affiliates.program.rules import SLUG

RETIRED = b"affiliates.retired_names.v1"
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


class RetiredName(Record):
    """The code, slug or old code of an erased affiliate, as a keyed digest.

    Addresses with it are still published: they must not credit a stranger.
    """

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    digest = models.CharField(max_length=64)
    # The secret key of the digest, without which the name is free again.
    key_id = models.PositiveSmallIntegerField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "digest"], name="name_is_retired_once_in_brand"
            )
        ]

    def __str__(self) -> str:
        return f"Retired name {self.pk}"


def retire_names(names: Collection[str], *, brand_id: int) -> None:
    key_id, _ = conf.secret_keys.roots[0]
    RetiredName.objects.bulk_create(
        [
            RetiredName(
                brand_id=brand_id, digest=_digests(name, brand_id)[0], key_id=key_id
            )
            for name in names
        ],
        ignore_conflicts=True,
    )


def retired_among(names: Collection[str], *, brand_id: int) -> set[str]:
    """Ask after looking for the name among those in use: it is one or the other."""
    digests = {digest: name for name in names for digest in _digests(name, brand_id)}
    found = RetiredName.objects.filter(brand_id=brand_id, digest__in=digests)
    return {digests[digest] for digest in found.values_list("digest", flat=True)}


def retired_with(key_id: int) -> int:
    """Returns the number of names that are free again without the key."""
    return RetiredName.objects.filter(key_id=key_id).count()


def _digests(name: str, brand_id: int) -> list[str]:
    """By each key, the first key's first."""
    return fingerprints(f"{brand_id}:{name}", conf.secret_keys, purpose=RETIRED)
