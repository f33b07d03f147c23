"""When an affiliate counts as the client, case by case."""

from __future__ import annotations

import pytest

from affiliates.referrals.rules.identity import is_same_person, normalise_email


@pytest.mark.parametrize(
    ("_case", "affiliate", "client", "same"),
    [
        ("same user", ("7", "a@x.com"), ("7", "b@x.com"), True),
        ("same mailbox", ("7", "Ann@X.com"), ("8", "ann@x.com"), True),
        ("tagged mailbox", ("7", "ann@x.com"), ("8", "ann+shop@x.com"), True),
        ("other mailbox", ("7", "ann@x.com"), ("8", "ben@x.com"), False),
        ("guest without e-mail", ("7", ""), ("8", ""), False),
    ],
)
def test_same_person(_case, affiliate, client, same):
    assert (
        is_same_person(
            affiliate_user_id=affiliate[0],
            affiliate_email=affiliate[1],
            client_id=client[0],
            client_email=client[1],
        )
        is same
    )


@pytest.mark.parametrize(
    ("email", "mailbox"),
    [
        ("ann@example.com", "ann@example.com"),
        (" Ann+news@Example.COM ", "ann@example.com"),
        ('"ann"@example.com', "ann@example.com"),
        ('"a\\nn+x"@example.com', "ann@example.com"),
        ('ann"@example.com', 'ann"@example.com'),
        ("", ""),
    ],
)
def test_normalise_email(email, mailbox):
    assert normalise_email(email) == mailbox
