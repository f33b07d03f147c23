"""Every emptied row beside the erasure that it names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from django.db.models import Model, Q, QuerySet

from affiliates.db.seals import ERASED, erasure_of, seal_field
from affiliates.privacy.erasure.models import Erasure
from affiliates.privacy.erasure.rules import EMPTIED
from affiliates.privacy.erasure.selectors import owned_by_erased
from affiliates.verification.faults import DOCUMENTS_AT_ONCE, Check, RowFaults, every
from affiliates.verification.seals import SEALED


def erased_checks() -> list[Check]:
    return [
        *(
            Check(
                label="erased rows",
                model=model,
                rules=(_erased,),
                only=Q(salt__startswith=ERASED),
                brand=SEALED[model],
                at_once=DOCUMENTS_AT_ONCE,
            )
            for model in _emptied_models()
        ),
        Check(label="erasures", model=Erasure, rules=(_counts,)),
    ]


def _emptied_models() -> Iterator[type[Model]]:
    for model in SEALED:
        if (field := seal_field(model)) is not None and field.personal:
            yield model


def _erased(rows: QuerySet[Any], _ids: range) -> RowFaults:
    name = str(rows.model._meta.verbose_name).capitalize()
    by_erasure: defaultdict[int | None, list[Any]] = defaultdict(list)
    for row in rows:
        by_erasure[erasure_of(row.salt)].append(row)
    done = Erasure.objects.exclude(done_at=None).select_related("brand")
    for number, emptied in by_erasure.items():
        erasure = done.filter(pk=number or 0).first()
        owned = set()
        if erasure is not None:
            keys = [row.pk for row in emptied]
            own = owned_by_erased(erasure, rows.model)
            of_brand = own.filter(pk__in=keys, **{SEALED[rows.model]: erasure.brand_id})
            owned = set(of_brand.values_list("pk", flat=True))
        for row in emptied:
            yield f"{name} {row.pk}", _erased_faults(row, erasure, row.pk in owned)


def _erased_faults(row: Any, erasure: Erasure | None, is_own: bool) -> Iterator[str]:
    field = seal_field(type(row))
    if erasure is None:
        yield "is empty by an erasure that is recorded nowhere."
    elif not is_own:
        yield f"is empty by erasure {erasure.pk}, which was of another person."
    if field is not None and field.holds_personal(row):
        yield "holds personal data, although it was erased."


def _counts(erasures: QuerySet[Any], _ids: range) -> RowFaults:
    for erasure in erasures.exclude(done_at=None):
        yield f"Erasure {erasure.pk}", _count_faults(erasure)


def _count_faults(erasure: Erasure) -> Iterator[str]:
    for model in _emptied_models():
        name = model._meta.label
        recorded = erasure.changed.get(name, {}).get(EMPTIED, 0)
        named = every(model).filter(salt__startswith=f"{ERASED}{erasure.pk}.").count()
        if named > recorded:
            yield f"emptied {recorded} rows of {name}, but {named} name it."
