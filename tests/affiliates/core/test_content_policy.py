from __future__ import annotations

from affiliates.core.content_policy import ADMIN, THEMED, content_policy

STRICT_TEXT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)


def test_pages_load_our_own_files_alone():
    assert content_policy() == STRICT_TEXT


def test_sources_are_added_to_their_directive_and_reports_last():
    policy = content_policy(
        more={"connect-src": ["https://api.example.com"], "img-src": []},
        report_uri="https://reports.example.com/csp",
    )

    connected = "connect-src 'self' https://api.example.com;"
    assert policy == (
        STRICT_TEXT.replace("connect-src 'self';", connected)
        + "; report-uri https://reports.example.com/csp"
    )


def test_the_admin_may_style_and_its_theme_evaluate_and_neither_run_inline():
    styled = STRICT_TEXT.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")

    assert content_policy(ADMIN) == styled
    assert content_policy(THEMED) == styled.replace(
        "script-src 'self'", "script-src 'self' 'unsafe-eval'"
    )
