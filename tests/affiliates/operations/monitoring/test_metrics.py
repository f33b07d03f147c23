"""Prometheus reads the metrics, and nobody else does."""

from __future__ import annotations

import pytest
from django.core.checks import ERROR
from django.db import OperationalError
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from affiliates.operations.health.examine import check_settings
from affiliates.operations.monitoring import metrics
from affiliates.operations.monitoring.registry import GAUGES
from affiliates.visits.commits.leader import ClickStoreUnavailable
from affiliates.visits.models import Click
from tests.affiliates.api.calls import SHOP, refusal, visit
from tests.cases import each
from tests.factories.emails import EmailFactory

pytestmark = [
    pytest.mark.urls("tests.affiliates.operations.monitoring.urls"),
    pytest.mark.django_db(transaction=True),
]
TOKEN = "b1946ac92492d2347c6235b4d2611184"


@pytest.fixture(autouse=True)
def readings(settings):
    settings.AFFILIATES_METRICS_TOKEN = TOKEN
    metrics.readings.forget()
    yield
    metrics.readings.forget()


def ask(token=TOKEN):
    return Client().get("/metrics", headers={"authorization": f"Bearer {token}"})


def scrape():
    """The samples by their names and the values of their labels, in alphabetical order."""
    answer = ask()
    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
    return {
        (one.name, *one.labels.values()): one.value
        for family in text_string_to_metric_families(answer.content.decode())
        for one in family.samples
    }


def grown(before, *series):
    return scrape().get(series, 0) - before.get(series, 0)


def test_without_a_token_there_are_no_metrics(settings):
    settings.AFFILIATES_METRICS_TOKEN = ""

    assert [ask(token).status_code for token in (TOKEN, "", "None")] == [404] * 3


@each("given", ["", "Bearer", f"Bearer {TOKEN}x", TOKEN, f"Basic {TOKEN}", "Bearer é"])
def test_another_token_is_refused(given):
    answer = Client().get("/metrics", headers={"authorization": given})

    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert answer.content == b""


def test_rows_are_read_at_each_scrape(brand, now):
    EmailFactory.create_batch(3, brand=brand)

    found = scrape()

    assert found["affiliates_emails", "waiting"] == 3
    assert found["affiliates_database_up",] == 1


def test_counters_are_shown_without_a_database(monkeypatch):
    def fail(now):
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr(metrics, "read_all", fail)

    found = scrape()

    assert found["affiliates_database_up",] == 0
    assert not [name for name, *_ in found if name.startswith("affiliates_emails")]


def test_visits_are_counted_by_touch_and_verdict(api, link):
    before = scrape()

    visit(api, f"{SHOP}/aff/{link.hash}")
    visit(api, f"{SHOP}/?redirect=https://evil.example.net/")

    series = "affiliates_visits_total"
    assert grown(before, series, "no_redirect", "new") == 1
    assert grown(before, series, "not_on_brand_domains", "nobody_named") == 1


def test_a_visit_that_is_not_stored_is_counted_apart(api, link, monkeypatch):
    def refuse(*args: object, **named: object) -> None:
        raise ClickStoreUnavailable

    monkeypatch.setattr("affiliates.visits.services.write_click", refuse)
    before = scrape()

    visit(api, f"{SHOP}/aff/{link.hash}")

    series = "affiliates_visits_total"
    assert grown(before, series, "no_redirect", "unstored") == 1
    assert grown(before, series, "no_redirect", "new") == 0
    assert not Click.objects.exists()


def test_refusals_are_counted_by_their_codes(api, brand):
    before = scrape()

    answers = [
        visit(api, "no address"),
        visit(api, headers={"origin": "https://unknown.example.net"}),
    ]

    for answer in answers:
        status, code, _ = refusal(answer)
        assert (
            grown(before, "affiliates_refusals_total", code, "visit", str(status)) == 1
        )
    visits = [one for one in scrape() if one[0] == "affiliates_visits_total"]
    assert {one: before.get(one) for one in visits} == {
        one: value for one, value in scrape().items() if one in visits
    }


def test_every_gauge_is_described():
    text = ask().content.decode()

    assert [name for name in GAUGES if f"# HELP {name} " not in text] == []


@each("token", ["s3cret", "é" * 30])
def test_a_token_that_is_easily_guessed_is_named(token, settings):
    settings.AFFILIATES_METRICS_TOKEN = token

    (finding,) = [one for one in check_settings(None) if one.id == "affiliates.E027"]

    assert finding.level == ERROR
    assert token not in finding.msg


@each(
    ("environment", "said"),
    [
        ({"GRANIAN_WORKERS": "1"}, None),
        ({"GRANIAN_WORKERS": "2"}, "Each of the 2 processes (GRANIAN_WORKERS)"),
        ({"GRANIAN_WORKERS": "2", "PROMETHEUS_MULTIPROC_DIR": "/tmp"}, None),  # noqa: S108
        ({"PROMETHEUS_MULTIPROC_DIR": "/not/there"}, "is /not/there, where nothing"),
    ],
)
def test_processes_that_count_apart_are_named(environment, said, monkeypatch):
    monkeypatch.delenv("WEB_CONCURRENCY", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    found = [one.msg for one in check_settings(None) if one.id == "affiliates.W012"]

    assert len(found) == (said is not None)
    assert said is None or said in found[0]
