from __future__ import annotations

import json

from affiliates.referrals.models import OrderReferral
from portal.demo.seeding.rows import Snapshot, Table
from portal.demo.seeding.template import COPY, Slot, TemplateMaker

# Of July 2025. The first part of most ids holds a letter.
CLICK_ID = "01985312-4d3a-7c8f-bf38-da2be19f3fc7"


def test_uuid_whose_first_part_has_only_digits_is_no_number() -> None:
    decision = json.dumps({"click_id": CLICK_ID})
    table = Table(
        model=OrderReferral,
        columns=["decision"],
        pks=["1"],
        rows=[[decision]],
        seals=[],
    )
    snapshot = Snapshot(tables={OrderReferral._meta.db_table: table})

    template = TemplateMaker(snapshot, fixed=Snapshot(), group=Snapshot()).make()

    assert template.slots == [Slot("uuid", COPY, CLICK_ID)]
