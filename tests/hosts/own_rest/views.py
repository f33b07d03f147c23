from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView, exception_handler


class ContactSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=5)
    picture = serializers.FileField(required=False)


class ContactView(APIView):
    """Reads forms, with files and without."""

    @extend_schema(request=ContactSerializer, responses=ContactSerializer)
    def post(self, request: Request) -> Response:
        contact = ContactSerializer(data=request.data)
        contact.is_valid(raise_exception=True)
        picture = contact.validated_data.get("picture")
        size = 0 if picture is None else picture.size
        return Response({"name": contact.validated_data["name"], "size": size})


class BrokenView(APIView):
    @extend_schema(responses={200: None})
    def get(self, request: Request) -> Response:
        raise ValueError("Nobody may know this.")


def in_words(error: Exception, context: Any) -> Response | None:
    response = exception_handler(error, context)
    if response is not None:
        response.data = {"oops": str(error), "code": response.status_code}
    return response
