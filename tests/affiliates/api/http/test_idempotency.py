"""A host's own view that answers a repeat as the first time."""

from __future__ import annotations

import pytest
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory, force_authenticate
from rest_framework.views import APIView

from affiliates.api.http.errors import exception_handler
from affiliates.api.http.idempotency import answered_once
from affiliates.api.idempotency.models import StoredAnswer
from tests.affiliates.api.idempotency.test_rules import UUID

pytestmark = pytest.mark.django_db


class Seats(APIView):
    """Counts its calls; refuses by an answer, not by an exception."""

    authentication_classes = ()
    permission_classes = ()
    calls = 0

    def get_exception_handler(self):
        return exception_handler

    @answered_once
    def post(self, request, row):
        type(self).calls += 1
        if row == 13:
            return Response({"calls": self.calls}, status=409)
        if row == 0:
            return Response(status=204)
        response = Response(
            {"row": row, "calls": self.calls},
            status=201,
            headers={"Location": f"/seats/{row}"},
        )
        response.set_cookie("seat", "a1", max_age=60, httponly=True, samesite="Lax")
        return response


@pytest.fixture(autouse=True)
def _no_calls():
    Seats.calls = 0


def post(row, key=UUID, *, user=None):
    headers = {"idempotency-key": key} if key else {}
    request = APIRequestFactory().post(
        f"/seats/{row}", {}, format="json", headers=headers
    )
    force_authenticate(request, user=user)
    return Seats.as_view()(request, row=row).render()


def test_repeat_has_status_body_headers_and_cookies_of_the_first_time():
    first, second = post(7), post(7)

    assert Seats.calls == 1
    assert first.status_code == second.status_code == 201
    assert second.content == first.content == b'{"row":7,"calls":1}'
    assert second["Location"] == "/seats/7"
    assert dict(second.items()) == dict(first.items())
    assert second.cookies["seat"].OutputString() == first.cookies["seat"].OutputString()


def test_repeat_of_an_empty_answer_is_empty():
    answers = [post(0), post(0)]

    assert [(one.status_code, one.content) for one in answers] == [(204, b"")] * 2
    assert Seats.calls == 1


def test_refusal_that_is_returned_is_not_remembered():
    answers = [post(13), post(13)]

    assert [one.content for one in answers] == [b'{"calls":1}', b'{"calls":2}']
    assert not StoredAnswer.objects.exists()


def test_another_address_of_the_view_is_another_request():
    post(7)

    assert post(8).status_code == 422
    assert Seats.calls == 1


def test_without_the_header_every_call_is_carried_out():
    answers = [post(7, key=None), post(7, key=None)]

    assert [one.data["calls"] for one in answers] == [1, 2]
    assert not StoredAnswer.objects.exists()


def test_each_person_has_keys_of_their_own(brand, host):
    ada = host.client(brand, email="ada@example.com")
    bob = host.client(brand, email="bob@example.com")

    answers = [post(7, user=ada), post(7, user=bob), post(7, user=ada), post(7)]

    assert [one.data["calls"] for one in answers] == [1, 2, 1, 3]


def test_anonymous_user_of_a_host_may_be_none(settings):
    settings.REST_FRAMEWORK = {"UNAUTHENTICATED_USER": None}

    assert [post(7).data["calls"], post(7).data["calls"]] == [1, 1]
