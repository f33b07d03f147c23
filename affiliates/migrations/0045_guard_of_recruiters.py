"""The database holds who may have recruited whom."""

from django.db import migrations

TABLE = "affiliates_affiliate"
NAME = f"{TABLE}_has_a_fitting_recruiter"
SAID = "A recruiter is of the same brand, and not recruited by its own recruit."
FUNCTION = f"""
CREATE FUNCTION affiliates_require_recruiter() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.recruiter_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM affiliates_affiliate WHERE id = NEW.recruiter_id
        AND brand_id = NEW.brand_id AND recruiter_id IS DISTINCT FROM NEW.id
    ) THEN
        RAISE EXCEPTION
            '{SAID}'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$
"""
UPDATE = "UPDATE OF brand_id, recruiter_id"


def guard(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(FUNCTION, params=None)
        schema_editor.execute(
            f"CREATE TRIGGER {NAME} BEFORE INSERT OR {UPDATE} ON {TABLE} "
            "FOR EACH ROW EXECUTE FUNCTION affiliates_require_recruiter()"
        )
        return
    for operation in ("INSERT", UPDATE):
        schema_editor.execute(
            f"CREATE TRIGGER {NAME}_on_{operation.split()[0].lower()} "
            f"BEFORE {operation} ON {TABLE} "
            "WHEN NEW.recruiter_id IS NOT NULL AND NOT EXISTS ("
            f"SELECT 1 FROM {TABLE} WHERE id = NEW.recruiter_id "
            "AND brand_id = NEW.brand_id AND recruiter_id IS NOT NEW.id) "
            f"BEGIN SELECT RAISE(ABORT, '{SAID}'); END"
        )


def unguard(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"DROP TRIGGER {NAME} ON {TABLE}")
        schema_editor.execute("DROP FUNCTION affiliates_require_recruiter()")
        return
    for operation in ("insert", "update"):
        schema_editor.execute(f"DROP TRIGGER {NAME}_on_{operation}")


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0044_recruiters'),
    ]

    operations = [migrations.RunPython(guard, unguard, elidable=False)]
