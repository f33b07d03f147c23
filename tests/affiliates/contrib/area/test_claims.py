"""What the page says of a claim that is submitted again."""

from __future__ import annotations

import pytest

from affiliates.contrib.claims.models import MissingSaleClaim
from tests.guard.markers import marker

pytestmark = pytest.mark.django_db
NEW = "/affiliate/claims/new"


def test_what_a_claim_tells_anew_is_submitted_and_what_it_does_not_is_said(browser):
    def said(**given):
        answer = browser.post(NEW, {"order": "A-17", **given}, follow=True)
        return [str(one) for one in answer.context["messages"]]

    submitted = ["The claim is submitted."]
    repeated = [
        "You claimed this before: it is the same case, with what you wrote first."
    ]
    assert said() == submitted
    assert said() == repeated
    assert said(note=marker("affiliate", "note")) == submitted
    assert said(note="By post") == repeated
    assert MissingSaleClaim.objects.get().note == marker("affiliate", "note")
