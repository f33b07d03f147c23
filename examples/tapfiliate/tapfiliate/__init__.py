"""Tapfiliate's REST API 1.6: it makes the click's id, which sales then include."""
