from __future__ import annotations

from datetime import timedelta
from io import StringIO

from django.core.management import call_command
from django.utils import timezone

from affiliates.visits.models import Click
from affiliates.visits.robots import rejudging
from tests.factories.affiliates import ClickFactory

ROBOT = "Lemmy/0.19.8; +https://lemmy.example"
PERSON = "Mozilla/5.0 (Linux; Android 13; Spider 8) Chrome/124.0.0.0 Safari/537.36"
# Stored signs, the user agent, and the signs of today.
CLICKS = [
    ("", PERSON, ""),
    ("", ROBOT, "user_agent"),
    ("user_agent", ROBOT, "user_agent"),
    ("user_agent", PERSON, ""),
    ("user_agent,prefetch", PERSON, "prefetch"),
    ("automation", ROBOT, "user_agent,automation"),
    ("user_agent", "", "user_agent"),
]
TOLD = "6 clicks, of which 1 of people are robots' and 1 of robots are people's."


def rejudged(*arguments: str) -> str:
    output = StringIO()
    call_command("rejudge_clicks", *arguments, stdout=output)
    return output.getvalue()


def signs():
    return list(
        Click.objects.order_by("created_at").values_list("bot_signs", flat=True)
    )


def test_stored_clicks_are_judged_by_the_present_list_and_first_only_counted(
    affiliate, monkeypatch
):
    monkeypatch.setattr(rejudging, "CLICKS_AT_ONCE", 2)
    # Two of one moment, at the edge of a batch.
    begin = timezone.now() - timedelta(days=89)
    for number, (stored, user_agent, _) in enumerate(CLICKS):
        ClickFactory(
            affiliate=affiliate,
            created_at=begin + timedelta(hours=number - (number == 2)),
            bot_signs=stored,
            user_agent=user_agent,
        )
    old = begin - timedelta(days=3)
    ClickFactory(affiliate=affiliate, created_at=old, user_agent=ROBOT)
    stored = [""] + [signs for signs, _, _ in CLICKS]
    today = [""] + [signs for _, _, signs in CLICKS]

    printed = rejudged()

    assert TOLD in printed
    assert "Nothing was changed." in printed
    assert sorted(signs()) == sorted(stored)

    assert TOLD in rejudged("--yes")
    assert sorted(signs()) == sorted(today)
    assert "0 of people are robots' and 0 of robots" in rejudged()
    assert "7 clicks, of which 1 of people" in rejudged(
        "--since", f"{timezone.localdate(old)}"
    )
