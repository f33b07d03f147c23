"""Verifying a program that somebody with a shell has changed past the product."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from io import StringIO
from itertools import islice
from typing import Any

from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.db.models import Model, QuerySet

from affiliates.verification.checks import all_checks
from affiliates.verification.faults import Check, Faults, RowFaults, Rule
from affiliates.verification.proved.proofs import Proofs
from affiliates.verification.verify import Verification

REFUSED = "Refused by the database."


def verify(*arguments: str) -> tuple[list[str], Any]:
    """Lines that the command prints, and its exit status."""
    output = StringIO()
    try:
        call_command("verify_ledger", *arguments, stdout=output)
    except SystemExit as end:
        return output.getvalue().splitlines(), end.code
    return output.getvalue().splitlines(), 0


def findings(*arguments: str) -> list[str]:
    """The command's findings, without the rows' numbers."""
    lines, status = verify(*arguments)
    found = [re.sub(r"\d+ (\(\S+\) )?", "", line, count=1) for line in lines[:-2]]
    assert status == (1 if found else 0)
    return found


def prove() -> None:
    """Verifies everything and remembers what was proved, as the command does."""
    proofs = Proofs()
    list(_findings(None, proofs))
    proofs.save()


def everything_found() -> list[str]:
    return list(_findings(None))


def found_after(corrupt: Callable[[], object]) -> list[str]:
    """All that is found of it. Nothing stays changed."""
    return _after(corrupt, lambda: list(_findings(None)))


def is_found(corrupt: Callable[[], object], *, model: type[Model]) -> bool:
    """Whether anything is found, or the database refuses; the model is looked at first."""
    return bool(_after(corrupt, lambda: list(islice(_findings(model), 1))))


@cache
def _checks() -> list[Check]:
    return [
        replace(check, rules=tuple(map(_compiled_once, check.rules)))
        for check in all_checks(is_deep=True)
    ]


def _compiled_once(rule: Rule) -> Rule:
    """Asks the rule only if its query returns rows: making a query takes longer than it."""
    if not isinstance(rule, Faults):
        return rule
    compiled: dict[range, tuple[str, tuple[Any, ...]]] = {}

    def ask(rows: QuerySet[Any], ids: range) -> RowFaults:
        if ids not in compiled:
            compiled[ids] = rule.query(rows).query.sql_with_params()
        with connection.cursor() as cursor:
            cursor.execute(*compiled[ids])
            is_faulty = cursor.fetchone() is not None
        return rule(rows, ids) if is_faulty else iter(())

    return ask


def _after(corrupt: Callable[[], object], verify: Callable[[], list[str]]) -> list[str]:
    found = [REFUSED]
    with suppress(IntegrityError), transaction.atomic():
        corrupt()
        found = verify()
        transaction.set_rollback(True)
    return found


def _findings(model: type[Model] | None, proofs: Proofs | None = None) -> Iterator[str]:
    """Without the triggers, which are switched off while rows are changed."""
    proofs = proofs or Proofs()
    checks = sorted(_checks(), key=lambda check: check.model is not model)
    for finding in Verification(checks=checks, proofs=proofs).findings(
        on_row=lambda _: None
    ):
        if not finding.row.startswith("The trigger "):
            yield f"{finding.row} {finding.meaning}"
