"""Affiliates, their links, and the clients who are theirs."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha1
from uuid import uuid4

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db.models import Q, prefetch_related_objects

from affiliates.brands.models.change import ConfigChange
from affiliates.brands.rules import ChangeKind
from affiliates.brands.services import record_changes
from affiliates.contrib.imports.files.rows import (
    AffiliateRow,
    ClientRow,
    Fault,
    ImportKind,
    LinkRow,
)
from affiliates.contrib.imports.kinds.kind import AT_ONCE, Found, Kind, Run, checked
from affiliates.contrib.imports.models import ImportedRow
from affiliates.core.ids import new_affiliate_code, new_id
from affiliates.plans.models.group import AffiliateGroup
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import OLD_CODE, RESERVED_CODES
from affiliates.program.slug_models import retired_among
from affiliates.referrals.models import ClientReferral
from affiliates.referrals.rules.identity import RegistrationStep


class Affiliates(Kind[AffiliateRow]):
    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._groups = {
            group.name: group
            for group in AffiliateGroup.objects.filter(brand=run.brand)
        }
        self._codes: set[str] = set()
        self._old: dict[str, ImportedRow] = {}

    def look_up(self, rows: Sequence[AffiliateRow]) -> None:
        self.lookup.ask_clients(row.client for row in rows)
        ids = {client.id for row in rows if (client := self.lookup.clients[row.client])}
        codes = {row.code for row in rows}
        of_brand = Affiliate.objects.filter(brand=self.run.brand)
        for affiliate in of_brand.filter(Q(user_id__in=ids) | Q(code__in=codes)):
            self.known[str(affiliate.user_id)] = affiliate
            self._codes.add(affiliate.code)
        self._codes |= retired_among(codes, brand_id=self.run.brand.pk)
        old = ImportedRow.objects.filter(
            brand=self.run.brand,
            kind=ImportKind.AFFILIATES,
            key__in={row.old_id for row in rows} - {""},
        )
        self._old |= {
            identity.key: identity for identity in old.select_related("affiliate")
        }

    def judge(self, row: AffiliateRow, number: int) -> Found | None:
        client = self.lookup.client(row.client)
        self.say_once(number, "client", client.id)
        key = row.old_id or f"client:{client.id}"
        self.say_once(number, "key", key)
        old, known = self._old.get(key), self.known.get(client.id)
        if old is not None and str(old.affiliate.user_id) != client.id:
            raise Fault("affiliate_known_otherwise", "old_id", key=key)
        if known is not None:
            if row.code not in ("", known.code):
                raise Fault("affiliate_has_other_code", "code", code=known.code)
            return Found(key, known) if row.old_id and old is None else None
        return Found(key, made := self._made(row, client.id, number), made)

    def _made(self, row: AffiliateRow, client_id: str, number: int) -> Affiliate:
        code = row.code or new_affiliate_code()
        if code in self._codes:
            raise Fault("affiliate_code_taken", "code", code=code)
        self.say_once(number, "code", code)
        if row.group and row.group not in self._groups:
            raise Fault("unknown_group", "group", name=row.group)
        made = Affiliate(
            brand=self.run.brand,
            user_id=get_user_model()._meta.pk.to_python(client_id),
            code=code,
            status=row.status,
            group=self._groups.get(row.group),
        )
        checked(made, leaving=["brand", "user", "group", "plan"])
        return made

    def write(self, rows: Sequence[Found]) -> None:
        made = [row.made for row in rows if row.made is not None]
        Affiliate.objects.bulk_create(made, batch_size=AT_ONCE)
        record_changes(
            [
                ConfigChange(
                    kind=ChangeKind.AFFILIATE,
                    subject_id=affiliate.pk,
                    token=affiliate.code,
                )
                for affiliate in made
            ]
        )


class Links(Kind[LinkRow]):
    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._codes: dict[str, int] = {}
        self._old_codes: set[str] = set()
        self._targets: dict[str, str | None] = {}
        prefetch_related_objects([run.brand], "domains")

    def look_up(self, rows: Sequence[LinkRow]) -> None:
        self.lookup.ask_affiliates(row.affiliate for row in rows)
        hashes = {self._hash(row) for row in rows}
        known = AffiliateLink.objects.filter(hash__in=hashes)
        self.known |= {link.hash: link for link in known}
        codes = {row.old_code.lower() for row in rows} - {""}
        of_brand = Affiliate.objects.filter(brand=self.run.brand, code__in=codes)
        self._codes |= dict(of_brand.values_list("code", "pk"))
        links = AffiliateLink.objects.filter(
            affiliate__brand=self.run.brand, old_code__in=codes
        )
        self._old_codes |= set(links.values_list("old_code", flat=True))
        named = AffiliateLink.objects.filter(slug_brand=self.run.brand, slug__in=codes)
        self._old_codes |= set(named.values_list("slug", flat=True))
        self._old_codes |= retired_among(codes, brand_id=self.run.brand.pk)

    def judge(self, row: LinkRow, number: int) -> Found | None:
        affiliate = self.lookup.affiliate(row.affiliate)
        hash, old_code = self._hash(row), row.old_code.lower()
        self.say_once(number, "hash", hash)
        known = self.known.get(hash)
        if known is not None:
            if known.affiliate_id != affiliate.pk:
                raise Fault("link_of_other", "hash", hash=hash)
            return None
        if old_code:
            self.say_once(number, "old_code", old_code)
        if old_code and self._codes.get(old_code) == affiliate.pk:
            # Found by that already.
            if not row.hash:
                return None
            old_code = ""
        self._check_old_code(old_code)
        affiliate.brand = self.run.brand
        link = AffiliateLink(
            affiliate=affiliate,
            name=row.name,
            hash=hash,
            old_code=old_code,
            target_url=self._target(affiliate, row.target_url),
            is_active=row.is_active,
        )
        checked(link, leaving=["affiliate"])
        return Found(hash, affiliate, link)

    def _target(self, affiliate: Affiliate, url: str) -> str:
        """Returns the URL as a link stores it, cached: many links lead to few pages."""
        if url not in self._targets:
            link = AffiliateLink(affiliate=affiliate, target_url=url)
            try:
                link.clean()
                self._targets[url] = link.target_url
            except ValidationError:
                self._targets[url] = None
        target = self._targets[url]
        if target is None:
            raise Fault("target_refused", "target_url", url=url)
        return target

    def _check_old_code(self, code: str) -> None:
        if code and not OLD_CODE.fullmatch(code):
            raise Fault("link_code_unusable", "old_code", code=code)
        if code in RESERVED_CODES:
            raise Fault("reserved_code", "old_code", text=code)
        if code in self._codes or code in self._old_codes:
            raise Fault("link_code_taken", "old_code", code=code)

    def write(self, rows: Sequence[Found]) -> None:
        links = [row.made for row in rows]
        AffiliateLink.objects.bulk_create(links, batch_size=AT_ONCE)
        changes = [
            ConfigChange(kind=ChangeKind.LINK, subject_id=link.pk, token=token)
            for link in links
            for token in (link.hash, link.old_code)
            if token
        ]
        record_changes(changes)

    def _hash(self, row: LinkRow) -> str:
        """Always the same for an old code, so that it is known again."""
        if row.hash:
            return row.hash
        text = f"{self.run.brand.pk}:{row.old_code.lower()}"
        return sha1(text.encode(), usedforsecurity=False).hexdigest()


class Clients(Kind[ClientRow]):
    """A binding counts as long as the brand's window is, from when it was made.

    The click that made it is not ours: its id names none.
    """

    def look_up(self, rows: Sequence[ClientRow]) -> None:
        self.lookup.ask_clients(row.client for row in rows)
        self.lookup.ask_affiliates(row.affiliate for row in rows)
        ids = {client.id for row in rows if (client := self.lookup.clients[row.client])}
        bound = ClientReferral.objects.filter(client__pk__in=ids)
        for binding in bound.select_related("affiliate"):
            self.known[str(binding.client_id)] = binding

    def judge(self, row: ClientRow, number: int) -> Found | None:
        client = self.lookup.client(row.client)
        affiliate = self.lookup.affiliate(row.affiliate)
        self.say_once(number, "client", client.id)
        if (bound := self.known.get(client.id)) is not None:
            if bound.affiliate_id != affiliate.pk:
                other = bound.affiliate.code if bound.affiliate else ""
                raise Fault("client_bound_to_other", "client", code=other)
            return None
        if str(affiliate.user_id) == client.id:
            raise Fault("affiliate_is_client", "affiliate")
        bound_at = row.bound_at or self.run.now
        if bound_at > self.run.now:
            raise Fault("in_future", "bound_at")
        made = ClientReferral(
            brand=self.run.brand,
            client_id=get_user_model()._meta.pk.to_python(client.id),
            affiliate=affiliate,
            click_id=new_id(),
            visitor_id=uuid4(),
            touched_at=bound_at,
            bound_at=bound_at,
            step=RegistrationStep.IMPORT,
        )
        return Found(client.id, affiliate, made)

    def write(self, found: Sequence[Found]) -> None:
        rows = [row.made for row in found]
        ClientReferral.objects.bulk_create(rows, batch_size=AT_ONCE)
