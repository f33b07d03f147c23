"""What visitors and affiliates read, for translators: ``python -m docs.translations``.

Writes ``locale/<language>/LC_MESSAGES/django.po`` of each app anew from the code, keeps what
is translated, and compiles it; the same for the portal, whose scripts have a catalogue of
their own (``djangojs``). Needs GNU gettext.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path

import django
from django.apps import apps

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "affiliates"
PORTAL = ROOT / "portal"
# The apps beside the core with texts for affiliates; the others are for staff.
BESIDE = (
    "area",
    "claims",
    "invoices",
    "offers",
    "recruitment",
    "statistics",
    "tax_identity",
    "wise",
)
PACKAGES = (PACKAGE, *(PACKAGE / "contrib" / one for one in BESIDE))
# What staff alone read is English.
FOR_STAFF = {
    "admin", "admin_actions", "admin_tools", "application_admin", "apps", "audit",
    "fraud", "fraud_review", "health", "management", "migrations", "order_story",
    "outbox", "outgoing", "sample", "suspension_admin", "tracking", "transfer_admin",
    "verification", "worker",
}  # fmt: skip
TEMPLATES = ("admin/chart.html", "area", "emails", "privacy", "recruitment")
# What affiliates read too of what is for staff.
SHARED = {"outbox/queue/rules.py", "outbox/rules.py"}
# Refusals of what the area asks for: the text is their second argument.
REFUSALS = {"InvalidInput", "NotAllowed", "StateConflict"}
REFUSING = (
    "api",
    "emails",
    "outbox",
    "outgoing",
    "payouts",
    "program",
    "tracking",
    "uploads",
    "webhooks",
)
KEYWORDS = (
    "_", "gettext", "gettext_lazy", "gettext_noop", "ngettext:1,2", "ngettext_lazy:1,2",
    "pgettext:1c,2", "pgettext_lazy:1c,2",
)  # fmt: skip
# Whose faults affiliates read.
MODELS = ("affiliates.Affiliate", "affiliates.AffiliateLink", "affiliates.CouponCode")
# Whose labels clients read in the shop: of which context.
CHOICES = {
    "portal.billing.models.InvoiceStatus": "invoice",
    "portal.orders.catalogue.BillingCycle": None,
}
SHOWN_TO_CLIENTS = (
    "confirmation",
    "login_limits",
    "open_sessions",
    "second_factor",
    "validators",
)
SHOWN_BY_THE_PORTAL = ("templates/storefront", "portal/demo/templates/demo")


@dataclass(frozen=True, kw_only=True)
class Texts:
    """What one catalogue of each language holds, and where that is found."""

    package: Path
    domain: str
    language: str
    readable: Callable[[Path], Iterator[Path]]

    def catalogues(self) -> list[Path]:
        name = f"*/LC_MESSAGES/{self.domain}.po"
        return sorted((self.package / "locale").glob(name))

    def __str__(self) -> str:
        return f"{self.package.name}-{self.domain}"


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    for texts in ALL:
        for catalogue in texts.catalogues():
            name = str(catalogue)
            with tempfile.TemporaryDirectory() as folder:
                found = str(extract(texts, Path(folder)))
                _run(
                    *("msgmerge", "--quiet", "--update", "--backup=none", "--no-wrap"),
                    *("--no-fuzzy-matching", name, found),
                )
            _run("msgattrib", "--no-obsolete", "--no-wrap", "--output-file", name, name)
            compile_catalogue(catalogue, catalogue.with_suffix(".mo"))
    return 0


def extract(texts: Texts, folder: Path) -> Path:
    """Every text that is to be translated, in a template of catalogues in the folder."""
    template = folder / f"{texts.domain}.pot"
    _run(
        *("xgettext", f"--language={texts.language}", "--from-code=UTF-8"),
        *("--no-wrap", "--sort-output", "--no-location", "--omit-header", "--keyword"),
        *(f"--keyword={one}" for one in KEYWORDS),
        *("--output", str(template), *map(str, texts.readable(folder))),
    )
    # Before it is merged: a text whose format has changed becomes fuzzy.
    text = template.read_text("utf-8")
    template.write_text(_without_false_formats(text), "utf-8")
    return template


def compile_catalogue(catalogue: Path, compiled: Path) -> None:
    _run("msgfmt", "--check-format", "--output-file", str(compiled), str(catalogue))


def _of_app(package: Path, folder: Path) -> Iterator[Path]:
    """Files of Python: the code, templates made into it, and what is named nowhere."""
    within = [one for one in sorted(package.rglob("*.py")) if _is_of(package, one)]
    code = [one for one in within if not _is_for_staff(package, one)]
    yield from code
    for name in TEMPLATES:
        found = package / "templates/affiliates" / name
        for path in sorted(found.rglob("*.*")) or [found]:
            if path.is_file():
                made = f"{name.replace('/', '-')}-{path.name}.py"
                yield _as_python(path, folder / made)
    refusals = {text for path in code for text in _refusals(package, path)}
    texts = refusals | (set(_faults()) if package == PACKAGE else set())
    others = folder / "others.py"
    others.write_text("\n".join(f"_({one!r})" for one in sorted(texts)), "utf-8")
    yield others


def _is_of(package: Path, path: Path) -> bool:
    return package != PACKAGE or not path.is_relative_to(PACKAGE / "contrib")


def _of_pages(folder: Path) -> Iterator[Path]:
    """The portal's pages: their views, templates, and labels that these show."""
    yield from sorted((PORTAL / "storefront").glob("*.py"))
    yield from (PORTAL / "clients" / f"{name}.py" for name in SHOWN_TO_CLIENTS)
    yield PORTAL / "orders/coupons.py"
    for place in SHOWN_BY_THE_PORTAL:
        for number, path in enumerate(sorted((ROOT / place).rglob("*.*"))):
            yield _as_python(path, folder / f"{Path(place).name}-{number}.py")
    others = folder / "others.py"
    others.write_text("\n".join(sorted(_choices())), "utf-8")
    yield others


def _of_scripts(folder: Path) -> Iterator[Path]:
    """The shop's scripts, and what the demonstration sells: its names are no sentences."""
    from portal.demo.seed import OFFERS

    yield from sorted((PORTAL / "static/storefront/js").glob("*.js"))
    lines = {line for offer in OFFERS for line in offer.description.split("\n")}
    others = folder / "others.js"
    calls = (f'pgettext("offer", {json.dumps(one)});' for one in sorted(lines))
    others.write_text("\n".join(calls), "utf-8")
    yield others


def _as_python(template: Path, made: Path) -> Path:
    from django.utils.translation import templatize

    text = templatize(template.read_text("utf-8"), origin=str(template))
    made.write_text(text, "utf-8")
    return made


def _is_for_staff(package: Path, path: Path) -> bool:
    inside = path.relative_to(package)
    is_shared = inside.as_posix() in SHARED
    return not is_shared and bool(FOR_STAFF & set(inside.with_suffix("").parts))


def _faults() -> Iterator[str]:
    """What validators and constraints say; Django's own, which are lazy, it translates."""
    for name in MODELS:
        options = apps.get_model(name)._meta
        validators = [one for field in options.fields for one in field.validators]
        messages = [getattr(one, "message", "") for one in validators]
        messages += [one.violation_error_message for one in options.constraints]
        yield from (one for one in messages if isinstance(one, str) and one)


def _choices() -> Iterator[str]:
    for path, context in CHOICES.items():
        module, _, name = path.rpartition(".")
        for label in getattr(import_module(module), name).labels:
            yield f"pgettext({context!r}, {label!r})" if context else f"_({label!r})"


def _refusals(package: Path, path: Path) -> Iterator[str]:
    if package == PACKAGE and path.relative_to(package).parts[0] not in REFUSING:
        return
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Call(
                func=ast.Name(id=name), args=[_, ast.Constant(value=str(text)), *_]
            ) if name in REFUSALS:
                yield text


def _without_false_formats(text: str) -> str:
    """xgettext takes "20 % of hosting" for a format of Python, and msgmerge doubts it."""
    entries = text.split("\n\n")
    return "\n\n".join(
        one
        if "%(" in one
        else re.sub(
            r"^#, python-format\n|python-format, |, python-format$|(?<=^#, )fuzzy, ",
            "",
            one,
            flags=re.MULTILINE,
        )
        for one in entries
    )


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)  # noqa: S603 - our own words
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:3])}: {done.stderr}")


ALL = (
    *(
        Texts(
            package=package,
            domain="django",
            language="Python",
            readable=partial(_of_app, package),
        )
        for package in PACKAGES
    ),
    Texts(package=PORTAL, domain="django", language="Python", readable=_of_pages),
    Texts(
        package=PORTAL, domain="djangojs", language="JavaScript", readable=_of_scripts
    ),
)

if __name__ == "__main__":
    sys.exit(main())
