"""What an adapter raises is answered in the one shape, and leaves nothing behind."""

from __future__ import annotations

from typing import ClassVar

import pytest
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from rest_framework import exceptions

from affiliates.adapter import get_adapter
from affiliates.errors import InvalidInput, NotAllowed, NotFound, StateConflict
from tests.affiliates.api.calls import complete, convert, register, register_guest
from tests.cases import each
from tests.database import nothing_written

HostAdapter = type(get_adapter())


class RefusingAdapter(HostAdapter):
    """Does its part and then finds a reason to refuse."""

    reason: ClassVar[Exception]

    def register_client(self, registration, **facts):
        super().register_client(registration, **facts)
        raise self.reason

    def register_guest(self, registration, **facts):
        super().register_guest(registration, **facts)
        raise self.reason

    def complete_registration(self, completion, **facts):
        super().complete_registration(completion, **facts)
        raise self.reason

    def finish_conversion(self, prepared):
        super().finish_conversion(prepared)
        raise self.reason


@pytest.fixture
def refuse(settings, monkeypatch):
    settings.AFFILIATES_ADAPTER = f"{__name__}.RefusingAdapter"

    def refuse(reason):
        monkeypatch.setattr(RefusingAdapter, "reason", reason, raising=False)

    return refuse


def error(code, detail, attr):
    return {"code": code, "detail": detail, "attr": attr}


@each(
    ("reason", "status", "kind", "errors"),
    [
        (
            ValidationError("Too young.", code="age"),
            400,
            "validation_error",
            [error("age", "Too young.", None)],
        ),
        (
            ValidationError("At least %(years)s.", params={"years": 18}),
            400,
            "validation_error",
            [error("invalid", "At least 18.", None)],
        ),
        (
            ValidationError(
                {
                    "password": [
                        ValidationError("Too short.", code="password_too_short"),
                        ValidationError("Too common.", code="password_too_common"),
                    ],
                    NON_FIELD_ERRORS: ["Not today."],
                }
            ),
            400,
            "validation_error",
            [
                error("password_too_short", "Too short.", "password"),
                error("password_too_common", "Too common.", "password"),
                error("invalid", "Not today.", None),
            ],
        ),
        (
            exceptions.ValidationError("Not today.", code="closed"),
            400,
            "validation_error",
            [error("closed", "Not today.", None)],
        ),
        (
            exceptions.ValidationError({"email": ["Taken."]}, code="email_taken"),
            400,
            "validation_error",
            [error("email_taken", "Taken.", "email")],
        ),
        (
            exceptions.PermissionDenied(),
            403,
            "client_error",
            [
                error(
                    "permission_denied",
                    "You do not have permission to perform this action.",
                    None,
                )
            ],
        ),
        (
            InvalidInput("vat", "No VAT number.", field="vat"),
            400,
            "validation_error",
            [error("vat", "No VAT number.", "vat")],
        ),
        (
            NotAllowed("closed", "Closed."),
            403,
            "client_error",
            [error("closed", "Closed.", None)],
        ),
        (
            NotFound(),
            404,
            "client_error",
            [error("not_found", "Not found.", None)],
        ),
        (
            StateConflict("late", "Too late."),
            409,
            "client_error",
            [error("late", "Too late.", None)],
        ),
    ],
)
def test_a_registration_is_refused_as_the_adapter_says(
    reason, status, kind, errors, api, brand, refuse
):
    refuse(reason)

    with nothing_written():
        answer = register(api)

    assert answer.status_code == status
    assert answer.json() == {"type": kind, "errors": errors}


@pytest.mark.parametrize(
    "endpoint", ["register_guest", "complete_registration", "convert"]
)
def test_every_endpoint_takes_back_what_was_refused(endpoint, api, brand, host, refuse):
    guest = host.guest(brand)
    order, details = host.order(guest), host.payment_details_id(guest)
    api.credentials(HTTP_AUTHORIZATION=host.authorization(guest))
    refuse(ValidationError({"email": ["No."]}))
    call = {
        "register_guest": lambda: register_guest(api),
        "complete_registration": lambda: complete(api, guest.pk),
        "convert": lambda: convert(api, order, payment_details_id=details),
    }[endpoint]

    with nothing_written():
        answer = call()

    assert answer.status_code == 400
    assert answer.json()["errors"] == [error("invalid", "No.", "email")]
