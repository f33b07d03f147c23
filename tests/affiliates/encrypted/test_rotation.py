"""``affiliates_rotate_keys``: everything is encrypted anew, and nothing is lost."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from affiliates.contrib.imports.examining import sealed
from affiliates.contrib.payout_runs.models import PayoutAnswer
from affiliates.emails.links import open_link, seal_link
from affiliates.emails.models import Email
from affiliates.encrypted import services
from affiliates.encrypted.columns import EncryptedColumn, encrypted_columns
from affiliates.encrypted.selectors import key_counts
from affiliates.encrypted.services import RowRotation, rotate
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.secrets import CREDENTIALS
from affiliates.payouts import details
from affiliates.payouts.models import PayoutBatch, PayoutDestination
from affiliates.program.slug_models import retire_names
from affiliates.webhooks.models import Webhook
from affiliates.webhooks.services import rotate_secret
from tests.affiliates.verification.finding import everything_found, prove
from tests.affiliates.verification.program import make_program
from tests.database import nothing_written
from tests.factories.emails import EmailFactory
from tests.factories.imports import ImportFileFactory
from tests.factories.integrations import WEBHOOK_SECRET, WebhookFactory
from tests.factories.payouts import DestinationFactory
from tests.races import at_once, needs_postgresql

pytestmark = pytest.mark.django_db

OLD, NEW = "1:" + "A" * 43 + "=", "2:" + "B" * 42 + "A="
LINK = "https://shop.example.com/affiliate/confirm/token"


@pytest.fixture(autouse=True)
def _old_key(settings):
    settings.AFFILIATES_SECRET_KEYS = OLD


@pytest.fixture
def new_key(settings):
    """The new key is in front from here on."""

    def put() -> None:
        settings.AFFILIATES_SECRET_KEYS = f"{NEW},{OLD}"

    return put


def rotated(*options: str) -> str:
    out = StringIO()
    call_command("affiliates_rotate_keys", *options, stdout=out)
    return out.getvalue()


def column(name: str) -> EncryptedColumn:
    [found] = [
        one for one in encrypted_columns() if f"{one.label}.{one.name}".endswith(name)
    ]
    return found


def test_it_counts_by_key_and_changes_nothing_without_yes(affiliate, new_key):
    DestinationFactory(affiliate=affiliate)
    new_key()
    DestinationFactory(affiliate=affiliate)

    with nothing_written():
        said = rotated()

    assert "payout destinations, details: 1 with key 1, 1 with key 2." in said
    assert "e-mails, link: none." in said
    assert "Key 2 encrypts." in said
    assert "Nothing stored needs" not in said
    assert said.endswith("Nothing was changed. Run it with --yes to do this.\n")


def test_all_is_read_with_the_new_key_alone_afterwards(affiliate, new_key, settings):
    destination = DestinationFactory(affiliate=affiliate)
    webhook = WebhookFactory(brand=affiliate.brand)
    email = EmailFactory(brand=affiliate.brand, link=seal_link(LINK))
    file = ImportFileFactory(brand=affiliate.brand, content=sealed(b"a,b\n"))
    new_key()

    said = rotated("--yes")
    settings.AFFILIATES_SECRET_KEYS = NEW

    for row in (destination, webhook, email, file):
        row.refresh_from_db()
    assert details.ACCOUNTS.open(destination.details) == {
        "email": "partner@example.org"
    }
    assert CREDENTIALS.open(webhook.secrets) == {"secret": WEBHOOK_SECRET}
    assert open_link(email.link) == LINK
    assert column("ImportFile.content").purpose.decrypt(file.content) == b"a,b\n"
    assert "payout destinations, details: 1 encrypted anew." in said
    assert "payout destinations, details: 1 with key 2." in said
    assert (
        "Nothing stored needs key 1: remove it from AFFILIATES_SECRET_KEYS. Unsubscribe "
        "links in e-mails that were sent with it end then." in said
    )


def test_key_of_cookies_stays_with_the_cookies(settings, new_key):
    settings.AFFILIATES_COOKIE_KEYS = OLD
    new_key()

    assert "it stays in AFFILIATES_COOKIE_KEYS for their lifetime." in rotated()


def test_account_keeps_one_fingerprint_and_its_row_is_proved(affiliate, new_key):
    old = DestinationFactory(affiliate=affiliate)
    prove()
    new_key()
    rotate(column("PayoutDestination.details"))
    new = DestinationFactory(affiliate=affiliate)

    before = old.fingerprint
    old.refresh_from_db()

    assert old.fingerprint == new.fingerprint != before
    assert everything_found() == []


def test_rows_of_a_program_in_which_everything_happened_are_proved(new_key, settings):
    make_program()
    prove()
    counted = {
        model: model.objects.count()
        for model in (PayoutAnswer, PayoutBatch, PayoutDestination)
    }
    new_key()

    rotated("--yes")
    settings.AFFILIATES_SECRET_KEYS = NEW

    assert all(counted.values())
    assert everything_found() == []
    assert {key_id for one in encrypted_columns() for key_id in key_counts(one)} == {2}


def test_second_run_changes_nothing(affiliate, new_key):
    DestinationFactory(affiliate=affiliate)
    new_key()
    rotated("--yes")

    with nothing_written():
        said = rotated("--yes")

    assert "encrypted anew" not in said


def test_it_goes_on_where_it_was_stopped_and_takes_every_page(
    affiliate, new_key, monkeypatch
):
    monkeypatch.setattr(services, "AT_ONCE", 2)
    for _ in range(5):
        DestinationFactory(affiliate=affiliate)
    new_key()
    destinations = column("PayoutDestination.details")
    monkeypatch.setattr(services, "_rotate", _stopping_after(3))
    with pytest.raises(KeyboardInterrupt):
        rotate(destinations)
    assert key_counts(destinations) == {1: 2, 2: 3}
    monkeypatch.undo()

    assert rotate(destinations) == {RowRotation.DONE: 2}
    assert key_counts(destinations) == {2: 5}


def test_row_that_was_changed_outside_the_product_stays_as_it_is(affiliate, new_key):
    """A new seal would hide the change from ``verify_ledger``."""
    destination = DestinationFactory(affiliate=affiliate)
    PayoutDestination.objects.filter(pk=destination.pk).update(hint="a…@evil.example")
    new_key()

    with nothing_written(), pytest.raises(CommandError, match="1 texts are not"):
        rotated("--yes")

    assert len(everything_found()) == 1


def test_key_of_names_of_the_erased_is_kept(brand, new_key):
    retire_names({"ada-lovelace", "adas-blog"}, brand_id=brand.pk)
    new_key()
    retire_names({"bobs-blog"}, brand_id=brand.pk)

    said = rotated("--yes")

    assert (
        "Keep key 1: without it 2 names in links of erased affiliates can be given "
        "again. Nothing else stored needs it." in said
    )
    assert "Nothing stored needs" not in said


def test_row_whose_key_is_gone_stays_as_it_is(affiliate, settings):
    DestinationFactory(affiliate=affiliate)
    settings.AFFILIATES_SECRET_KEYS = NEW
    out = StringIO()

    with nothing_written(), pytest.raises(CommandError):
        call_command("affiliates_rotate_keys", "--yes", stdout=out)

    assert (
        "payout destinations, details: 1 cannot be read: manage.py check --database "
        "default says why." in out.getvalue()
    )


def test_change_between_reading_and_writing_stands(affiliate, new_key, monkeypatch):
    integration = WebhookFactory(brand=affiliate.brand)
    rows = TrackingIntegration.objects.filter(pk=integration.pk)
    new_key()
    secrets = column("TrackingIntegration.secrets")
    opened = type(secrets.purpose).decrypt

    def change_then_open(purpose, text):
        rows.update(secrets=CREDENTIALS.seal({"secret": "changed"}))
        return opened(purpose, text)

    with monkeypatch.context() as patched:
        patched.setattr(type(secrets.purpose), "decrypt", change_then_open)
        assert rotate(secrets) == {RowRotation.CHANGED: 1}

    assert CREDENTIALS.open(rows.get().secrets) == {"secret": "changed"}


def test_row_that_is_deleted_meanwhile_is_none(affiliate, new_key, monkeypatch):
    email = EmailFactory(brand=affiliate.brand, link=seal_link(LINK))
    new_key()
    links = column("Email.link")
    opened = type(links.purpose).decrypt

    def delete_then_open(purpose, text):
        Email.objects.filter(pk=email.pk).delete()
        return opened(purpose, text)

    with monkeypatch.context() as patched:
        patched.setattr(type(links.purpose), "decrypt", delete_then_open)
        assert rotate(links) == {RowRotation.CHANGED: 1}

    assert not Email.objects.exists()


def test_seal_that_changes_meanwhile_is_kept_up(affiliate, new_key, monkeypatch):
    """Another sealed column has changed: the seal of the row as it was read is wrong."""
    destination = DestinationFactory(affiliate=affiliate, to="bank")
    new_key()
    accounts = column("PayoutDestination.details")
    opened = type(accounts.purpose).decrypt

    def change_then_open(purpose, text):
        PayoutDestination.objects.get(pk=destination.pk).change(hint="DE… 0000")
        return opened(purpose, text)

    with monkeypatch.context() as patched:
        patched.setattr(type(accounts.purpose), "decrypt", change_then_open)
        assert rotate(accounts) == {RowRotation.DONE: 1}

    destination.refresh_from_db()
    assert (destination.hint, key_counts(accounts)) == ("DE… 0000", {2: 1})
    assert everything_found() == []


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_a_hundred_changes_beside_it_are_all_kept(affiliate, new_key, clock):
    """Each webhook has the secret that was returned last, and no seal is wrong."""
    webhooks = [WebhookFactory(brand=affiliate.brand).pk for _ in range(50)]
    for _ in range(50):
        DestinationFactory(affiliate=affiliate)
    new_key()

    def act(number: int) -> dict[int, str]:
        if number < 2:
            for one in encrypted_columns():
                rotate(one)
            return {}
        mine = webhooks[number - 2 :: 2]
        return {pk: rotate_secret(pk, now=clock.at) for pk in mine for _ in range(2)}

    expected = {pk: one for of in at_once(4, act) for pk, one in of.items()}
    rotated("--yes")

    stored = {
        one.pk: CREDENTIALS.open(one.secrets)["secret"] for one in Webhook.objects.all()
    }
    assert stored == expected
    assert {key_id for one in encrypted_columns() for key_id in key_counts(one)} == {2}
    assert everything_found() == []


def _stopping_after(count: int):
    rotate_row = services._rotate
    done = []

    def act(*arguments):
        if len(done) == count:
            raise KeyboardInterrupt
        done.append(arguments)
        return rotate_row(*arguments)

    return act
