"""Checks that the triggers that make rows append-only are present and unchanged.

SQLite drops a table's triggers whenever a migration rebuilds the table, and anybody who
owns the database can switch them off or empty their functions. ``GUARDS`` is the list
of today; the migrations hold the copies that they were made by.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from django.db import connection
from django.db.models import Model

from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.commissions.forfeit_models import ForfeitDeduction, ForfeitedAmount
from affiliates.commissions.models import (
    Adjustment,
    CommissionEvent,
    CommissionLine,
    CommissionReversal,
)
from affiliates.db.migration_operations import Trigger, faulty_triggers
from affiliates.db.seals import seal_field
from affiliates.ledger.models import LedgerEntry, LedgerPosting
from affiliates.payouts.models import PayoutEvent
from affiliates.payouts.statement_models import PayoutStatement, StatementGap
from affiliates.plans.models.coupon import CouponCodeVersion
from affiliates.plans.models.plan import CommissionPlanVersion
from affiliates.program.history_models import AffiliateDeparture
from affiliates.program.models import Affiliate
from affiliates.referrals.models import DecisionOverride, OrderCandidate
from affiliates.sales.models import SaleReversal

UPDATE, DELETE = "update", "delete"
BOTH = (UPDATE, DELETE)


class Guard(NamedTuple):
    """The refused changes of a table's rows, and what to do instead.

    ``ends`` is a column that may be filled once, with a new seal.
    """

    model: type[Model]
    operations: tuple[str, ...]
    instead: str
    ends: str = ""

    @property
    def table(self) -> str:
        return self.model._meta.db_table


# Apps add their own in ``affiliates_hooks.py``.
GUARDS = [
    Guard(LedgerPosting, BOTH, "post a movement that takes it back."),
    Guard(LedgerEntry, BOTH, "post a movement that takes it back."),
    Guard(CommissionLine, BOTH, "reverse or reject the commission."),
    Guard(CommissionReversal, BOTH, "record a further refund."),
    Guard(CommissionEvent, BOTH, "add the step that follows."),
    Guard(PayoutEvent, BOTH, "add the step that follows."),
    Guard(CommissionPlanVersion, BOTH, "save the plan, which adds a version."),
    Guard(CouponCodeVersion, BOTH, "save the coupon, which adds a version."),
    # It is deleted with its brand, if nothing names it.
    Guard(AttributionPolicyVersion, (UPDATE,), "save the brand, which adds a version."),
    Guard(DecisionOverride, BOTH, "override the decision again."),
    Guard(SaleReversal, BOTH, "record a further refund."),
    Guard(Adjustment, BOTH, "add one that takes it back."),
    Guard(AffiliateDeparture, BOTH, "take the affiliate back.", ends="ended_at"),
    Guard(ForfeitedAmount, BOTH, "give a bonus."),
    Guard(ForfeitDeduction, BOTH, "give a bonus."),
    Guard(PayoutStatement, BOTH, "issue a credit note."),
    Guard(StatementGap, BOTH, "run affiliates_after_restore for another moment."),
    Guard(OrderCandidate, BOTH, "decide the order again."),
]
# Each returns the names of an app's faulty triggers, with the fault and its effect.
OTHER_TRIGGERS: list[Callable[[], Iterator[tuple[str, str]]]] = []
# The column of the new row that holds the posting's id.
ZERO_SUM_COLUMNS: Mapping[type[Model], str] = {
    LedgerPosting: "id",
    LedgerEntry: "posting_id",
}

REFUSE_CHANGE = "affiliates_refuse_change"
# The same, but erasing may replace the salt and empty the personal columns.
REFUSE_OTHER_CHANGE = "affiliates_refuse_other_change"
# The same, but the column named first may be filled.
REFUSE_ALL_BUT_END = "affiliates_refuse_all_but_end"
REQUIRE_RECRUITER = "affiliates_require_recruiter"
REQUIRE_ZERO_SUM = "affiliates_require_zero_sum"
FUNCTIONS: Mapping[str, str] = {
    REFUSE_CHANGE: """
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END """,
    REFUSE_OTHER_CHANGE: """
BEGIN
    IF OLD.salt LIKE 's%' AND NEW.salt LIKE 'e%'
        AND to_jsonb(NEW) - TG_ARGV[1:] = to_jsonb(OLD) - TG_ARGV[1:]
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END """,
    REFUSE_ALL_BUT_END: """
BEGIN
    IF to_jsonb(OLD) ->> TG_ARGV[1] IS NULL
        AND to_jsonb(NEW) - TG_ARGV[1:] = to_jsonb(OLD) - TG_ARGV[1:]
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END """,
    REQUIRE_RECRUITER: """
BEGIN
    IF NEW.recruiter_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM affiliates_affiliate WHERE id = NEW.recruiter_id
        AND brand_id = NEW.brand_id AND recruiter_id IS DISTINCT FROM NEW.id
    ) THEN
        RAISE EXCEPTION
            'A recruiter is of the same brand, and not recruited by its own recruit.'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END """,
    REQUIRE_ZERO_SUM: """
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
END """,
}


def faulty_guards() -> Iterator[tuple[str, str]]:
    """The name of each trigger that does not do its work, and what follows."""
    wanted = (trigger for _, trigger in triggers(connection.vendor))
    for trigger, fault in faulty_triggers(connection, wanted, FUNCTIONS):
        yield trigger.name, f"{fault}: rows can be changed unseen."
    for faulty in OTHER_TRIGGERS:
        yield from faulty()


def triggers(vendor: str) -> Iterator[tuple[type[Model], Trigger]]:
    """Each required trigger, with the model whose app's migrations create it."""
    is_postgresql = vendor == "postgresql"
    for guard in GUARDS:
        for operation in guard.operations:
            name = f"{guard.table}_refuses_{operation}"
            message = f"Rows of {guard.table} are only ever added: {guard.instead}"
            created = f"CREATE TRIGGER {name} BEFORE {operation} ON {guard.table}"
            free = _free_columns(guard) if operation == UPDATE else []
            if is_postgresql:
                function = _function(guard) if free else REFUSE_CHANGE
                said = ", ".join(f"'{text}'" for text in (message, *free))
                act = f"FOR EACH ROW EXECUTE FUNCTION {function}({said})"
            else:
                function = ""
                act = f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
                if free:
                    act = f"WHEN NOT ({_is_allowed(guard, free)}) {act}"
            yield guard.model, Trigger(name, guard.table, f"{created} {act}", function)
    if is_postgresql:
        yield from _zero_sum_guards()
    yield from _recruiter_guards(is_postgresql=is_postgresql)


def _free_columns(guard: Guard) -> list[str]:
    """The columns that erasing or the row's end changes, if anything may."""
    if guard.ends:
        return [guard.ends, "seal"]
    seal = seal_field(guard.model)
    return [*seal.personal, "salt"] if seal is not None and seal.personal else []


def _function(guard: Guard) -> str:
    return REFUSE_ALL_BUT_END if guard.ends else REFUSE_OTHER_CHANGE


def _is_allowed(guard: Guard, free: Collection[str]) -> str:
    """The condition, for SQLite, that an update changes nothing else."""
    columns = [str(field.column) for field in guard.model._meta.concrete_fields]
    kept = [f"NEW.{column} IS OLD.{column}" for column in columns if column not in free]
    if guard.ends:
        return " AND ".join([f"OLD.{guard.ends} IS NULL", *kept])
    return " AND ".join(["OLD.salt LIKE 's%'", "NEW.salt LIKE 'e%'", *kept])


def _recruiter_guards(*, is_postgresql: bool) -> Iterator[tuple[type[Model], Trigger]]:
    table = Affiliate._meta.db_table
    name = f"{table}_has_a_fitting_recruiter"
    columns = "update of brand_id, recruiter_id"
    if is_postgresql:
        definition = (
            f"CREATE TRIGGER {name} BEFORE insert or {columns} ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {REQUIRE_RECRUITER}()"
        )
        yield Affiliate, Trigger(name, table, definition, REQUIRE_RECRUITER)
        return
    for when in ("insert", columns):
        trigger_name = f"{name}_on_{when.split()[0]}"
        definition = (
            f"CREATE TRIGGER {trigger_name} BEFORE {when} ON {table} "  # noqa: S608 - tables' names
            "WHEN NEW.recruiter_id IS NOT NULL AND NOT EXISTS ("
            f"SELECT 1 FROM {table} WHERE id = NEW.recruiter_id "
            "AND brand_id = NEW.brand_id AND recruiter_id IS NOT NEW.id) "
            "BEGIN SELECT RAISE(ABORT, 'A recruiter is of the same brand, "
            "and not recruited by its own recruit.'); END"
        )
        yield Affiliate, Trigger(trigger_name, table, definition)


def _zero_sum_guards() -> Iterator[tuple[type[Model], Trigger]]:
    for model, column in ZERO_SUM_COLUMNS.items():
        table = model._meta.db_table
        name = f"{table}_sums_to_zero"
        definition = (
            f"CREATE CONSTRAINT TRIGGER {name} AFTER INSERT ON {table} "
            "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW "
            f"EXECUTE FUNCTION {REQUIRE_ZERO_SUM}('{column}')"
        )
        yield model, Trigger(name, table, definition, REQUIRE_ZERO_SUM)
