"""Fills each app's tables in an empty, migrated database."""

from __future__ import annotations

from datetime import timedelta

import django


def main() -> None:
    from affiliates.contrib.desk.exports.services import ask_for_list
    from affiliates.worker.running import run_job
    from tests.affiliates.verification.program import make_program
    from tests.factories.affiliates import BrandFactory
    from tests.factories.area import AffiliateKeyFactory
    from tests.factories.claims import MissingSaleClaimFactory
    from tests.factories.imports import ImportFaultFactory
    from tests.factories.integrations import TrackingIntegrationFactory
    from tests.factories.recruitment import InvitationFactory

    world = make_program().world
    affiliate = world.affiliates[0]
    AffiliateKeyFactory(affiliate=affiliate)
    MissingSaleClaimFactory(affiliate=affiliate)
    ImportFaultFactory(file__brand=world.brand)
    InvitationFactory(brand=world.brand)
    TrackingIntegrationFactory(
        brand=BrandFactory(client_area="tapfiliate.example.com"),
        provider="tapfiliate",
        address="https://tapfiliate.example.net",
    )
    ask_for_list(
        asker_id=affiliate.user_id,
        site="admin",
        model="affiliates.click",
        query="",
        file_format="csv",
        url_of=str,
        now=world.now,
    )
    # A day that is over.
    run_job("statistics", now=world.now + timedelta(days=2))


if __name__ == "__main__":
    django.setup()
    main()
