"""The shop's own pages, in a real Chromium against a real server."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import pytest

from tests.browser.accessibility import faults_of
from tests.browser.area_staff import mailed_link
from tests.browser.conftest import make_patient, person
from tests.browser.demo_server import DemoServer
from tests.browser.visitor import PASSWORD, Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Request

pytestmark = pytest.mark.browser

LOSE_FIRST_REGISTRATION = """
    const ask = window.fetch;
    let isLost = false;
    window.fetch = async (...request) => {
        const answer = await ask(...request);
        if (isLost || !request[0].endsWith("/api/clients/register")) return answer;
        isLost = true;
        throw new TypeError("Failed to fetch");
    };
"""


def test_signing_in_adds_the_guests_basket_to_the_one_left_before(
    visitor: Visitor, server: DemoServer
) -> None:
    visitor.open("/")
    visitor.register()
    visitor.page.goto(server.origin)
    visitor.choose("Starter")
    visitor.page.get_by_role("link", name="Account", exact=True).click()
    visitor.page.get_by_role("button", name="Sign out").click()
    visitor.page.get_by_role("link", name="Sign in").wait_for()

    visitor.choose("Business")
    visitor.page.get_by_role("link", name="Check out").click()
    visitor.page.get_by_role("main").get_by_role("link", name="sign in").click()
    visitor.page.get_by_label("E-mail").fill(visitor.email)
    visitor.page.get_by_label("Password").fill(PASSWORD)
    visitor.page.get_by_role("button", name="Sign in").click()

    visitor.page.get_by_role("button", name="Place the order").click()
    visitor.wait_for_invoice()
    visitor.page.locator("tbody tr", has_text="Starter").wait_for()
    visitor.page.locator("tbody tr", has_text="Business").wait_for()
    visitor.pay()
    visitor.page.get_by_role("link", name="Account", exact=True).click()
    visitor.page.get_by_role("link", name="INV-").click()
    visitor.page.locator("tbody tr", has_text="Business").wait_for()


def test_the_browser_stores_nothing_of_a_person_and_signing_out_ends_every_token(
    visitor: Visitor, server: DemoServer
) -> None:
    stored = "sessionStorage.getItem('demo-hosting')"
    visitor.open("/")
    visitor.register()
    visitor.page.goto(server.origin)
    visitor.choose("Starter")
    visitor.page.get_by_text(f"You are signed in as {visitor.email}.").wait_for()
    kept = visitor.page.evaluate(stored)

    visitor.page.get_by_role("link", name="Account", exact=True).click()
    visitor.page.get_by_role("button", name="Sign out").click()
    visitor.page.get_by_role("link", name="Sign in").wait_for()

    assert set(json.loads(kept)) == {
        "token",
        "client",
        "orderId",
        "itemCount",
        "offeredTo",
    }
    assert set(json.loads(kept)["client"]) == {"id", "is_guest"}
    left = json.loads(visitor.page.evaluate(stored))
    assert (left["token"], left["client"]) == ("", None)
    tokens = """
        SELECT count(*) FROM portal_authtoken token
        JOIN portal_user client ON client.id = token.user_id WHERE client.email = ?
        """
    assert server.query(tokens, visitor.email) == [(0,)]


def test_a_registration_whose_answer_is_lost_is_sent_again_under_its_key(
    visitor: Visitor, server: DemoServer
) -> None:
    keys = []

    def note(request: Request) -> None:
        if request.method == "POST" and request.url.endswith("/api/clients/register"):
            keys.append(request.headers["idempotency-key"])

    visitor.page.on("request", note)
    visitor.page.add_init_script(LOSE_FIRST_REGISTRATION)
    visitor.open("/")

    visitor.register()

    visitor.page.get_by_role("button", name="Sign out").wait_for()
    assert len(keys) == 2
    assert keys[0] == keys[1]


def test_an_order_is_paid_by_bank_transfer(
    visitor: Visitor, server: DemoServer
) -> None:
    visitor.open("/")
    visitor.register()
    visitor.page.goto(server.origin)
    visitor.choose("Starter")
    visitor.page.get_by_role("link", name="Check out").click()

    visitor.page.get_by_label("Pay by bank transfer").check()
    visitor.page.get_by_role("button", name="Place the order").click()

    visitor.page.get_by_text("Please transfer the amount with the reference").wait_for()
    assert visitor.page.locator("[data-slot=reference]").inner_text().startswith("INV-")
    assert visitor.page.get_by_role("link", name="Continue to Demo Bank").is_hidden()


def test_what_is_sold_no_more_keeps_nothing_else_from_the_clients_basket(
    visitor: Visitor, server: DemoServer
) -> None:
    visitor.open("/")
    visitor.register()
    visitor.page.goto(f"{server.origin}/account")
    visitor.page.get_by_role("button", name="Sign out").click()
    visitor.page.get_by_role("link", name="Sign in").wait_for()
    visitor.choose("Starter")
    visitor.page.goto(server.origin)
    visitor.choose("Business")
    visitor.page.goto(f"{server.origin}/login?next=/basket")
    visitor.page.get_by_label("E-mail").fill(visitor.email)
    visitor.page.get_by_label("Password").fill(PASSWORD)

    with sold_no_more(server, "Starter"):
        visitor.page.get_by_role("button", name="Sign in").click()
        visitor.page.locator("tbody tr", has_text="Business").wait_for()

    assert not visitor.page.locator("tbody tr", has_text="Starter").count()


@contextmanager
def sold_no_more(server: DemoServer, name: str) -> Iterator[None]:
    switch = "UPDATE portal_product SET is_active = ? WHERE name = ?"
    with closing(sqlite3.connect(server.database, timeout=60)) as connection:
        connection.execute(switch, (False, name))
        connection.commit()
        try:
            yield
        finally:
            connection.execute(switch, (True, name))
            connection.commit()


def test_a_basket_is_changed_and_emptied(visitor: Visitor) -> None:
    visitor.open("/")
    visitor.choose("Business")
    quantity = visitor.page.get_by_label("Quantity of Business")
    total = visitor.page.locator("tfoot tr", has_text="Total")

    quantity.fill("3")
    quantity.press("Enter")
    total.get_by_text("€32.13").wait_for()
    visitor.page.get_by_role("button", name="Remove Business").click()

    visitor.page.get_by_role("heading", name="Nothing in it yet").wait_for()
    assert not visitor.page.locator("[data-count]").is_visible()


def test_without_scripts_a_client_signs_in_and_reads_the_account(
    browser: Browser, server: DemoServer
) -> None:
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 390, "height": 800}
    )
    page = context.new_page()
    affiliate = server.demo["affiliate"]

    page.goto(f"{server.origin}/account")
    page.get_by_label("E-mail").fill(affiliate["email"])
    page.get_by_label("Password").fill(affiliate["password"])
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{server.origin}/account")
    page.get_by_text(affiliate["email"]).wait_for()
    page.get_by_role("button", name="Sign out").click()

    page.get_by_role("link", name="Sign in").wait_for()
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(
    ("locale", "forgot", "send", "sent", "new", "set_it", "done"),
    [
        (
            *("en-GB", "Forgot your password?", "Send the link", "Check your mailbox"),
            *("New password", "Set the password", "Your new password is set."),
        ),
        (
            *(
                "de-DE",
                "Passwort vergessen?",
                "Link senden",
                "Sehen Sie in Ihr Postfach",
            ),
            *(
                "Neues Passwort",
                "Passwort festlegen",
                "Ihr neues Passwort ist festgelegt.",
            ),
        ),
    ],
)
def test_without_scripts_a_forgotten_password_is_set_anew(
    visitor: Visitor,
    browser: Browser,
    server: DemoServer,
    width: int,
    locale: str,
    forgot: str,
    send: str,
    sent: str,
    new: str,
    set_it: str,
    done: str,
) -> None:
    visitor.open("/")
    visitor.register()
    context = browser.new_context(
        java_script_enabled=False,
        locale=locale,
        viewport={"width": width, "height": 800},
    )
    page = context.new_page()

    def fits() -> bool:
        return bool(page.evaluate("document.documentElement.scrollWidth") == width)

    page.goto(f"{server.origin}/login")
    page.get_by_role("link", name=forgot).click()
    assert fits()
    page.locator("#reset-email").fill(visitor.email)
    page.get_by_role("button", name=send).click()
    page.get_by_role("heading", name=sent).wait_for()
    assert fits()
    link = mailed_link(server, visitor.email, "/password-reset/", job="password_resets")
    page.goto(link)
    assert fits()
    # Looking uses nothing up. Accessibility is judged by a script.
    for path in ("/login", "/password-reset", "/password-reset/sent", link):
        visitor.page.goto(urljoin(server.origin, path))
        assert faults_of(visitor.page) == []
    page.get_by_label(new).fill("another-horse-entirely")
    page.get_by_role("button", name=set_it).click()
    page.get_by_text(done).wait_for()
    assert fits()
    page.locator("#login-email").fill(visitor.email)
    page.locator("#login-password").fill("another-horse-entirely")
    page.locator("form.form button").click()
    page.wait_for_url(f"{server.origin}/account")
    page.goto(link)
    assert page.locator("h1").count() == 1
    assert fits()
    context.close()


def test_the_foot_of_the_shop_leads_to_the_affiliate_program(
    visitor: Visitor, server: DemoServer
) -> None:
    visitor.open("/")
    visitor.page.get_by_role("link", name="Affiliate program").click()
    visitor.page.wait_for_url(f"{server.origin}/affiliate/program")


def test_taken_email_is_said_at_its_field(visitor: Visitor, server: DemoServer) -> None:
    visitor.open("/register")
    visitor.fill_details()
    visitor.page.get_by_label("E-mail").fill(server.demo["affiliate"]["email"])
    visitor.page.get_by_role("button", name="Create account").click()

    visitor.page.locator("#email-error").wait_for()
    visitor.page.locator("[type=email][aria-invalid=true]").wait_for()


def test_basket_of_an_ended_session_begins_anew(visitor: Visitor) -> None:
    visitor.open("/")
    visitor.page.evaluate(
        """sessionStorage.setItem("demo-hosting", JSON.stringify({
            token: "0".repeat(64), client: { id: "x", is_guest: true },
            orderId: "01a1fd29-0000-7000-8000-000000000000", itemCount: 1 }))"""
    )

    visitor.open("/")
    visitor.choose("Business")

    assert visitor.page.locator("tbody tr").count() == 1


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/login",
        "/register",
        "/basket",
        "/checkout",
        "/password-reset",
        "/nothing-here",
    ],
)
@pytest.mark.parametrize("width", [390, 1280])
def test_page_fits_its_screen_and_breaks_no_rule_of_its_own(
    visitor: Visitor, path: str, width: int
) -> None:
    problems: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if "Content Security" in message.text:
            problems.append(message.text)

    visitor.page.on("console", note)
    visitor.page.on("pageerror", lambda error: problems.append(str(error)))
    visitor.page.set_viewport_size({"width": width, "height": 800})

    visitor.page.goto(visitor.server.origin + path)
    visitor.page.locator("main h1").wait_for()

    assert visitor.page.evaluate("document.documentElement.scrollWidth") == width
    assert problems == []


def test_in_german_somebody_orders_and_pays(
    browser: Browser, server: DemoServer
) -> None:
    context = browser.new_context(
        locale="de-DE",
        user_agent=person(browser),
        viewport={"width": 390, "height": 800},
    )
    make_patient(context)
    visitor = Visitor(context.new_page(), server)
    page, main = visitor.page, visitor.page.get_by_role("main")

    visitor.open("/plans")
    main.get_by_text("250 GB Speicherplatz").wait_for()
    visitor.choose("Business")
    page.get_by_label("Menge von Business").fill("2")
    page.get_by_label("Menge von Business").press("Enter")
    main.get_by_text("21,42 €").wait_for()
    main.get_by_text("Business, monatlich").wait_for()
    # Chosen on a view that no answer of the server was made for.
    page.get_by_role("button", name="English").click()
    main.get_by_role("heading", name="Your basket").wait_for()
    main.get_by_text("€21.42").wait_for()
    page.get_by_role("button", name="Deutsch").click()
    main.get_by_role("link", name="Zur Kasse").click()
    page.get_by_role("button", name="Registrieren").click()
    assert main.get_by_text("Bitte füllen Sie dieses Feld aus.").count() == 4
    page.get_by_label("Vorname").fill("Ada")
    page.get_by_label("Nachname").fill("Example")
    page.get_by_label("Passwort").fill(PASSWORD)
    page.get_by_label("E-Mail").fill(server.demo["affiliate"]["email"])
    page.get_by_role("button", name="Registrieren").click()
    main.get_by_text("Diese E-Mail-Adresse kann nicht registriert werden.").wait_for()
    page.get_by_label("E-Mail").fill(visitor.email)
    page.get_by_role("button", name="Registrieren").click()
    main.get_by_role("heading", name="21,42 € bezahlen").wait_for()
    # Signed in since, on the page that came before.
    page.get_by_role("button", name="English").click()
    main.get_by_role("heading", name="Pay €21.42").wait_for()
    page.get_by_role("button", name="Deutsch").click()
    main.get_by_role("heading", name="21,42 € bezahlen").wait_for()
    page.get_by_role("link", name="Weiter zur Demo-Bank").click()
    page.get_by_role("button", name="Bezahlen").click()
    main.get_by_role("heading", name="Vielen Dank für Ihre Bestellung").wait_for()
    assert page.title() == "Vielen Dank · Demo Hosting"
    page.get_by_role("link", name="Konto", exact=True).click()
    main.get_by_role("cell", name="Bezahlt").first.wait_for()

    assert page.evaluate("document.documentElement.scrollWidth") == 390
    context.close()
