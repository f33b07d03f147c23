"""The demonstration's pictures: a logo, and a banner for affiliates' sites."""

from __future__ import annotations

from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from affiliates.uploads.drawing import Picture, drawn_anew

# For screens with two pixels to a point.
LOGO_HEIGHT, BANNER = 80, (1456, 180)
INK, WHITE = "#10231c", "#ffffff"


def draw_logo(name: str, colour: str) -> Picture:
    """The shop's mark and the name, on no ground."""
    font = ImageFont.load_default(size=42)
    width = LOGO_HEIGHT + round(font.getlength(name))
    image = Image.new("RGBA", (width, LOGO_HEIGHT), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    _draw_mark(draw, 6, colour)
    draw.text((LOGO_HEIGHT, LOGO_HEIGHT / 2), name, fill=INK, font=font, anchor="lm")
    return _as_picture(image)


def draw_banner(name: str, text: str, colour: str) -> Picture:
    image = Image.new("RGB", BANNER, colour)
    draw = ImageDraw.Draw(image)
    width, height = BANNER
    for line, size, place in ((name, 58, 0.36), (text, 34, 0.72)):
        font = ImageFont.load_default(size=size)
        draw.text((48, height * place), line, fill=WHITE, font=font, anchor="lm")
    button = (width - 300, 50, width - 48, height - 50)
    draw.rounded_rectangle(button, 18, fill=WHITE)
    middle = ((button[0] + button[2]) / 2, height / 2)
    font = ImageFont.load_default(size=36)
    draw.text(middle, "See plans", fill=colour, font=font, anchor="mm")
    return _as_picture(image)


def _draw_mark(draw: ImageDraw.ImageDraw, at: int, colour: str) -> None:
    """Two machines, one above the other, as on the shop's pages."""
    for top in (at + 6, at + 37):
        draw.rounded_rectangle((at, top, at + 54, top + 25), 9, fill=colour)
        draw.ellipse((at + 11, top + 8, at + 20, top + 17), fill=WHITE)


def _as_picture(image: Image.Image) -> Picture:
    file = BytesIO()
    image.save(file, "PNG")
    return drawn_anew(file.getvalue())
