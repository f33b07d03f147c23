from __future__ import annotations

import socket

import pytest
from django.core.cache import cache
from django.core.cache.backends.dummy import DummyCache
from django.core.cache.backends.locmem import LocMemCache

from affiliates.operations.health import surroundings
from affiliates.uploads.images import PUBLIC_STORAGE
from tests.cases import each

SMTP = "django.core.mail.backends.smtp.EmailBackend"


class Forgetful(LocMemCache):
    def incr(self, key, delta=1, version=None):
        return 1


class Silent(DummyCache):
    def add(self, *args, **options):
        raise ConnectionError("Error 111 connecting to cache:6379.")


@each(
    ("backend", "problem"),
    [
        (f"{__name__}.Forgetful", "The cache counted 2 calls as 1."),
        (
            f"{__name__}.Silent",
            "The cache does not count: ConnectionError: Error 111 connecting to "
            "cache:6379.",
        ),
        (
            "django.core.cache.backends.dummy.DummyCache",
            "The cache does not count: ValueError: Key ",
        ),
    ],
)
def test_a_cache_that_does_not_count_is_named(backend, problem, settings, now):
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": backend}}

    (finding,) = surroundings.counts(now)

    assert finding.id == "affiliates.D011"
    assert finding.msg.startswith(problem)
    assert finding.hint == "Mend CACHES: without it no caller is limited."


def test_the_cache_is_left_as_it_was(now, settings):
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": "looked-at"}}

    assert list(surroundings.counts(now)) == []
    assert cache._cache == {}


@each("name", ["console", "dummy", "filebased", "locmem"])
def test_emails_that_nobody_receives_are_named(name, settings, now):
    path = f"django.core.mail.backends.{name}.EmailBackend"
    settings.EMAIL_BACKEND, settings.EMAIL_FILE_PATH = path, "/tmp"  # noqa: S108 - unused

    (finding,) = surroundings.mail(now)

    assert (finding.id, finding.hint) == ("affiliates.D012", "Name a mail server.")
    assert finding.msg.startswith(f"E-mails go to {path}: nobody receives one, ")


def test_an_address_that_is_refused_is_named(settings, now):
    settings.DEFAULT_FROM_EMAIL = "webmaster@localhost"

    (finding,) = surroundings.mail(now)

    assert finding.id == "affiliates.D012"
    assert finding.hint == "Write an address of yours in DEFAULT_FROM_EMAIL."


def test_a_mail_server_that_does_not_answer_is_named(settings, now):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        settings.EMAIL_BACKEND, settings.EMAIL_HOST = SMTP, "127.0.0.1"
        settings.EMAIL_PORT = closed.getsockname()[1]
        settings.EMAIL_HOST_PASSWORD = "secret"

        (finding,) = surroundings.mail(now)

    assert finding.id == "affiliates.D012"
    assert finding.msg == (
        f"The mail server 127.0.0.1:{settings.EMAIL_PORT} does not take us: "
        "ConnectionRefusedError."
    )


@pytest.fixture
def collected(settings, tmp_path):
    """The files as collectstatic would leave them."""
    settings.STATIC_ROOT = str(tmp_path)
    storage = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": storage}}
    for name in surroundings.FILES:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        with open(surroundings.finders.find(name), "rb") as source:
            path.write_bytes(source.read())
    return tmp_path


def test_collected_files_are_fine(collected, now):
    assert list(surroundings.files(now)) == []


def test_files_that_are_not_collected_or_old_are_named(collected, now):
    script, styles = surroundings.FILES
    (collected / script).unlink()
    (collected / styles).write_text("/* of an earlier version */")

    findings = list(surroundings.files(now))

    assert [(one.id, one.msg) for one in findings] == [
        ("affiliates.D013", f"{script} is not among the collected files."),
        ("affiliates.D013", f"{styles} was collected from another version."),
    ]
    assert {one.hint for one in findings} == {"Run manage.py collectstatic."}


def test_files_served_from_their_packages_need_no_collecting(settings, now):
    settings.STATIC_ROOT = None

    assert list(surroundings.files(now)) == []


def kept_in(place) -> dict[str, object]:
    backend = "django.core.files.storage.FileSystemStorage"
    return {"BACKEND": backend, "OPTIONS": {"location": str(place)}}


def test_a_folder_of_uploads_that_is_yet_to_be_made_is_fine(settings, now, tmp_path):
    settings.STORAGES = settings.STORAGES | {"default": kept_in(tmp_path / "media")}

    assert list(surroundings.uploads(now)) == []
    assert list(tmp_path.iterdir()) == []


@each("alias", ["default", PUBLIC_STORAGE])
def test_a_folder_of_uploads_that_cannot_be_written_is_named(
    alias, settings, now, tmp_path
):
    (tmp_path / "file").touch()
    place = tmp_path / "file" / "media"
    sound = {"default": kept_in(tmp_path)}
    settings.STORAGES = settings.STORAGES | sound | {alias: kept_in(place)}

    (finding,) = surroundings.uploads(now)

    assert finding.id == "affiliates.D024"
    assert finding.msg == (
        f"Nothing can be written to {place}: logos, creatives and large lists are "
        "kept there."
    )
    assert finding.hint == (
        "Name a folder in MEDIA_ROOT that the services may write to and that outlives "
        "a release."
    )


def test_a_storage_that_is_no_folder_is_not_looked_at(settings, now):
    memory = {"BACKEND": "django.core.files.storage.InMemoryStorage"}
    settings.STORAGES = settings.STORAGES | {"default": memory}

    assert list(surroundings.uploads(now)) == []
