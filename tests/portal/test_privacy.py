from __future__ import annotations

from affiliates.privacy.columns import undeclared


def test_every_column_of_the_portal_and_of_the_packages_it_uses_is_declared():
    assert list(undeclared()) == []
