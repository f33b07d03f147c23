"""Columns that name a client's account. The host may delete it once the person is erased.

The number stays: it is the pseudonym by which rows of one person belong together.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import CASCADE, ProtectedError
from django.db.models.fields.related_descriptors import (
    ForwardManyToOneDescriptor,
    ForwardOneToOneDescriptor,
)

_MESSAGE = "Erase the person first: their data names the account."


def protect_unless_erased(collector: Any, field: Any, rows: Any, using: str) -> None:
    if kept := [row for row in rows if not row.is_erased]:
        raise ProtectedError(_MESSAGE, set(kept))


def cascade_unless_erased(collector: Any, field: Any, rows: Any, using: str) -> None:
    """Deletes rows of a client without orders, whose deletion needs no erasing."""
    if gone := [row for row in rows if not row.is_erased]:
        CASCADE(collector, field, gone, using)  # type: ignore[arg-type]  # of rows


class _Account(ForwardManyToOneDescriptor):  # type: ignore[type-arg]  # not generic when run
    """None once the account is deleted."""

    def __get__(self, instance: Any, cls: Any = None) -> Any:
        try:
            return super().__get__(instance, cls)
        except self.field.remote_field.model.DoesNotExist:
            self.field.set_cached_value(instance, None)
            return None


class _SingleAccount(_Account, ForwardOneToOneDescriptor):  # type: ignore[type-arg]
    pass


class _Unconstrained:
    """Has no database constraint, as the account may be gone, but must be filled."""

    def __init__(self, to: Any, on_delete: Any, **options: Any) -> None:
        options |= {"null": True, "db_constraint": False}
        super().__init__(to, on_delete, **options)  # type: ignore[call-arg]


class AccountField(_Unconstrained, models.ForeignKey):  # type: ignore[type-arg]
    forward_related_accessor_class = _Account


class SingleAccountField(_Unconstrained, models.OneToOneField):  # type: ignore[type-arg]
    forward_related_accessor_class = _SingleAccount


def key_of(client_id: str) -> Any:
    """The key of the account; None for a guest without one, such as ``guest-903``."""
    try:
        return get_user_model()._meta.pk.to_python(client_id)
    except ValidationError:
        return None


def email_of(account: Any) -> str:
    """Empty for an account that is gone, or has none."""
    if account is None:
        return ""
    return getattr(account, account.get_email_field_name(), "") or ""
