from __future__ import annotations

from affiliates.core.urls import referring_origin, referring_site
from tests.cases import each


@each(
    ("referrer", "site", "origin"),
    [
        ("", "", ""),
        ("https://blog.example/a?b#c", "blog.example", "https://blog.example/"),
        (
            "android-app://com.linkedin.android/",
            "com.linkedin.android",
            "android-app://com.linkedin.android/",
        ),
        (
            "android-app://com.google.android.gm",
            "com.google.android.gm",
            "android-app://com.google.android.gm/",
        ),
        (
            "Android-App://com.Slack/https/example.com/a?b=c",
            "com.slack",
            "android-app://com.slack/",
        ),
        ("ios-app://288429040/https/x.com", "288429040", "ios-app://288429040/"),
        ("android-app://", "", ""),
        ("android-app://a b/", "", ""),
        ("mailto:a@example.com", "", ""),
        ("about:blank", "", ""),
    ],
)
def test_a_referrer_is_a_site_or_an_app(referrer, site, origin):
    assert (referring_site(referrer), referring_origin(referrer)) == (site, origin)
