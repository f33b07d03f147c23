"""The short path answers, writes and counts as Django does, byte for byte."""

from __future__ import annotations

import json
import os
import secrets
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

import pytest
import time_machine
from django.core.handlers.wsgi import WSGIHandler
from django.db import OperationalError

from affiliates.api import plain_visits
from affiliates.api.short_path import VisitShortPath
from affiliates.brands.rules import ConsentRule
from affiliates.brands.selectors import brand_for_origin
from affiliates.visits import services
from affiliates.visits.commits.leader import ClickStoreUnavailable
from affiliates.visits.models import Click
from tests.affiliates.api.calls import BROWSER, CRAWLER, SHOP
from tests.contract.both_paths import VISIT, Answer, request, visit
from tests.factories.affiliates import AffiliateFactory, AffiliateLinkFactory
from tests.factories.portal import ClientFactory
from tests.lengths import times

REQUESTS = int(os.environ.get("SHORT_PATH_REQUESTS", times(1_000, long=100_000)))
SEED = int(os.environ.get("SHORT_PATH_SEED", secrets.randbelow(10**9)))
# One in so many of the redirect vectors.
EVERY = times(10, long=1)
CORPUS = Path(__file__).resolve().parents[2] / "../shared/corpora/redirect_vectors.json"
OK = "200 OK"


def test_plain_visit_takes_the_short_path(both, link_url):
    answer = both.ask(*request(visit(link_url)), seed=1)

    assert (answer.status, answer.by_django) == (OK, False)
    assert ("access-control-allow-origin", SHOP) in answer.headers
    assert ("X-Frame-Options", "DENY") in answer.headers
    assert Click.objects.count() == 1


@pytest.mark.parametrize("meaning", ["not_considered", "refusal"])
def test_privacy_control_means_the_same(both, brand, link_url, meaning):
    brand.privacy_control = meaning
    brand.save()

    answer = both.ask(*request(visit(link_url), HTTP_SEC_GPC="1"), seed=1)

    is_tracked = meaning == "not_considered"
    assert (answer.status, answer.by_django) == (OK, False)
    assert (b"referral_cookie" in answer.body) is is_tracked
    assert [row.visitor_id is not None for row in Click.objects.all()] == [is_tracked]


@pytest.mark.parametrize("rule", ConsentRule.values)
def test_consent_means_the_same(both, brand, link_url, rule):
    brand.consent = rule
    brand.save()
    held = json.loads(
        both.ask(*request(visit(link_url, consent="granted")), seed=0).body
    )["data"]["referral_cookie"]

    for seed, said in enumerate(["granted", "unknown", None, "denied"], start=1):
        reported = {} if said is None else {"consent": said}
        body = visit(link_url, referral_cookie=held, **reported)
        answer = both.ask(*request(body), seed=seed)

        is_known = said == "granted" or (said != "denied" and rule != "required")
        assert (answer.status, answer.by_django) == (OK, False)
        assert (b"referral_cookie" in answer.body) is is_known
        assert (b"max_age" in answer.body) is (is_known and rule != "session_only")
    assert [one.visitor_id for one in Click.objects.all()] == [None] * 5


@pytest.mark.parametrize("said", [None, "", "yes", True, ["granted"]])
def test_consent_that_is_none_of_the_three_is_refused_by_django(both, link_url, said):
    answer = both.ask(*request(visit(link_url, consent=said)), seed=1)

    assert (answer.status, answer.by_django) == ("400 Bad Request", True)
    assert Click.objects.count() == 0


def test_click_after_a_prerender_means_the_same_where_the_first_click_wins(
    both, brand, link_url
):
    brand.attribution_policy = "first_click"
    brand.save()
    user = ClientFactory(brand=brand, email="rival@example.com")
    rival = AffiliateFactory(brand=brand, user=user, code="rival")
    first = both.ask(*request(visit(link_url)), seed=1)
    held = {"referral_cookie": json.loads(first.body)["data"]["referral_cookie"]}
    rivals = visit(f"{SHOP}/?ref=rival", **held)

    both.ask(*request(rivals, HTTP_SEC_PURPOSE="prefetch;prerender"), seed=2)
    answers = [both.ask(*request(rivals), seed=seed) for seed in (3, 4)]

    assert [one.by_django for one in answers] == [False, False]
    repeats = Click.objects.filter(affiliate=rival).values_list(
        "bot_signs", "is_repeat"
    )
    assert sorted(repeats) == [("", False), ("", True), ("prefetch", False)]


@pytest.mark.parametrize(
    ("_case", "changes"),
    [
        ("method", {"REQUEST_METHOD": "PUT"}),
        ("preflight", {"REQUEST_METHOD": "OPTIONS"}),
        ("path", {"PATH_INFO": f"{VISIT}/"}),
        ("query", {"QUERY_STRING": "lang=de"}),
        ("no type", {"CONTENT_TYPE": None}),
        ("another type", {"CONTENT_TYPE": "text/plain"}),
        ("chunked", {"CONTENT_LENGTH": None, "HTTP_TRANSFER_ENCODING": "chunked"}),
        ("length of many digits", {"CONTENT_LENGTH": "1" * 5000}),
        ("too long", {"CONTENT_LENGTH": "65537"}),
        ("odd length", {"CONTENT_LENGTH": "+30"}),
        ("no origin", {"HTTP_ORIGIN": None}),
        ("unknown origin", {"HTTP_ORIGIN": "https://evil.example"}),
    ],
)
def test_what_is_unusual_is_left_to_django(both, link_url, _case, changes):
    assert both.ask(*request(visit(link_url), **changes), seed=1).by_django


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"\xff", b"[" * 5000, {"visit_url": 1}, visit("x")]
)
def test_refused_body_is_refused_by_django(both, body):
    answer = both.ask(*request(body), seed=1)

    assert (answer.status, answer.by_django) == ("400 Bad Request", True)


def test_too_many_visits_are_counted_once_and_refused_by_django(
    both, link_url, settings
):
    settings.AFFILIATES_THROTTLE_RATES = {"visit": "2/minute"}

    # Within one minute, however slow the machine is.
    with time_machine.travel(datetime(2026, 3, 1, tzinfo=UTC), tick=False):
        answers = [both.ask(*request(visit(link_url)), seed=n) for n in range(4)]

    assert [answer.by_django for answer in answers] == [False, False, True, True]
    assert answers[3].status == "429 Too Many Requests"
    assert dict(answers[3].headers)["Retry-After"]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ClickStoreUnavailable(), OK),
        (OperationalError(), "503 Service Unavailable"),
        (RuntimeError(), "500 Internal Server Error"),
    ],
)
def test_failure_is_answered_by_django_and_not_tried_again(
    both, link_url, monkeypatch, error, status
):
    tries = []

    def fail(*_: Any) -> None:
        tries.append(1)
        raise error

    both.ask(*request(visit()), seed=0)
    monkeypatch.setattr(services, "write_click", fail)
    answer = both.ask(*request(visit(link_url)), seed=1)

    assert (answer.status, answer.by_django) == (status, True)
    # Once by Django alone, once by the short path.
    assert len(tries) == 2


def test_middleware_whose_headers_differ_keeps_visits_with_django(
    new_both, brand, settings
):
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, f"{__name__}.Numbering"]
    both = new_both()

    with pytest.raises(AssertionError, match="X-Number"):
        both.ask(*request(visit()), seed=1)
    assert both.headers == {("http", "api.localhost:8000", None): None}


def Numbering(get_response):  # noqa: N802 - a middleware
    numbers = iter(range(100))

    def middleware(request):
        response = get_response(request)
        response["X-Number"] = str(next(numbers))
        return response

    return middleware


@pytest.mark.parametrize(
    ("_case", "changes"),
    [
        ("redirected to https", {"SECURE_SSL_REDIRECT": True}),
        (
            "https",
            {
                "SECURE_SSL_REDIRECT": True,
                "SECURE_HSTS_SECONDS": 60,
                "SECURE_PROXY_SSL_HEADER": ("HTTP_X_FORWARDED_PROTO", "https"),
            },
        ),
        ("length", {"MIDDLEWARE": ["django.middleware.common.CommonMiddleware"]}),
    ],
)
def test_settings_of_the_host_are_respected(new_both, brand, settings, _case, changes):
    for name, value in changes.items():
        setattr(settings, name, value)
    both = new_both()
    proto = {"HTTP_X_FORWARDED_PROTO": "https"} if _case == "https" else {}

    answers = [both.ask(*request(visit(), **proto), seed=n) for n in range(2)]

    assert [answer.by_django for answer in answers] == [
        _case == "redirected to https"
    ] * 2


@pytest.mark.parametrize(
    "visited", [SHOP, "no address"], ids=["answered", "left to Django"]
)
def test_old_connections_are_closed_as_after_any_request(
    brand, one_connection, visited
):
    short = VisitShortPath(WSGIHandler())

    def call(url: str) -> bytes:
        environ, content = request({**visit(), "visit_url": url})
        return b"".join(
            short(environ | {"wsgi.input": BytesIO(content)}, lambda *_: None)
        )

    call(SHOP)
    with patch.object(plain_visits, "close_old_connections") as close:
        answer = call(visited)

    assert answer
    close.assert_called_once_with()


def know_configuration(settings) -> None:
    """All rows are there: no need to look for changes before each request."""
    brand_for_origin(SHOP)
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600


@pytest.mark.long
def test_redirect_vectors(both, settings):
    if not CORPUS.exists():
        pytest.skip("the corpus is not part of this checkout")
    rows = json.loads(CORPUS.read_text(encoding="utf-8"))["rows"]

    know_configuration(settings)
    urls = [f"{SHOP}/?redirect={_quoted(row['value'])}" for row in rows[::EVERY]]
    answers = [
        both.ask(*request(visit(url), REMOTE_ADDR="127.0.0.1"), seed=url)
        for url in urls
    ]

    assert _taken(answers) == 1


@pytest.mark.long
def test_generated_requests(both, brand, other_brand, affiliate, integration, settings):
    """SHORT_PATH_REQUESTS of them, from SHORT_PATH_SEED."""
    settings.AFFILIATES_THROTTLE_RATES = {"visit": "40/minute"}
    settings.AFFILIATES_MAX_BODY_BYTES = 3000
    links = [
        AffiliateLinkFactory(affiliate=affiliate, target_url=f"{SHOP}/plans"),
        AffiliateLinkFactory(affiliate=affiliate, target_url=""),
        AffiliateLinkFactory(affiliate=affiliate, is_active=False),
        AffiliateLinkFactory(
            affiliate=AffiliateFactory(
                brand=brand,
                user=ClientFactory(brand=brand, email="s@example.com"),
                status="suspended",
            )
        ),
    ]
    random = Random(SEED)  # noqa: S311 - to be repeated
    made_up = Requests(random, [link.hash for link in links])
    know_configuration(settings)
    plain: list[Answer] = []
    with time_machine.travel(datetime(2026, 3, 1, tzinfo=UTC), tick=False) as clock:
        for number in range(REQUESTS):
            is_plain, environ, body = made_up.next()
            answer = both.ask(environ, body, seed=f"{SEED}/{number}")
            made_up.remember(answer)
            if is_plain and answer.status == OK:
                plain.append(answer)
            clock.shift(timedelta(seconds=made_up.random.choice([0, 1, 5, 900])))

    assert len(plain) > REQUESTS / 3
    assert _taken(plain) >= 0.95, f"seed {SEED}"


class Requests:
    """Visits as they may come: about two thirds plain, the others odd somewhere."""

    def __init__(self, random: Random, hashes: list[str]) -> None:
        self.random = random
        self._hashes = hashes
        self._cookies = ["", "garbage", "\x00", "A" * 106, "é"]

    def next(self) -> tuple[bool, dict[str, Any], bytes]:
        body = self._body()
        if self.random.random() < 2 / 3:
            return True, *request(body, **self._headers())
        content: Any = body
        changes: dict[str, Any] = self._headers()
        if self.random.random() < 0.5:
            content = self._odd_body(body)
        else:
            name, value = self.random.choice(ODD_HEADERS)
            changes[name] = value
        return False, *request(content, **changes)

    def remember(self, answer: Answer) -> None:
        if answer.rows and b"referral_cookie" in answer.body:
            cookie = json.loads(answer.body)["data"]["referral_cookie"]
            self._cookies = [*self._cookies[:5], *self._cookies[-50:], cookie]

    def _body(self) -> dict[str, Any]:
        pick = self.random.choice
        body = visit(
            self._url(),
            referrer_url=pick(["", "https://blog.example.org/é", "x" * 1500, "a\x00b"]),
            user_agent=pick([BROWSER, CRAWLER, "", "curl/8.0", "ü\x00" * 300]),
        )
        if self.random.random() < 0.6:
            body["referral_cookie"] = pick([None, *self._cookies])
        if self.random.random() < 0.2:
            body["consent"] = pick(["granted", "granted", "unknown", "denied", ""])
        if self.random.random() < 0.2:
            body["framed"] = pick([True, True, False, None])
        if self.random.random() < 0.2:
            body["automated"] = pick([True, False, None, "true"])
        return body

    def _url(self) -> str:
        pick = self.random.choice
        link = pick(self._hashes)
        path = pick(
            ["/", "/plans", f"/aff/{link}", f"/aff/{link}", "/é", f"/aff/{'0' * 40}"]
        )
        parts = self.random.sample(
            [
                f"ref={pick([link, 'partner', 'nobody', '%00'])}",
                f"aid={pick(['one', 'two', '', 'x' * 300, '%0a'])}",
                f"redirect={_quoted(pick(REDIRECTS))}",
                "utm_source=a%20b&é=%ff",
            ],
            self.random.randrange(4),
        )
        fragment = pick(["", "", "#top", "#/p?aid=one", "#ref=partner"])
        url = f"{SHOP}{path}?{'&'.join(parts)}{fragment}"
        return (
            url
            if self.random.random() < 0.97
            else pick(["", "x", "ftp://a/", url * 99])
        )

    def _headers(self) -> dict[str, str]:
        pick = self.random.choice
        headers = {
            "REMOTE_ADDR": pick(
                ["203.0.113.7", "127.0.0.1", "2001:db8::1", "10.0.0.9", ""]
            ),
            "HTTP_ORIGIN": pick([SHOP, SHOP, SHOP, "http://shop.example.com", OTHER]),
        }
        for name, values in MORE_HEADERS.items():
            if self.random.random() < 0.1:
                headers[name] = pick(values)
        return headers

    def _odd_body(self, body: dict[str, Any]) -> bytes:
        pick = self.random.choice
        name = pick(list(body))
        whole = json.dumps(body).encode()
        return pick(
            [
                lambda: json.dumps({**body, name: pick([None, 1, [], {}, True, ""])}),
                lambda: json.dumps({k: v for k, v in body.items() if k != name}),
                lambda: json.dumps({**body, "more": [1.5, {"a": None}]}),
                lambda: json.dumps(pick([[], "x", 7, None, [body]])),
                lambda: whole[: self.random.randrange(len(whole))],
                lambda: whole + pick([b" ", b"\n", b"}", b"\x00", b" " * 4000]),
                lambda: json.dumps(body, ensure_ascii=False).encode(
                    "latin-1", "replace"
                ),
                lambda: b"\xef\xbb\xbf" + whole,
                lambda: json.dumps({**body, name: "\ud800"}),
                lambda: b'{"a":' * 300,
                lambda: b"",
            ]
        )()


OTHER = "https://other.example.net"
REDIRECTS = [
    "/",
    "/plans",
    "//evil.example",
    "https://help.example.org/a",
    "",
    "\\",
    "é",
]
MORE_HEADERS = {
    "HTTP_SEC_PURPOSE": ["prefetch", "prefetch;prerender", "\xff"],
    "HTTP_X_MOZ": ["prefetch", ""],
    "HTTP_SEC_FETCH_DEST": ["document", "empty", "iframe", "image", "\xff"],
    "HTTP_SEC_FETCH_MODE": ["cors", "navigate", "no-cors"],
    "HTTP_SEC_FETCH_SITE": ["cross-site", "same-origin"],
    "HTTP_X_FORWARDED_FOR": ["198.51.100.1", "1.1.1.1, 198.51.100.1", "\xff,", ","],
    "HTTP_COOKIE": ["sessionid=x", "\xff"],
    "HTTP_AUTHORIZATION": ["Bearer x", "Basic \xff"],
    "HTTP_ACCEPT": ["text/html", "\xff", ""],
    "HTTP_ACCEPT_LANGUAGE": ["de", "\x00"],
    "HTTP_ACCEPT_ENCODING": ["gzip"],
    "HTTP_IF_NONE_MATCH": ["*"],
    "HTTP_EXPECT": ["100-continue"],
    "HTTP_X_HTTP_METHOD_OVERRIDE": ["GET"],
}
ODD_HEADERS: list[tuple[str, str | None]] = [
    *(("REQUEST_METHOD", one) for one in ("GET", "PUT", "OPTIONS", "HEAD", "post")),
    *(("PATH_INFO", one) for one in (f"{VISIT}/", f"{VISIT}%20", "/api/x", VISIT[:-1])),
    *(("QUERY_STRING", one) for one in ("a=1", "format=xml", "a=%ff", "&")),
    *(
        ("CONTENT_TYPE", one)
        for one in (
            "application/json; charset=utf-8", "application/json;charset=hex", "",
            "Application/JSON", "text/plain", "multipart/form-data; boundary=x", None,
        )
    ),
    *(("CONTENT_LENGTH", one) for one in ("", "-1", "0", "abc", "20", "2999", "\xb2", None)),
    *(
        ("HTTP_ORIGIN", one)
        for one in (
            None, "", "null", "https://evil.example", f"{SHOP}/", f"{SHOP}:443",
            SHOP.upper(), "\xff", f"{SHOP}\x00", f"{SHOP}, {OTHER}",
        )
    ),
    ("HTTP_HOST", "evil.example"),
    ("HTTP_HOST", "\xff"),
    ("HTTP_TRANSFER_ENCODING", "chunked"),
    ("HTTP_CONTENT_ENCODING", "gzip"),
    ("HTTP_X_FORWARDED_PROTO", "https"),
    ("wsgi.url_scheme", "https"),
    ("SCRIPT_NAME", "/under"),
]  # fmt: skip


def _quoted(value: str) -> str:
    return quote(value, safe="", errors="surrogatepass")


def _taken(answers: list[Answer]) -> float:
    return sum(not answer.by_django for answer in answers) / len(answers)
