"""Addresses of admin pages, and what they say."""

from __future__ import annotations

PAGES = ("user", "product", "order", "paymentdetails", "invoice", "paymentevent")


def page_of(row: object, action: str = "change") -> str:
    return f"/admin/portal/{row._meta.model_name}/{row.pk}/{action}/"


def text_of(response) -> str:
    return response.content.decode()
