"""Each role asks every operation: with a request that fits, and with made-up ones.

The made-up requests come from the description, well-formed and not, with and without
the ids of rows that are there.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import Any

import pytest
import schemathesis
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode, checks
from schemathesis.core import NOT_SET, NotSet
from schemathesis.specs.openapi import checks as openapi_checks

from portal.billing.webhooks import sign
from portal.wsgi import application
from tests.contract.fitting import REACHED_BY, fitting_body
from tests.contract.frontend import WEBHOOK_SECRET
from tests.contract.roles import Caller, Role, make_callers
from tests.contract.test_openapi import OPERATIONS
from tests.lengths import IS_LONG, times

# 62 operations, each asked by 12 roles: in the long form 31,620 requests at least.
DRAWS = times(3, long=22)
FEWEST = times(18, long=510)
WEBHOOK = "/api/payments/webhook/{gateway}"
JSON = "application/json"
pytestmark = pytest.mark.long
CHECKS = [
    checks.not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_schema_conformance,
    openapi_checks.response_headers_conformance,
]


class Form(Enum):
    """How a made-up request becomes one about rows that are there."""

    AS_MADE = "as made"
    OWN_IDS = "its ids are the caller's"
    FITTING_BUT_ONE = "it fits but for one field"


generously = settings(
    max_examples=DRAWS,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
forms = st.sampled_from(Form)
# Any role, where not all of them ask: beside one that can succeed.
roles = st.sampled_from(Role)
headers = st.fixed_dictionaries(
    {},
    optional={
        "Accept": st.sampled_from([JSON, "text/html", "*/*", "image/png;q=x"]),
        "Accept-Language": st.sampled_from(["de", "en", "*;q=0"]),
    },
)
unknown = st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=1)


def on_loopback(environ, start_response):
    """The service as its own machine sees it: never throttled."""
    environ["REMOTE_ADDR"] = "127.0.0.1"
    return application(environ, start_response)


@cache
def description():
    return schemathesis.openapi.from_wsgi("/api/schema", on_loopback)


@pytest.fixture
def callers(db) -> dict[Role, Caller]:
    return make_callers()


@pytest.fixture(autouse=True)
def _unlimited_claims(settings):
    """These are counted by the client, not by the address."""
    settings.AFFILIATES_THROTTLE_RATES = {"claim": ""}


def test_every_operation_can_be_reached():
    assert REACHED_BY.keys() == OPERATIONS.keys()
    assert all(REACHED_BY.values())
    assert {role for reached in REACHED_BY.values() for role in reached} == set(Role)


@pytest.mark.parametrize(("method", "path"), sorted(OPERATIONS))
def test_every_answer_is_a_described_one(
    callers, one_connection, record_property, method, path
):
    operation = description()[path][method]
    success = int(OPERATIONS[method, path])
    allowed = sorted(REACHED_BY[method, path])
    made = 0

    reached = set()
    for role, caller in callers.items():
        case = _fitting_case(operation, caller)
        reached |= {role} if _ask(case, caller, {}) == success else set()
        made += 1
    assert reached == REACHED_BY[method, path]

    for mode in GenerationMode:

        @generously
        @given(
            case=operation.as_strategy(generation_mode=mode),
            form=forms,
            role=roles,
            sent=headers,
            more=unknown,
        )
        def ask(case, form, role, sent, more):
            nonlocal made
            path_parameters, body = case.path_parameters, case.body
            case.query = {**(case.query or {}), **more}
            for asking in Role if IS_LONG else {role, allowed[0]}:
                caller = callers[asking]
                case.path_parameters, case.body = dict(path_parameters or {}), body
                _refer(case, caller.ids_for(path), form)
                status = _ask(case, caller, sent)
                assert status >= 400 or asking in REACHED_BY[method, path]
                made += 1

        ask()

    assert made >= FEWEST
    record_property("requests", made)


def _fitting_case(operation: Any, caller: Caller) -> Any:
    ids = caller.ids_for(operation.path)
    body = fitting_body(operation.method.upper(), operation.path, ids)
    return operation.Case(
        path_parameters={
            name: ids[name] for name in ids if f"{{{name}}}" in operation.path
        },
        body=NOT_SET if body is None else body,
        media_type=None if body is None else JSON,
    )


def _refer(case: Any, ids: dict[str, Any], form: Form) -> None:
    """Changes the case to name the rows of these ids."""
    if form is Form.AS_MADE:
        return
    for name in case.path_parameters:
        case.path_parameters[name] = ids[name]
    if not isinstance(case.body, dict):
        return
    made = {**case.body, **{name: ids[name] for name in case.body.keys() & ids.keys()}}
    if form is Form.FITTING_BUT_ONE:
        fitting = fitting_body(case.method.upper(), case.path, ids) or {}
        # Chosen by the request itself, so that it is chosen again.
        names = sorted(map(str, case.body))
        one = names[len(json.dumps(case.body)) % len(names)] if names else None
        made = {**fitting, **{name: made[name] for name in made if name == one}}
    case.body = made


def _ask(case: Any, caller: Caller, sent: dict[str, str]) -> int:
    """Returns the status of an answer that conforms. Writes nothing that stays."""
    options: dict[str, Any] = {"headers": {**sent, **caller.headers}}
    if case.path == WEBHOOK and not isinstance(case.body, bytes | NotSet):
        options = _signed(case.body, options["headers"])
    with transaction.atomic():
        answer = case.call(**options)
        # Every request finds the same rows.
        transaction.set_rollback(True)
    case.validate_response(answer, checks=CHECKS, headers=options["headers"])
    assert not answer.content.lstrip().startswith(b"<")
    return int(answer.status_code)


def _signed(body: Any, headers: dict[str, str]) -> dict[str, Any]:
    """As the gateway sends it: believed, however little the body is one of its."""
    data = json.dumps(body).encode()
    signature = sign(
        secret=WEBHOOK_SECRET, event_id="event-1", body=data, now=datetime.now(tz=UTC)
    )
    return {"data": data, "headers": {**headers, **signature, "Content-Type": JSON}}
