"""Names in the links of an erased affiliate are given to nobody else."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from affiliates.contrib.imports.files.rows import ImportKind, ParseOptions, Source
from affiliates.contrib.imports.services import check_import, keep_file
from affiliates.errors import InvalidInput
from affiliates.privacy.erasure.services import erase
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import AffiliateStatus
from affiliates.program.selectors import find_link
from affiliates.program.services import change_status, create_link, enrol
from affiliates.program.slug_models import RetiredName
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory, BrandFactory

pytestmark = pytest.mark.django_db
CODE, SLUG, OLD_CODE = NAMES = "ada-lovelace", "adas-blog", "adas-old-code"


@pytest.fixture(autouse=True)
def _known_at_once(settings):
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 0


@pytest.fixture
def rival(brand, host):
    user = host.client(brand, email="rival@example.com")
    return AffiliateFactory(brand=brand, user=user)


@pytest.fixture
def erased(brand, host, now):
    user = host.client(brand, email="ada@example.com")
    ada = enrol(user, brand=brand, code=CODE)
    create_link(affiliate_id=ada.pk, name="Blog", slug=SLUG)
    old = create_link(affiliate_id=ada.pk, name="Old")
    AffiliateLink.objects.filter(pk=old.pk).update(old_code=OLD_CODE)
    assert all(find_link(brand_id=brand.pk, token=name) for name in NAMES)
    change_status(Affiliate.objects.filter(pk=ada.pk), status=AffiliateStatus.SUSPENDED)
    erase(brand=brand, accounts=[str(user.pk)], email="", reason="", now=now)
    ada.refresh_from_db()
    return ada


@pytest.mark.parametrize("name", NAMES)
def test_no_affiliate_gets_it_as_its_code(name, brand, host, rival, erased):
    user = host.client(brand, email="bob@example.com")

    with nothing_written(), pytest.raises(ValidationError) as refused:
        enrol(user, brand=brand, code=name)
    rival.code = name
    with pytest.raises(ValidationError):
        rival.full_clean()

    assert refused.value.message_dict == {
        "code": ["Another affiliate of this brand has this code."]
    }
    assert find_link(brand_id=brand.pk, token=name) is None


@pytest.mark.parametrize("name", NAMES)
def test_no_link_gets_it_as_its_slug(name, rival, erased):
    with nothing_written(), pytest.raises(InvalidInput) as refused:
        create_link(affiliate_id=rival.pk, name="Mine", slug=name)

    assert refused.value.code == "slug_taken"


@pytest.mark.parametrize("name", NAMES)
def test_no_import_gives_it(name, brand, host, rival, erased, now):
    host.client(brand, email="bob@example.com")

    def faults(kind, *lines):
        file = keep_file(
            brand_id=brand.pk,
            kind=kind,
            source=Source.OWN,
            options=ParseOptions(),
            name="file.csv",
            content="\n".join(lines).encode(),
            actor_id=None,
            now=now,
        )
        checked = check_import(file.pk, now=now)
        return list(checked.faults.values_list("code", flat=True))

    codes = faults(ImportKind.AFFILIATES, "email,code", f"bob@example.com,{name}")
    links = faults(
        ImportKind.LINKS, "affiliate_code,name,old_code", f"{rival.code},Mine,{name}"
    )

    assert (codes, links) == (["affiliate_code_taken"], ["link_code_taken"])


def test_another_brand_may_have_it(host, erased):
    other = BrandFactory(client_area="other.example.com")
    user = host.client(other, email="bob@example.com")

    assert enrol(user, brand=other, code=CODE).code == CODE


def test_it_is_known_after_the_keys_were_rotated(brand, host, rival, erased, settings):
    settings.AFFILIATES_SECRET_KEYS = f"2:{'B' * 43}=,1:{'A' * 43}="

    with pytest.raises(InvalidInput):
        create_link(affiliate_id=rival.pk, name="Mine", slug=SLUG)


def test_nothing_that_can_be_read_is_left_of_it(erased):
    assert RetiredName.objects.count() == 3
    assert (erased.code, set(erased.links.values_list("slug", "old_code"))) == (
        f"erased-{erased.pk}",
        {("", "")},
    )


def test_an_affiliate_erased_again_has_no_name_to_retire(brand, erased, now):
    erase(brand=brand, accounts=[str(erased.user_id)], email="", reason="", now=now)

    assert RetiredName.objects.count() == 3
