"""The documentation says what the code does."""

from __future__ import annotations

import json
import re
from functools import cache, cached_property
from io import StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command, get_commands
from django.utils.module_loading import import_string
from django.utils.text import capfirst
from rest_framework.test import APIClient

from affiliates import APPS, SEAM, signals
from affiliates.adapter import HostAdapter
from affiliates.api import urls as api_urls
from affiliates.conf import Settings, conf
from affiliates.contrib.imports.files import reading
from affiliates.contrib.imports.files import rows as file_rows
from affiliates.contrib.payout_runs import answer_files, camt
from affiliates.core.tables import reading as tables
from affiliates.hooks import own_apps
from affiliates.uploads import drawing, files
from affiliates.visits.models import Click
from affiliates.webhooks.announce import FactKind
from affiliates.worker.registry import registered
from affiliates.worker.rules import in_words
from docs.generate import (
    FRONTEND,
    PAGE,
    PRIVACY,
    VERSIONS,
    commands_page,
    frontend_page,
    privacy_page,
    versions_page,
)
from portal.clients.validators import PRODUCT_WORDS
from tests.cases import each

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(
    page for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")] if page.is_file()
)
# Those that docs/how-to/README.md lists are of people; the others there of developers.
HOW_TOS = [
    ROOT / "docs/how-to" / name
    for name in re.findall(
        r"^- \[.+\]\((.+)\)$",
        (ROOT / "docs/how-to/README.md").read_text("utf-8"),
        re.MULTILINE,
    )
]
BOLD = re.compile(r"\*\*([^*]+)\*\*")
OWN_WORDS = {"Then", "What can go wrong", "+"}
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)
IMPORT = re.compile(r"^from (affiliates[\w.]*) import ([\w, ]+)$", re.MULTILINE)
# Of something in a module: "affiliates.Brand" is a model, and no path.
PATH = re.compile(r'"(affiliates(?:\.[a-z_]+)+\.[A-Z]\w+)"')
ARCHITECTURE = (ROOT / "docs/architecture.md").read_text("utf-8")
QUESTION = re.compile(r"^\| ([^|]+\?) \| `([^`|]+)` \| `[^`|]+` \|$", re.MULTILINE)
# What an app adds to the core: the registry's file, and its name there.
REGISTRY = re.compile(r"^\| [^|?]+ \| `([\w/]+\.py)` \| `(\w+)` \|$", re.MULTILINE)
# How the page of an app beside the core begins.
APP = re.compile(
    r"# .+\n\n\*\*App:\*\* `([\w.]+)` \(label `(\w+)`\)(.+?)\n\n", re.DOTALL
)
STEP = re.compile(r"^\d+\. `([^`]+)`: ", re.MULTILINE)
CONF = (ROOT / "affiliates/conf.py").read_text("utf-8")
ENVIRONMENT = re.compile(r"""env(?:\.\w+)?\(\s*"([A-Z_]+)\"""")


@each("page", HOW_TOS)
def test_a_how_to_names_pages_and_buttons_as_they_are_called(page):
    names = {name.removesuffix("…") for name in BOLD.findall(_plain_text(page))}

    assert len(names) > 2
    assert {one for one in names - OWN_WORDS - _names() if one not in _code()} == set()


@cache
def _names() -> set[str]:
    """What Django makes of the names of models and fields."""
    return {
        capfirst(str(name))
        for model in apps.get_models()
        for name in (
            model._meta.verbose_name_plural,
            *(getattr(one, "verbose_name", "") for one in model._meta.get_fields()),
        )
    }


@cache
def _code() -> str:
    """All texts of the product."""
    return "".join(
        _plain_text(path)
        for folder in ("affiliates", "portal", "templates")
        for ending in ("py", "html")
        for path in ROOT.glob(f"{folder}/**/*.{ending}")
    )


def _plain_text(path: Path) -> str:
    return " ".join(path.read_text("utf-8").split())


@each("page", PAGES)
def test_links_lead_somewhere(page):
    targets = LINK.findall(page.read_text(encoding="utf-8"))

    assert [one for one in targets if not (page.parent / one).exists()] == []


def test_what_code_names_of_ours_exists():
    blocks = [
        block
        for page in PAGES
        for block in CODE.findall(page.read_text(encoding="utf-8"))
    ]
    imported = {
        f"{module}.{name.strip()}"
        for block in blocks
        for module, names in IMPORT.findall(block)
        for name in names.split(",")
    }
    paths = {path for block in blocks for path in PATH.findall(block)}

    assert "affiliates.host_events.order_placed" in imported
    assert "affiliates.extending.middleware.ReferralCookieMiddleware" in paths
    for path in imported | paths:
        import_string(path)


def test_every_path_that_a_host_is_told_to_write_is_kept():
    blocks = [
        block
        for page in PAGES
        for block in CODE.findall(page.read_text(encoding="utf-8"))
    ]
    written = {
        path
        for block in blocks
        for path in [
            *(module for module, _ in IMPORT.findall(block)),
            *re.findall(r"import (affiliates\.[\w.]+)", block),
            *re.findall(r'"(affiliates\.[\w.]+)"', block),
        ]
        # "affiliates.Brand" is a model, "affiliates.0001" a migration.
        if path.partition(".")[2][:1].islower()
    }
    promised = {*APPS, *(f"affiliates.{name}" for name in SEAM)}

    assert len(written) > 15
    assert (
        written & promised
        | {path for path in written if path.rpartition(".")[0] in promised}
        == written
    )


def test_forty_questions_are_answered_by_the_core_except_those_about_an_app():
    rows = QUESTION.findall(ARCHITECTURE)

    assert len({question for question, _ in rows}) == len(rows) == 40
    assert [
        (question, file)
        for question, file in rows
        if (found := re.match(r"affiliates/contrib/(\w+)/", file))
        and found[1].replace("_", " ").rstrip("s") not in question
    ] == []


def test_every_registry_is_where_the_page_says():
    rows = REGISTRY.findall(ARCHITECTURE)

    assert len(rows) > 10
    for file, name in rows:
        import_string(f"{file.removesuffix('.py').replace('/', '.')}.{name}")


def test_the_core_is_read_in_at_most_thirty_files():
    files = STEP.findall(ARCHITECTURE)

    assert 20 < len(files) <= 30
    assert [
        file
        for file in files
        if file.startswith("contrib/") or not (ROOT / "affiliates" / file).is_file()
    ] == []


def test_the_page_of_an_app_begins_with_what_it_needs_and_brings():
    found = [APP.match(page.read_text("utf-8")) for page in PAGES]
    pages = {one[1]: one for one in found if one}
    apps = [config for config in own_apps() if config.name in pages]

    assert {*pages} == set(APPS)
    for config in apps:
        brings = {name for name, app in get_commands().items() if app == config.name}
        brings |= {
            job.name
            for job in registered()
            if job.run.__module__.startswith(f"{config.name}.")
        }
        needs = {name.rpartition(".")[2] for name in getattr(config, "needs", ())}
        named = re.findall(r"`(\w+)`", pages[config.name][3])
        assert pages[config.name][2] == config.label
        assert (needs | brings) - set(named) == set()


def test_every_method_of_the_adapter_is_described():
    described = "".join(
        (ROOT / "docs" / name).read_text("utf-8")
        for name in ("adapter.md", "adapter-reference.md")
    )
    methods = [
        name
        for name, value in vars(HostAdapter).items()
        if callable(value) and not name.startswith("_")
    ]

    assert len(methods) > 10
    assert [name for name in methods if name not in described] == []


CRYPTOGRAPHY = re.compile(
    r"^(?:from|import) (?:cryptography|hashlib|knox\.crypto|ssl|standardwebhooks)\b"
    r"|^import hmac$|salted_hmac\(|signing\.dumps|signing\.loads"
    r"|default_token_generator\.|PasswordHasher\):",
    re.MULTILINE,
)


def test_every_environment_variable_is_described():
    names = ENVIRONMENT.findall((ROOT / "portal/settings.py").read_text("utf-8"))
    described = (ROOT / "docs/settings.md").read_text("utf-8")

    assert len(names) > 15
    assert [name for name in names if f"`{name}`" not in described] == []


def test_every_server_that_the_portal_connects_to_is_listed():
    names = ENVIRONMENT.findall((ROOT / "portal/settings.py").read_text("utf-8"))
    servers = {name for name in names if name.endswith("_URL")} - {
        "AFFILIATES_SITE_URL"
    }
    security = (ROOT / "docs/security.md").read_text("utf-8")
    listed = security.partition("\n## Connections\n")[2].partition("\n## ")[0]

    assert len(servers) == 4
    assert [name for name in servers if f"`{name}`" not in listed] == []


def test_the_policy_for_keys_has_every_secret_of_the_environment():
    names = ENVIRONMENT.findall((ROOT / "portal/settings.py").read_text("utf-8"))
    secrets = {
        name
        for name in names
        if name.endswith(("_KEY", "_KEYS", "_TOKEN", "_SECRET", "_URL"))
    } - {"AFFILIATES_SITE_URL"}
    policy = section("docs/security-keys.md", "### A policy for keys")

    assert len(secrets) == 8
    assert [name for name in secrets if f"`{name}`" not in policy] == []
    assert "`PAYMENT_WEBHOOK_SECRET_<NAME>`" in policy


def test_the_inventory_of_cryptography_names_every_module_that_uses_some():
    inventory = section("docs/security-keys.md", "### Inventory")
    named = set(re.findall(r"`((?:affiliates|portal)\.[\w.]+)`", inventory))
    modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for root in ("affiliates", "portal")
        for path in (ROOT / root).rglob("*.py")
        if CRYPTOGRAPHY.search(path.read_text("utf-8"))
    }

    assert len(modules) > 30
    assert (modules - named, named - modules) == (set(), set())


def test_updates_of_dependencies_have_times_by_severity():
    times = section("SECURITY.md", "## Weaknesses of dependencies")

    assert dict(re.findall(r"^\| ([A-Z].+) \| (.*\w) \|$", times, re.MULTILINE)) == {
        "Severity in the advisory": "Time",
        "Critical": "48 hours",
        "High": "7 days",
        "Any other": "30 days",
        "No weakness: ordinary updates": "each quarter",
    }


def test_the_words_that_no_password_may_be_are_listed():
    rules = section("docs/security-logins.md", "## Rules for passwords")

    assert len(PRODUCT_WORDS) == 6
    assert [word for word in PRODUCT_WORDS if f"`{word}`" not in rules] == []


def section(page: str, heading: str) -> str:
    text = (ROOT / page).read_text("utf-8")
    return re.split(r"\n##+ ", text.partition(f"\n{heading}\n")[2])[0]


def test_every_setting_of_the_app_is_described():
    names = [
        f"AFFILIATES_{name.upper()}"
        for name, value in vars(Settings).items()
        if isinstance(value, cached_property)
    ]
    described = (ROOT / "docs/settings.md").read_text("utf-8")

    assert len(names) > 15
    assert [name for name in names if f"`{name}`" not in described] == []


def test_every_plain_default_is_the_one_that_is_described():
    described = (ROOT / "docs/settings.md").read_text("utf-8")
    _, _, of_app = described.partition("## Settings of the app")
    printed = dict(
        re.findall(r"^\| `(AFFILIATES_\w+)` \| `([^`]+)` \|", of_app, re.MULTILINE)
    )
    defaults = dict(re.findall(r'_setting\(\s*"(\w+)", ([^,()]+)\)', CONF))

    assert len(printed) > 8
    compared = {
        name: (text, defaults[name.removeprefix("AFFILIATES_")])
        for name, text in printed.items()
        if name.removeprefix("AFFILIATES_") in defaults
    }
    assert len(compared) > 6
    assert {
        name
        for name, (text, default) in compared.items()
        if _plain(text) != _plain(default)
    } == set()


def test_every_check_and_examination_is_described():
    described = (ROOT / "docs/checks.md").read_text("utf-8")
    rows = set(
        re.findall(
            r"^\| `((?:affiliates|portal)\.[EWD]\d{3})` \|", described, re.MULTILINE
        )
    )
    codes = {
        f"affiliates.{code}"
        for folder in ("operations/health/*.py", "contrib/*/health.py")
        for path in (ROOT / "affiliates").glob(folder)
        for code in re.findall(r"\b[EWD]\d{3}\b", path.read_text("utf-8"))
    }
    codes |= set(
        re.findall(r'"(portal\.[EW]\d{3})"', (ROOT / "portal/checks.py").read_text())
    )

    assert len(codes) > 45
    assert rows == codes


def test_commands_are_described_as_they_describe_themselves():
    assert PAGE.read_text("utf-8") == commands_page(), "python -m docs.generate"


def test_tag_of_the_script_has_its_version_and_its_digest():
    text = FRONTEND.read_text("utf-8")

    assert text.count('integrity="sha384-') == 1
    assert text == frontend_page(), "python -m docs.generate"


def test_the_table_of_personal_data_is_that_of_the_code():
    assert PRIVACY.read_text("utf-8") == privacy_page(), "python -m docs.generate"


def test_the_modules_for_hosts_are_those_of_the_seam():
    assert VERSIONS.read_text("utf-8") == versions_page(), "python -m docs.generate"


def test_every_job_is_described_as_it_is_registered():
    page = (ROOT / "docs/how-to/schedule-jobs.md").read_text("utf-8")
    rows = re.findall(
        r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]*) \|$", page, re.MULTILINE
    )
    seconds = dict(re.findall(r'^    "(\w+)": (\d+),$', page, re.MULTILINE))
    lines = re.findall(
        r"^[*/\d ]+ cd .* affiliates_run ([a-z_ ]+)$", page, re.MULTILINE
    )

    jobs = [job for job in registered() if job.run.__module__.startswith("affiliates.")]
    assert len(jobs) > 10
    assert rows == [
        (job.name, in_words(job.every), job.does, job.needs or "-") for job in jobs
    ]
    assert seconds == {job.name: f"{job.every.total_seconds():g}" for job in jobs}
    assert sorted(" ".join(lines).split()) == [job.name for job in jobs]


def test_what_an_option_may_be_is_listed():
    page = commands_page()

    for option in (
        "`--kind KIND`: One of `affiliates`, `links`, `clients`, `balances`, `coupons`, "
        "`orders`.",
        "`--format FORMAT`: The system whose columns it has. Default: ours. One of "
        "`own`, `whmcs`, `pap`, `rewardful`, `tapfiliate`.",
        "`--decimal-mark DECIMAL_MARK`: One of `point`, `comma`.",
        "`--date-order DATE_ORDER`: One of `dmy`, `mdy`.",
    ):
        assert f"- {option}\n" in page


def test_every_signal_is_described_with_its_arguments():
    described = (ROOT / "docs/events.md").read_text("utf-8")
    names = [
        name
        for name, value in vars(signals).items()
        if isinstance(value, signals.FactSignal)
    ]
    arguments = re.findall(r"^- ``(\w+)``", signals.__doc__, re.MULTILINE)

    assert len(names) == len(FactKind)
    assert len(arguments) == 6
    assert [name for name in [*names, *arguments] if f"`{name}`" not in described] == []
    assert [kind for kind in FactKind if f"| `{kind}` |" not in described] == []


def test_every_endpoint_is_described():
    described = "".join(
        page.read_text("utf-8") for page in sorted(ROOT.glob("docs/api*.md"))
    )
    described = described.replace("&lt;", "<").replace("&gt;", ">")
    paths = [
        f"/{re.sub(r'<(?:[a-z]+:)?(?:[a-z]+_)?([a-z]+)>', '', str(one.pattern))}"
        for one in api_urls.urlpatterns
    ]
    plain = re.sub(r"<\w+>", "", described)

    assert len(paths) >= 5
    assert [path for path in paths if path not in plain] == []


def test_limits_of_uploaded_files_are_described():
    side = drawing.MAX_SIDE
    described = {
        "imports": f"{reading.MAX_ROWS:,} rows, {reading.MAX_COLUMNS} columns, "
        f"{reading.MAX_CELL:,} characters in a cell, {tables.MAX_RECORD:,} in a row, "
        f"{file_rows.MAX_BYTES // 1_000_000} MB",
        "payout-runs": f"At most {answer_files.MAX_BYTES >> 20} MB, "
        f"{answer_files.MAX_ROWS:,} lines, a million XML elements",
        "area-pages": f"at most {drawing.MAX_BYTES // 1_000_000} MB and "
        f"{side} by {side} pixels",
        "how-to/share-banners": f"at most {files.MAX_FILE_BYTES // 1_000_000} MB",
        "how-to/take-invoices": f"at most {conf.max_invoice_bytes // 1_000_000} MB",
    }
    unpacked = (
        f"ZIP archives up to {answer_files.MAX_MEMBERS} files and "
        f"{answer_files.MAX_UNPACKED >> 20} MB unpacked"
    )

    pages = {name: _plain_text(ROOT / f"docs/{name}.md") for name in described}
    assert [name for name, text in described.items() if text not in pages[name]] == []
    assert unpacked in pages["payout-runs"]
    assert camt.MAX_ELEMENTS == 1_000_000


@pytest.mark.django_db
def test_visit_in_the_readme_is_answered_as_printed():
    readme = (ROOT / "README.md").read_text("utf-8")
    body = json.loads(re.search(r"-d '(\{.*?\})'", readme, re.DOTALL)[1])
    printed = json.loads(re.search(r"```json\n(.*?)\n```", readme, re.DOTALL)[1])
    origin = re.search(r"'Origin: (.*?)'", readme)[1]
    call_command("seed_demo", stdout=StringIO())

    answer = APIClient(HTTP_ORIGIN=origin).post(
        "/api/affiliate_link/visit", body, format="json"
    )

    data = answer.json()["data"]
    assert len(data.pop("referral_cookie")) > 100
    del printed["data"]["referral_cookie"]
    assert data == printed["data"]
    assert Click.objects.count() == 1


def _plain(value: str) -> str:
    return value.strip('"').replace("_", "").removesuffix(".0")
