"""The host's adapter: it cannot be made, fails, or relies on the only brand."""

from __future__ import annotations

import pytest
from django.core.checks import ERROR, INFO

from affiliates.adapter import HostAdapter, get_adapter
from affiliates.host_events import brand_id_for_origin
from affiliates.operations.health.adapter import account_credit, clients, is_made
from tests.affiliates.operations.health.mistakes import PATH
from tests.cases import each
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.payouts import DestinationFactory

pytestmark = pytest.mark.django_db
Sound = type(get_adapter())


class Raises(Sound):
    def get_client(self, client_id):
        raise LookupError("no table of clients")


class AsksForTheOnlyBrand(Sound):
    def get_client(self, client_id):
        brand_id_for_origin(None)
        return super().get_client(client_id)


class KeepsNoCredit(Sound):
    credit_wallet = HostAdapter.credit_wallet


@pytest.fixture
def ask(settings, now):
    def ask(adapter=None, *, examination=clients):
        if adapter is not None:
            settings.AFFILIATES_ADAPTER = f"{__name__}.{adapter.__name__}"
        return list(examination(now))

    return ask


def test_an_adapter_that_cannot_be_made_is_named(settings, now):
    settings.AFFILIATES_ADAPTER = f"{PATH}.NeedsAnArgument"

    (finding,) = is_made(now)

    assert finding.id == "affiliates.D014"
    assert finding.msg.startswith("The adapter cannot be made: TypeError: ")


def test_a_sound_adapter_is_not_named(affiliate, ask):
    assert ask() == []


def test_without_clients_there_is_nobody_to_ask_about(brand, ask):
    assert ask(Raises) == []


def test_an_adapter_that_always_fails_is_named(affiliate, ask):
    (finding,) = ask(Raises)

    assert (finding.id, finding.level) == ("affiliates.D027", ERROR)
    assert finding.msg == (
        f"get_client of the adapter fails for the client {affiliate.user_id}: "
        "LookupError: no table of clients"
    )
    assert finding.hint.startswith("Mend it: it returns a Client, or None")


def test_any_user_is_asked_about_where_nobody_is_an_affiliate(brand, host, ask):
    user = host.client(brand, email="first@example.com")

    (finding,) = ask(Raises)

    assert f"for the client {user.pk}: " in finding.msg


def test_what_a_second_brand_would_break_is_known_before(affiliate, ask):
    (finding,) = ask(AsksForTheOnlyBrand)

    assert (finding.id, finding.level) == ("affiliates.D028", INFO)
    assert finding.msg == (
        "The adapter asks for the only brand. With a second one no client is known, "
        "and registrations, payments and the area fail."
    )
    assert finding.hint.startswith("Have the portal keep the id of its brand")


def test_what_a_second_brand_has_broken_is_an_error(affiliate, ask):
    BrandFactory(client_area="other.example.com")

    (finding,) = ask(AsksForTheOnlyBrand)

    assert (finding.id, finding.level) == ("affiliates.D028", ERROR)
    assert finding.msg.startswith("The adapter asks for the only brand, and there are")


def test_a_test_brand_breaks_nothing(affiliate, ask):
    BrandFactory(client_area="test.example.com", is_test=True)

    assert [one.level for one in ask(AsksForTheOnlyBrand)] == [INFO]


@each(
    ("_case", "adapter", "kinds", "count"),
    [
        ("none is kept", KeepsNoCredit, ["wallet"], 1),
        ("it is kept", None, ["wallet"], 0),
        (
            "another was chosen since",
            KeepsNoCredit,
            ["wallet", "paypal"],
            0,
        ),
    ],
)
def test_whoever_waits_for_credit_that_is_not_kept_is_counted(
    adapter, kinds, count, brand, host, ask, settings
):
    sound = settings.AFFILIATES_ADAPTER
    user = host.client(brand, email=f"{len(kinds)}{count}@example.com")
    affiliate = AffiliateFactory(brand=brand, user=user)
    for kind in kinds:
        DestinationFactory(affiliate=affiliate, to=kind)

    findings = ask(adapter, examination=account_credit)
    settings.AFFILIATES_ADAPTER = sound
    affiliate.destinations.all().delete()

    assert [one.id for one in findings] == ["affiliates.D029"] * count
    assert all(
        one.msg.startswith("1 affiliate waits for account credit") for one in findings
    )
