from __future__ import annotations

from typing import Any

from rest_framework import serializers

from affiliates.visits.models import Click


class VisitSerializer(serializers.Serializer[Any]):
    visit_url = serializers.URLField(max_length=2048)
    referrer_url = serializers.URLField(max_length=2048, allow_blank=True)
    user_agent = serializers.CharField(max_length=512, allow_blank=True)
    referral_cookie = serializers.CharField(required=False)


class ClickSerializer(serializers.ModelSerializer[Click]):
    class Meta:
        model = Click
        fields = "__all__"
