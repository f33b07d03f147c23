"""Migrates an empty database and fills each app's tables."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command

from tests.migrated import copy_migrated, copy_template


def main() -> None:
    from affiliates.contrib.desk.exports.services import ask_for_list
    from affiliates.contrib.stripe.services import receive_event
    from affiliates.worker.running import run_job
    from tests.affiliates.contrib.stripe.samples import refund
    from tests.affiliates.verification.program import make_program
    from tests.factories.announcements import AnnouncementFactory
    from tests.factories.area import AffiliateKeyFactory
    from tests.factories.claims import MissingSaleClaimFactory
    from tests.factories.events_api import BrandKeyFactory
    from tests.factories.imports import ImportFaultFactory
    from tests.factories.recruitment import InvitationFactory

    world = make_program().world
    affiliate = world.affiliates[0]
    AffiliateKeyFactory(affiliate=affiliate)
    AnnouncementFactory(brand=affiliate.brand, to=[affiliate])
    BrandKeyFactory(brand=affiliate.brand)
    MissingSaleClaimFactory(affiliate=affiliate)
    ImportFaultFactory(file__brand=world.brand)
    InvitationFactory(brand=world.brand)
    receive_event(
        brand_id=world.brand.pk, event=refund(1, 100, world.now), now=world.now
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


def migrate() -> None:
    database = settings.DATABASES["default"]
    is_copied = (
        copy_migrated(Path(database["NAME"]))
        if "sqlite" in database["ENGINE"]
        else copy_template(database["NAME"])
    )
    if not is_copied:
        call_command("migrate", verbosity=0)


if __name__ == "__main__":
    django.setup()
    migrate()
    main()
