"""Tapfiliate's REST API 1.6: it makes the click's id, and sales are sent with it."""
