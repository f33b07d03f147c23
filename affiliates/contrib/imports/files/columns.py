"""Which columns a file may have: ours, and those of the systems that programs move from.

``docs/imports.md`` shows the same, and says what of theirs is not known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from affiliates.contrib.imports.files.rows import ImportKind, Source, UnreadableFile
from affiliates.core.tables.cells import plain_cell, plain_heading

AFFILIATE = ("affiliate_code", "affiliate_email", "affiliate_id")
CLIENT = ("client_email", "client_id")

COLUMNS: Mapping[ImportKind, tuple[str, ...]] = {
    ImportKind.AFFILIATES: (
        *("email", "client_id", "code", "old_id", "status"),
        # The names are the client's, which the host has: files may have them.
        *("first_name", "last_name", "group"),
    ),
    ImportKind.LINKS: (
        *AFFILIATE,
        *("hash", "old_code", "name", "target_url", "is_active"),
    ),
    ImportKind.CLIENTS: (*CLIENT, *AFFILIATE, "bound_at"),
    ImportKind.BALANCES: (*AFFILIATE, "amount", "currency", "reason", "reference"),
    ImportKind.COUPONS: (
        *("code", *AFFILIATE),
        *("percent", "affiliate_funds_percent", "is_active"),
    ),
    ImportKind.ORDERS: (
        *("order_ref", "invoice_ref", *CLIENT, *AFFILIATE),
        *("placed_at", "net", "gross", "currency", "paid_at"),
    ),
}
# Of each group a file has at least one column, and a row at least one value.
REQUIRED: Mapping[ImportKind, tuple[tuple[str, ...], ...]] = {
    ImportKind.AFFILIATES: (("email", "client_id"),),
    ImportKind.LINKS: (AFFILIATE, ("hash", "old_code")),
    ImportKind.CLIENTS: (CLIENT, AFFILIATE),
    ImportKind.BALANCES: (AFFILIATE, ("amount",)),
    ImportKind.COUPONS: (("code",), AFFILIATE),
    ImportKind.ORDERS: (("order_ref",), CLIENT, AFFILIATE, ("placed_at",)),
}


@dataclass(frozen=True, slots=True)
class Export:
    """How another system writes a kind.

    ``headings`` are theirs by our columns. ``words`` are theirs for ours, by our column.
    ``skipped`` are what rows of other kinds have under a heading of theirs. ``section`` is
    theirs of several in a file.
    """

    headings: Mapping[str, str]
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    skipped: Mapping[str, frozenset[str]] = field(default_factory=dict)
    section: str = ""

    def headings_of(self, column: str) -> tuple[str, str]:
        """Theirs and ours, which is understood too."""
        return self.headings.get(column, column), column


_DELETED = {"deleted": frozenset({"y", "1"})}
EXPORTS: Mapping[tuple[Source, ImportKind], Export] = {
    (Source.WHMCS, ImportKind.AFFILIATES): Export(
        {"client_id": "clientid", "old_id": "id"}
    ),
    (Source.WHMCS, ImportKind.LINKS): Export({"affiliate_id": "id", "old_code": "id"}),
    (Source.WHMCS, ImportKind.BALANCES): Export(
        {"affiliate_id": "id", "amount": "balance"}
    ),
    (Source.PAP, ImportKind.AFFILIATES): Export(
        {
            "email": "username",
            "old_id": "userid",
            "code": "refid",
            "status": "status",
        },
        words={"status": {"a": "active", "p": "pending", "d": "suspended"}},
        skipped=_DELETED,
        section="AFFILIATES",
    ),
    (Source.PAP, ImportKind.LINKS): Export(
        {"affiliate_id": "userid", "old_code": "userid"},
        skipped=_DELETED,
        section="AFFILIATES",
    ),
    # Sales alone are orders: no clicks, leads, renewals, refunds, bonuses, upper tiers.
    (Source.PAP, ImportKind.ORDERS): Export(
        {
            "affiliate_id": "userid",
            "order_ref": "orderid",
            "placed_at": "dateinserted",
            "net": "totalcost",
        },
        skipped={
            "rtype": frozenset("ipcabufrhe"),
            "rstatus": frozenset("d"),
            "tier": frozenset(map(str, range(2, 11))),
        },
        section="COMMISSIONS",
    ),
    (Source.REWARDFUL, ImportKind.AFFILIATES): Export(
        {"old_id": "id", "code": "token", "status": "state"},
        words={"status": {"disabled": "suspended", "suspicious": "suspended"}},
    ),
    (Source.REWARDFUL, ImportKind.LINKS): Export(
        {"affiliate_email": "email", "old_code": "token"}
    ),
    (Source.REWARDFUL, ImportKind.CLIENTS): Export({"affiliate_email": "email"}),
    (Source.TAPFILIATE, ImportKind.AFFILIATES): Export(
        {
            "old_id": "id",
            "code": "referral_code",
        }
    ),
    (Source.TAPFILIATE, ImportKind.LINKS): Export(
        {"affiliate_email": "email", "old_code": "referral_code"}
    ),
    (Source.TAPFILIATE, ImportKind.ORDERS): Export(
        {
            "order_ref": "external_id",
            "client_id": "customer_id",
            "placed_at": "created_at",
            "net": "amount",
        }
    ),
}


def export_of(source: Source, kind: ImportKind) -> Export:
    """How the source writes this kind; where that is not known, as we do."""
    return EXPORTS.get((source, kind), Export({}))


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a file has what, by its headings."""

    width: int
    places: Mapping[str, tuple[int, ...]]
    words: Mapping[str, Mapping[str, str]]
    skipped: tuple[tuple[int, frozenset[str]], ...]

    def is_skipped(self, cells: Sequence[str]) -> bool:
        return any(cells[at].strip().casefold() in words for at, words in self.skipped)

    def values_of(self, cells: Sequence[str]) -> dict[str, str]:
        """Our columns, those the file has not as empty texts."""
        values = {}
        for column, places in self.places.items():
            value = next(filter(None, (plain_cell(cells[at]) for at in places)), "")
            words = self.words.get(column, {})
            values[column] = words.get(value.casefold(), value)
        return values


def layout_of(
    cells: Sequence[str], *, kind: ImportKind, source: Source, row_number: int
) -> Layout:
    """Raises UnreadableFile for headings that cannot be understood or lack some of ours."""
    export = export_of(source, kind)
    headings = [plain_heading(cell) for cell in cells]
    places = _places(headings, kind=kind, export=export)
    known = {at for place in places.values() for at in place}

    if "" in headings:
        raise UnreadableFile(
            "unnamed_column", row_number, position=headings.index("") + 1
        )
    if twice := [heading for heading in headings if headings.count(heading) > 1]:
        raise UnreadableFile("duplicate_column", row_number, name=twice[0])
    unknown = [heading for at, heading in enumerate(headings) if at not in known]
    if unknown and source is Source.OWN:
        names = ", ".join(COLUMNS[kind])
        raise UnreadableFile(
            "unknown_column", row_number, name=unknown[0][:100], names=names
        )
    for group in REQUIRED[kind]:
        if not any(places[column] for column in group):
            wanted = [export.headings_of(column)[0] for column in group]
            raise UnreadableFile("missing_column", row_number, names=", ".join(wanted))
    skipped = tuple(
        (headings.index(name), words)
        for name, words in export.skipped.items()
        if name in headings
    )
    return Layout(len(headings), places, export.words, skipped)


def count_known(cells: Sequence[str], *, kind: ImportKind, source: Source) -> int:
    """How many of our columns these headings would be."""
    headings = [plain_heading(cell) for cell in cells]
    places = _places(headings, kind=kind, export=export_of(source, kind))
    return sum(bool(place) for place in places.values())


def _places(
    headings: Sequence[str], *, kind: ImportKind, export: Export
) -> dict[str, tuple[int, ...]]:
    return {
        column: tuple(
            headings.index(name)
            for name in export.headings_of(column)
            if name in headings
        )
        for column in COLUMNS[kind]
    }
