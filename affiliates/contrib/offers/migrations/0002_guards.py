"""Written by ``python -m tests.migrations.write_triggers`` from the lists in the code."""

from django.db import migrations

from affiliates.db.migration_operations import CreateTriggers


class Migration(migrations.Migration):
    dependencies = [("affiliates_offers", "0001_initial")]

    operations = [
        CreateTriggers(
            functions={
            },
            triggers={
                "postgresql": (
                    ('affiliates_offers_offerversion_refuses_update', 'affiliates_offers_offerversion', "CREATE TRIGGER affiliates_offers_offerversion_refuses_update BEFORE update ON affiliates_offers_offerversion FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_offers_offerversion are only ever added: save the offer, which adds a version.')"),
                    ('affiliates_offers_offerversion_refuses_delete', 'affiliates_offers_offerversion', "CREATE TRIGGER affiliates_offers_offerversion_refuses_delete BEFORE delete ON affiliates_offers_offerversion FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_offers_offerversion are only ever added: save the offer, which adds a version.')"),
                ),
                "sqlite": (
                    ('affiliates_offers_offerversion_refuses_update', 'affiliates_offers_offerversion', "CREATE TRIGGER affiliates_offers_offerversion_refuses_update BEFORE update ON affiliates_offers_offerversion BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_offers_offerversion are only ever added: save the offer, which adds a version.'); END"),
                    ('affiliates_offers_offerversion_refuses_delete', 'affiliates_offers_offerversion', "CREATE TRIGGER affiliates_offers_offerversion_refuses_delete BEFORE delete ON affiliates_offers_offerversion BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_offers_offerversion are only ever added: save the offer, which adds a version.'); END"),
                ),
            },
        ),
    ]
