from __future__ import annotations

from rest_framework.test import APIClient

from portal.clients.open_sessions import AuthToken

PATH = "/api/clients/token"


def test_the_token_of_the_request_ends_and_no_other(client, other_client, speak_as):
    api, elsewhere, other = speak_as(client), speak_as(client), speak_as(other_client)

    answer = api.delete(PATH)

    assert (answer.status_code, answer.json()) == (
        200,
        {"data": {"id": str(client.pk)}},
    )
    assert api.get("/api/account_credit").status_code == 401
    for one in (elsewhere, other):
        assert one.get("/api/account_credit").status_code == 200


def test_nobody_ends_somebody_elses(client, other_client, speak_as):
    speak_as(other_client)
    [named] = AuthToken.objects.all()
    api = speak_as(client)

    for name in (named.digest, named.token_key):
        api.delete(f"{PATH}?token={name}", {"token": name}, format="json")
        assert api.delete(f"{PATH}/{name}").status_code == 404

    assert list(AuthToken.objects.all()) == [named]


def test_a_repeat_is_unauthorized_and_changes_nothing(client, speak_as):
    api = speak_as(client)
    api.delete(PATH)
    speak_as(client)

    answer = api.delete(PATH)

    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert AuthToken.objects.count() == 1


def test_nothing_ends_without_credentials(client, speak_as):
    speak_as(client)

    assert APIClient().delete(PATH).status_code == 401
    assert AuthToken.objects.count() == 1


def test_a_guest_logs_out_too(guest, speak_as):
    assert speak_as(guest).delete(PATH).status_code == 200
    assert not AuthToken.objects.exists()
