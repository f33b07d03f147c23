"""What visitors and affiliates read, for translators: ``python -m docs.translations``.

Writes ``affiliates/locale/<language>/LC_MESSAGES/django.po`` anew from the code, keeps what
is translated, and compiles it. Needs GNU gettext.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "affiliates"
LOCALE = PACKAGE / "locale"
# What staff alone read is English.
FOR_STAFF = {
    "admin", "admin_actions", "admin_tools", "audit", "canary", "checks", "desk", "doctor",
    "exports", "fraud", "fraud_review", "imports", "integrations", "management", "migrations",
    "order_history", "payout_runs", "reconciliation", "sample", "simulation", "verification", "worker",
}  # fmt: skip
TEMPLATES = ("admin/chart.html", "area", "emails", "recruitment")
# What affiliates read too of what is for staff.
SHARED = {"desk/figures/drawing.py", "integrations/webhooks/services.py"}
# Refusals of what the area asks for: the text is their second argument.
REFUSALS = {"InvalidInput", "NotAllowed", "StateConflict"}
REFUSING = (
    "api", "api_keys", "claims", "emails", "integrations", "payouts", "program",
    "recruitment",
)  # fmt: skip
KEYWORDS = (
    "_", "gettext", "gettext_lazy", "gettext_noop", "ngettext:1,2", "ngettext_lazy:1,2",
    "pgettext:1c,2", "pgettext_lazy:1c,2",
)  # fmt: skip
# Whose labels affiliates read.
ENUMS = (
    "affiliates.api_keys.rules.Scope",
    "affiliates.claims.rules.ClaimStatus",
    "affiliates.commissions.rules.CommissionStatus",
    "affiliates.commissions.rules.StepReason",
    "affiliates.ledger.rules.Account",
    "affiliates.ledger.rules.PostingKind",
    "affiliates.payouts.rules.DestinationKind",
    "affiliates.payouts.rules.PayoutStatus",
    "affiliates.plans.rules.receipts.LineOutcome",
    "affiliates.plans.rules.terms.AppliesTo",
    "affiliates.plans.rules.terms.BillingCycle",
    "affiliates.plans.rules.rounding.Rounding",
    "affiliates.plans.rules.terms.TierPeriod",
    "affiliates.program.rules.AffiliateStatus",
    "affiliates.recruitment.rules.Pace",
    "affiliates.statistics.types.Dimension",
    "affiliates.statistics.types.Step",
)


def main() -> int:
    for catalogue in sorted(LOCALE.glob("*/LC_MESSAGES/django.po")):
        name = str(catalogue)
        with tempfile.TemporaryDirectory() as folder:
            found = str(extract(Path(folder)))
            _run(
                *("msgmerge", "--quiet", "--update", "--backup=none", "--no-wrap"),
                *("--no-fuzzy-matching", name, found),
            )
        _run("msgattrib", "--no-obsolete", "--no-wrap", "--output-file", name, name)
        compile_catalogue(catalogue, catalogue.with_suffix(".mo"))
    return 0


def extract(folder: Path) -> Path:
    """Every text that is to be translated, in a template of catalogues in the folder."""
    template = folder / "django.pot"
    _run(
        *("xgettext", "--language=Python", "--from-code=UTF-8", "--no-wrap"),
        *("--sort-output", "--no-location", "--omit-header", "--keyword"),
        *(f"--keyword={one}" for one in KEYWORDS),
        *("--output", str(template), *map(str, _readable(folder))),
    )
    # Before it is merged: a text whose format has changed becomes fuzzy.
    text = template.read_text("utf-8")
    template.write_text(_without_false_formats(text), "utf-8")
    return template


def compile_catalogue(catalogue: Path, compiled: Path) -> None:
    _run("msgfmt", "--check-format", "--output-file", str(compiled), str(catalogue))


def _readable(folder: Path) -> Iterator[Path]:
    """Files of Python: the code, templates made into it, and what is named nowhere."""
    from django.utils.translation import templatize

    code = [one for one in sorted(PACKAGE.rglob("*.py")) if not _is_for_staff(one)]
    yield from code
    for name in TEMPLATES:
        found = PACKAGE / "templates/affiliates" / name
        for path in sorted(found.rglob("*.*")) or [found]:
            made = folder / f"{name.replace('/', '-')}-{path.name}.py"
            text = templatize(path.read_text("utf-8"), origin=str(path))
            made.write_text(text, "utf-8")
            yield made
    texts = {*_labels(), *(text for path in code for text in _refusals(path))}
    others = folder / "others.py"
    others.write_text("\n".join(f"_({one!r})" for one in sorted(texts)), "utf-8")
    yield others


def _is_for_staff(path: Path) -> bool:
    inside = path.relative_to(PACKAGE)
    is_shared = inside.as_posix() in SHARED
    return not is_shared and bool(FOR_STAFF & set(inside.with_suffix("").parts))


def _labels() -> Iterator[str]:
    for path in ENUMS:
        module, _, name = path.rpartition(".")
        for _, label in getattr(import_module(module), name).choices():
            yield label


def _refusals(path: Path) -> Iterator[str]:
    if path.relative_to(PACKAGE).parts[0] not in REFUSING:
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


if __name__ == "__main__":
    sys.exit(main())
