"""The printed content of a statement, the same on the page, in the CSV and in the PDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from affiliates.core.money import decimal_text, spoken_text
from affiliates.payouts.models import PayoutDestination
from affiliates.payouts.rules import StatementKind
from affiliates.payouts.statement_models import PayoutStatement


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperFact:
    """``text`` is for people, ``cell`` for a CSV file; both are empty without a fact."""

    name: str
    label: str
    text: str
    cell: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperLine:
    """``amount`` is in minor units."""

    name: str
    amount: int
    currency: str
    day: date | None = None

    @property
    def day_text(self) -> str:
        return "" if self.day is None else _day_text(self.day)

    @property
    def day_cell(self) -> str:
        return "" if self.day is None else self.day.isoformat()

    @property
    def decimal(self) -> str:
        return decimal_text(self.amount, self.currency)

    @property
    def amount_text(self) -> str:
        return spoken_text(self.decimal, self.currency)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A statement in the active language. Parties are in lines: name, address, ids."""

    brand: str
    kind: str
    number: str
    title: str
    issued_at: datetime
    issuer: Sequence[str]
    recipient: Sequence[str]
    facts: Sequence[PaperFact]
    lines: Sequence[PaperLine]
    total: PaperLine
    tax_note: str


def paper_of(statement: PayoutStatement) -> Paper:
    document, lines = statement.document, statement_lines(statement)
    return Paper(
        brand=statement.brand.name,
        kind=statement.kind,
        number=statement.name,
        title=f"{statement.get_kind_display()} {statement.name}",
        issued_at=statement.issued_at,
        issuer=document["issuer"].splitlines(),
        recipient=_recipient(document),
        facts=_facts(statement, [line.day for line in lines if line.day]),
        lines=lines,
        total=PaperLine(
            name=_("Total"), amount=statement.amount, currency=statement.currency
        ),
        tax_note=document["tax_note"],
    )


def paper_rows(paper: Paper) -> list[dict[str, str]]:
    """Returns the paper as rows of a CSV file: its lines, then the total."""
    facts = {
        "kind": paper.kind,
        "number": paper.number,
        "issuer": ", ".join(paper.issuer),
        "recipient": ", ".join(paper.recipient),
        **{fact.name: fact.cell for fact in paper.facts},
        "tax_note": paper.tax_note,
        "currency": paper.total.currency,
    }
    return [
        {
            **facts,
            "name": "total" if line is paper.total else line.name,
            "day": line.day_cell,
            "amount": line.decimal,
        }
        for line in (*paper.lines, paper.total)
    ]


def statement_lines(statement: PayoutStatement) -> list[PaperLine]:
    """Returns each commission, what was taken back of it, and the carried amount."""
    document, zone = statement.document, statement.brand.zone()
    sign = -1 if statement.amount < 0 else 1

    def of(name: str, amount: int, day: date | None = None) -> PaperLine:
        amount *= sign
        return PaperLine(name=name, amount=amount, currency=statement.currency, day=day)

    lines = []
    for line in document["lines"]:
        name = _name_of(line)
        lines.append(of(name, line["earned"], _day_of(line["earned_at"], zone)))
        if taken := line["amount"] - line["earned"]:
            lines.append(of(_("Taken back: {line}").format(line=name), taken))
    if document["carried"]:
        lines.append(of(_("Refunds and corrections"), document["carried"]))
    return lines


def _recipient(document: Mapping[str, Any]) -> list[str]:
    payee = document.get("payee")
    if payee:
        return [payee["name"], *payee["lines"], *payee["ids"]]
    return list(filter(None, [document["affiliate"], document["recipient"]]))


def _facts(statement: PayoutStatement, earned: Sequence[date]) -> list[PaperFact]:
    document, zone = statement.document, statement.brand.zone()
    is_paid = statement.kind == StatementKind.PAID

    def on(moment: str) -> list[date]:
        return [_day_of(moment, zone)] if moment else []

    return [
        _days("issued", _("Issued"), on(statement.issued_at.isoformat())),
        _days("paid", _("Paid"), on(document["paid_at"] if is_paid else "")),
        _days("returned", _("Returned"), on(document.get("returned_at", ""))),
        _days(
            "period", _("Period"), sorted({min(earned), max(earned)} if earned else ())
        ),
        _text(
            "paid_to", _("Paid to"), str(PayoutDestination(**document["destination"]))
        ),
        _text("reference", _("Reference"), document["reference"]),
        _received(*document.get("received", (0, ""))),
        _text("corrects", _("Corrects"), document.get("corrects", "")),
        _text("reason", _("Reason"), document.get("reason", "")),
    ]


def _text(name: str, label: str, text: str) -> PaperFact:
    return PaperFact(name=name, label=label, text=text, cell=text)


def _received(amount: int, currency: str) -> PaperFact:
    """What the recipient got in another currency, if the provider converted it."""
    decimal = decimal_text(amount, currency) if currency else ""
    return PaperFact(
        name="received",
        label=_("Paid as"),
        text=decimal and spoken_text(decimal, currency),
        cell=f"{decimal} {currency}".strip(),
    )


def _days(name: str, label: str, days: Sequence[date]) -> PaperFact:
    """One day, or the first and the last of a period."""
    return PaperFact(
        name=name,
        label=label,
        text=" – ".join(map(_day_text, days)),
        cell="/".join(day.isoformat() for day in days),
    )


def _name_of(line: Mapping[str, Any]) -> str:
    # A share has no number: the sale is another affiliate's.
    return line["number"] or line["invoice"] or _("Share of an affiliate you recruited")


def _day_of(moment: str, zone: tzinfo) -> date:
    return datetime.fromisoformat(moment).astimezone(zone).date()


def _day_text(day: date) -> str:
    return date_format(day, _("j M Y"))
