"""/api/affiliate/keys: makes, lists and revokes keys for the affiliate's tools."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.http.requests import utc_now
from affiliates.api.serializers import TextField, answer_of
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    GuardedSerializer,
    MomentField,
    affiliate_of,
    described,
    read_guarded,
)
from affiliates.contrib.area.api.lists import Listing, Rows, one_of
from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.area.keys.services import give_key, revoke_key
from affiliates.db.api_keys import MAX_NAME
from affiliates.program.models import Affiliate

MAX_DAYS = 365


class KeyRequestSerializer(GuardedSerializer):
    name = TextField(min_length=1, max_length=MAX_NAME, help_text="What it is for.")
    scopes = serializers.MultipleChoiceField(
        choices=Scope.choices, allow_empty=False, help_text="What it may do."
    )
    days = serializers.IntegerField(
        min_value=1,
        max_value=MAX_DAYS,
        default=90,
        help_text="The key expires after this number of days.",
    )


class KeyDataSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    hint = serializers.CharField(help_text="How the key begins.")
    scopes = serializers.ListField(child=serializers.CharField())
    created_at = MomentField()
    expires_at = MomentField()
    last_used_at = MomentField(allow_null=True, help_text="To the hour.")
    ended_at = MomentField(allow_null=True)
    end = serializers.CharField(
        help_text="revoked, suspended, left or credentials; empty while it lives."
    )


class NewKeyDataSerializer(KeyDataSerializer):
    key = serializers.CharField(help_text="Send it as a bearer token. Shown this once.")


KEYS = Listing(
    name="keys",
    rows=lambda affiliate, query: Rows(
        own=[AffiliateKey.objects.filter(affiliate=affiliate)]
    ),
    shape=KeyDataSerializer,
)


class KeyViewSet(AffiliateViewSet):
    list = KEYS.view(
        "list_keys",
        "The affiliate's keys, newest first",
        answer="Keys",
        description=(
            "Only the beginning of a key is stored in a readable form. Ended "
            "keys are listed with the reason."
        ),
    )

    @described(
        "create_key",
        "Make a key; no key can make one, or change where payouts go",
        answer_of("NewKey", NewKeyDataSerializer()),
        status=201,
        request=KeyRequestSerializer,
        description=(
            "The key is in this answer and never shown again. It ends after "
            "`days`, by a changed password, and by a suspension."
        ),
    )
    def create(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        fields, now = read_guarded(KeyRequestSerializer, request), utc_now()
        key, secret = give_key(
            affiliate_id=affiliate.pk,
            name=fields["name"],
            scopes=fields["scopes"],
            expires_at=now + timedelta(days=fields["days"]),
            now=now,
        )
        data = {**KeyDataSerializer(key).data, "key": secret}
        return Response({"data": data}, status=201)

    @described(
        "revoke_key",
        "End a key at once",
        answer_of("Key", KeyDataSerializer()),
        description=(
            "Calls with the key are refused from the next one on. A repeat "
            "changes nothing."
        ),
    )
    def destroy(self, request: Request, key_id: int) -> Response:
        affiliate = affiliate_of(request)
        key = revoke_key(key_id=key_id, affiliate_id=affiliate.pk, now=utc_now())
        return Response({"data": KeyDataSerializer(key).data})


def key_data(affiliate: Affiliate, key_id: int) -> Any:
    """Raises NotFound for another affiliate's key."""
    own = AffiliateKey.objects.filter(affiliate=affiliate)
    return KeyDataSerializer(one_of(key_id, own)).data
