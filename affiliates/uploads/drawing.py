"""Uploaded pictures: only a new drawing is kept, without other data."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from typing import Any

HAS_PILLOW = find_spec("PIL") is not None
MAX_BYTES = 2_000_000
MAX_SIDE = 2_000
# How each is written, by the ending of its name.
ENDINGS = {"PNG": "png", "JPEG": "jpg", "WEBP": "webp"}

NO_PILLOW = "Images need the extra 'area': pip install 'affiliates[area]'."
TOO_LARGE = f"Upload a file of at most {MAX_BYTES // 1_000_000} MB."
TOO_WIDE = "Upload an image of at most {0} by {0} pixels."
NO_IMAGE = "Upload a PNG, JPEG or WebP image: this file is none, or is damaged."


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    content: bytes
    ending: str
    width: int
    height: int


def drawn_anew(
    content: bytes, *, most: int = MAX_BYTES, side: int = MAX_SIDE
) -> Picture:
    """The first frame of the picture, upright. Raises ValueError with what to upload.

    Other data of a file, such as the place of a photo, is left out,
    and so are files that only pretend to be a picture.
    """
    if not HAS_PILLOW:
        raise ValueError(NO_PILLOW)
    if len(content) > most:
        raise ValueError(TOO_LARGE)
    from PIL import Image, UnidentifiedImageError

    faults = (OSError, SyntaxError, EOFError, struct.error, UnidentifiedImageError)
    try:
        with Image.open(BytesIO(content), formats=list(ENDINGS)) as image:
            is_too_wide = max(image.size) > side
            picture = None if is_too_wide else _redrawn(image)
    except (*faults, ValueError, Image.DecompressionBombError):
        raise ValueError(NO_IMAGE) from None
    if picture is None:
        raise ValueError(TOO_WIDE.format(side))
    return picture


def _redrawn(image: Any) -> Picture:
    from PIL import ImageOps

    kind = image.format
    upright = ImageOps.exif_transpose(image)
    has_alpha = kind != "JPEG" and upright.has_transparency_data
    pixels = upright.convert("RGBA" if has_alpha else "RGB")
    # Pillow writes what it finds here into the file.
    pixels.info = {}
    file = BytesIO()
    pixels.save(
        file, kind, **({"quality": 90} if kind != "PNG" else {"optimize": True})
    )
    return Picture(
        content=file.getvalue(),
        ending=ENDINGS[kind],
        width=pixels.width,
        height=pixels.height,
    )
