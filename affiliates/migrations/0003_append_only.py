"""The rows that money and decisions rest on can be added, and never changed again.

Triggers rather than permissions: they hold for the ORM, for raw SQL and for every user of
the database. PostgreSQL also checks at commit that every posting's entries sum to zero;
SQLite has no trigger that waits for the commit, there ``verify_ledger`` finds it.
"""

from django.db import migrations

UPDATE, DELETE = "update", "delete"
BOTH = (UPDATE, DELETE)

# Table, what is refused, and what to do instead. A policy version goes with its brand,
# which nothing that names it lets go: see docs/decisions/0011-double-entry.md.
GUARDS = (
    ("affiliates_ledgerposting", BOTH, "post a movement that takes it back."),
    ("affiliates_ledgerentry", BOTH, "post a movement that takes it back."),
    ("affiliates_commissionline", BOTH, "reverse or reject the commission."),
    ("affiliates_commissionreversal", BOTH, "record a further refund."),
    ("affiliates_commissionevent", BOTH, "add the step that follows."),
    ("affiliates_payoutevent", BOTH, "add the step that follows."),
    ("affiliates_commissionplanversion", BOTH, "save the plan, which adds a version."),
    ("affiliates_couponcodeversion", BOTH, "save the coupon, which adds a version."),
    (
        "affiliates_attributionpolicyversion",
        (UPDATE,),
        "save the brand, which adds a version.",
    ),
    ("affiliates_decisionoverride", BOTH, "override the decision again."),
    ("affiliates_salereversal", BOTH, "record a further refund."),
)

REFUSE_CHANGE = """
CREATE FUNCTION affiliates_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$
"""

# The argument names the new row's column that holds the posting's id.
REQUIRE_ZERO_SUM = """
CREATE FUNCTION affiliates_require_zero_sum() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    checked bigint := (to_jsonb(NEW) ->> TG_ARGV[0])::bigint;
BEGIN
    IF (
        SELECT coalesce(bool_or(total <> 0) OR sum(entries) < 2, true) FROM (
            SELECT sum(amount) AS total, count(*) AS entries
            FROM affiliates_ledgerentry WHERE posting_id = checked GROUP BY currency
        ) AS sums
    ) THEN
        RAISE EXCEPTION
            'Posting % must have at least two entries that sum to zero in each currency: '
            'write it with affiliates.ledger.services.post.', checked
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$
"""
ZERO_SUM_TABLES = (
    ("affiliates_ledgerposting", "id"),
    ("affiliates_ledgerentry", "posting_id"),
)


def guard(apps, schema_editor):
    {"postgresql": _guard_postgresql, "sqlite": _guard_sqlite}[
        schema_editor.connection.vendor
    ](schema_editor)


def unguard(apps, schema_editor):
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    for table, operation, _ in _guards():
        on_table = f" ON {table}" if is_postgresql else ""
        schema_editor.execute(f"DROP TRIGGER {_name(table, operation)}{on_table}")
    if is_postgresql:
        for table, _ in ZERO_SUM_TABLES:
            schema_editor.execute(f"DROP TRIGGER {table}_sums_to_zero ON {table}")
        schema_editor.execute("DROP FUNCTION affiliates_refuse_change()")
        schema_editor.execute("DROP FUNCTION affiliates_require_zero_sum()")


def _guard_postgresql(schema_editor):
    schema_editor.execute(REFUSE_CHANGE, params=None)
    for table, operation, message in _guards():
        schema_editor.execute(
            f"CREATE TRIGGER {_name(table, operation)} BEFORE {operation} ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('{message}')"
        )
    schema_editor.execute(REQUIRE_ZERO_SUM, params=None)
    for table, column in ZERO_SUM_TABLES:
        schema_editor.execute(
            f"CREATE CONSTRAINT TRIGGER {table}_sums_to_zero AFTER INSERT ON {table} "
            "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW "
            f"EXECUTE FUNCTION affiliates_require_zero_sum('{column}')"
        )


def _guard_sqlite(schema_editor):
    for table, operation, message in _guards():
        schema_editor.execute(
            f"CREATE TRIGGER {_name(table, operation)} BEFORE {operation} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
        )


def _guards():
    for table, operations, instead in GUARDS:
        for operation in operations:
            yield table, operation, f"Rows of {table} are only ever added: {instead}"


def _name(table, operation):
    return f"{table}_refuses_{operation}"


class Migration(migrations.Migration):
    dependencies = [("affiliates", "0002_clients_and_money")]

    operations = [migrations.RunPython(guard, unguard, elidable=False)]
