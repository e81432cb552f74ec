"""/me/preferences"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from stet.accounts.preferences import MOST, preferences, preferences_change
from stet.accounts.selectors import signed_in
from stet.common.serializers import StrictSerializer, validated


class KeysField(serializers.DictField):
    """Keys by binding: one to three as the registry writes them, null for the standard ones."""

    def __init__(self, **kwargs: Any) -> None:
        key = serializers.CharField(max_length=40, trim_whitespace=False)
        child = serializers.ListField(child=key, max_length=MOST, allow_null=True)
        super().__init__(child=child, **kwargs)


class PreferencesSerializer(serializers.Serializer[Any]):
    keys = KeysField()
    rendered = serializers.BooleanField()


class PreferencesChangeSerializer(StrictSerializer):
    keys = KeysField(allow_null=True, required=False)
    rendered = serializers.BooleanField(required=False)


class PreferencesView(APIView):
    @extend_schema(responses=PreferencesSerializer)
    def get(self, request: Request) -> Response:
        """One's own keys and settings."""
        return Response(preferences(signed_in(request)))

    @extend_schema(request=PreferencesChangeSerializer, responses=PreferencesSerializer)
    def patch(self, request: Request) -> Response:
        """Change what is named; everything else stays."""
        changes = validated(PreferencesChangeSerializer, request.data)
        return Response(preferences_change(user=signed_in(request), changes=changes))
