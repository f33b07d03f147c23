"""Where uploaded pictures are kept, and the address at which everybody sees them.

In Django's default storage, which may be private: the affiliate's area serves them then.
A host that has a public one names it ``affiliates_images`` in ``STORAGES``.
"""

from __future__ import annotations

from secrets import token_hex
from urllib.parse import urljoin, urlsplit

from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage, default_storage, storages
from django.urls import NoReverseMatch, reverse

from affiliates.uploads.drawing import Picture

PUBLIC_STORAGE = "affiliates_images"
FOLDER = "affiliates/images"


def save_picture(picture: Picture) -> str:
    """Saves the picture. Returns its name in the storage, which cannot be guessed."""
    name = f"{FOLDER}/{token_hex(16)}.{picture.ending}"
    return _storage().save(name, ContentFile(picture.content))


def open_picture(file_name: str) -> File[bytes]:
    """Raises FileNotFoundError."""
    opened: File[bytes] = _storage().open(f"{FOLDER}/{file_name}")
    return opened


def remove_picture(name: str) -> None:
    _storage().delete(name)


def picture_url(name: str, *, base: str = "") -> str | None:
    """The address, of a host without a public storage below ``base``.

    None if nothing serves it.
    """
    if not name:
        return None
    if PUBLIC_STORAGE in storages.backends:
        return urljoin(f"{base}/", _storage().url(name))
    try:
        file_name = name.rpartition("/")[2].split(".")
        path = reverse("affiliates_area:image", args=file_name)
    except NoReverseMatch:
        return None
    return f"{base}{path}"


def picture_origins(*urls: str) -> list[str]:
    """The other hosts that show these pictures, and those of the public storage."""
    parts = [urlsplit(url) for url in (*urls, picture_url("of-no.picture") or "")]
    return sorted({f"{part.scheme}://{part.netloc}" for part in parts if part.netloc})


def _storage() -> Storage:
    is_public = PUBLIC_STORAGE in storages.backends
    return storages[PUBLIC_STORAGE] if is_public else default_storage
