"""Labels of invoice lines that are longer than their columns."""

from __future__ import annotations

import pytest

from affiliates.plans.rules.matching import LABEL_LIMITS, stored_label


@pytest.mark.parametrize(("name", "most"), LABEL_LIMITS.items())
def test_a_label_that_fits_is_kept_and_longer_ones_stay_apart(name, most):
    whole = "x" * most
    longer, other = stored_label(name, whole + "1"), stored_label(name, whole + "2")

    assert stored_label(name, whole) == whole
    assert len(longer) == len(other) == most
    assert len({whole, longer, other}) == 3
    assert longer.startswith("x" * (most - 9) + "~")
