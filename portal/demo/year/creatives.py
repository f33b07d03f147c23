"""The demonstration's creatives: texts, a banner and a file."""

from __future__ import annotations

from affiliates.brands.models.brand import Brand
from affiliates.program.creative_models import Creative
from affiliates.program.services import save_creative
from affiliates.uploads.files import checked_file
from portal.demo.year.pictures import draw_banner

# Each is the name of a text for affiliates' sites, the text, and the text in German.
CREATIVES = (
    (
        "For articles",
        "Hosting with a backup every night, from €5 a month",
        "Hosting mit nächtlicher Sicherung, ab 5 € im Monat",
    ),
    (
        "For videos",
        "The host of this project: Demo Hosting, moved in by people",
        "Der Hoster dieses Projekts: Demo Hosting, umgezogen von Menschen",
    ),
    (
        "For shops",
        "An own .com domain and a mailbox for every shop",
        "Eine eigene .com-Domain und ein Postfach für jeden Shop",
    ),
)
BANNER = ("Banner for pages", "A backup every night, and people who answer")
NEWSLETTER = """\
Looking for hosting with a backup every night? I moved my projects to Demo Hosting, and
people answered each question. This is my link:

[your link]
"""


def put_creatives(brand: Brand, colour: str) -> None:
    for name, text, german in CREATIVES:
        translations = {"de": german}
        save_creative(
            Creative(brand=brand, name=name, text=text, translations=translations)
        )
    save_creative(
        Creative(
            brand=brand,
            name="For newsletters",
            text="A text to put your own link into",
            translations={"de": "Ein Text, in den Sie Ihren Link einsetzen"},
        ),
        upload=checked_file(NEWSLETTER.encode(), name="Newsletter.txt"),
    )
    name, text = BANNER
    save_creative(
        Creative(brand=brand, name=name, text=f"{brand.name}: {text}"),
        upload=draw_banner(brand.name, text, colour),
    )
