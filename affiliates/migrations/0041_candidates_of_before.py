"""The candidates of the orders that were decided before they had rows of their own."""

from collections import defaultdict

from django.db import migrations

AT_ONCE = 500


def record(apps, schema_editor):
    using = schema_editor.connection.alias
    known = set(_of(apps, "Affiliate", using).values_list("pk", flat=True))
    replaced = defaultdict(list)
    overrides = _of(apps, "DecisionOverride", using)
    for pk, decision in overrides.values_list("referral_id", "replaced"):
        replaced[pk].append(decision)
    orders = _of(apps, "OrderReferral", using).order_by("pk")
    fields = orders.values_list("pk", "affiliate_id", "decision")
    first = 0
    while found := list(fields.filter(pk__gt=first)[:AT_ONCE]):
        first = found[-1][0]
        rows = [
            apps.get_model("affiliates", "OrderCandidate")(referral_id=pk, affiliate_id=one)
            for pk, credited, decision in found
            for one in sorted(_named([decision, *replaced[pk]]) & known - {credited})
        ]
        _of(apps, "OrderCandidate", using).bulk_create(rows, ignore_conflicts=True)


def _of(apps, model, using):
    return apps.get_model("affiliates", model)._base_manager.using(using)


def _named(decisions):
    found = (one for decision in decisions for one in decision.get("candidates", ()))
    return {one["affiliate_id"] for one in found}


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0040_order_candidates'),
    ]

    operations = [migrations.RunPython(record, migrations.RunPython.noop, elidable=True)]
