"""/me and /tokens"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from stet.accounts.authentication import READ, WRITE, TokenAuthentication
from stet.accounts.models import ApiToken
from stet.accounts.selectors import access_token, signed_in, token_list
from stet.accounts.services import language_set, token_create, token_revoke
from stet.common.errors import Forbidden
from stet.common.pages import PARAMETERS, page, paged
from stet.common.serializers import StrictSerializer, validated

LANGUAGES = ["", "en", "zh-hans"]


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the schema names the header of programs."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "Token <key>",
        }


class MeSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    username = serializers.CharField()
    name = serializers.CharField()
    language = serializers.ChoiceField(choices=LANGUAGES)


class MeChangeSerializer(StrictSerializer):
    language = serializers.ChoiceField(choices=LANGUAGES)


class TokenInSerializer(StrictSerializer):
    name = serializers.CharField(max_length=80)
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=[READ, WRITE]), default=[READ], min_length=1
    )
    days = serializers.IntegerField(min_value=1, max_value=365, default=90)


class TokenSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=[READ, WRITE]))
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)


class TokenMadeSerializer(TokenSerializer):
    key = serializers.CharField(help_text="shown this once")


class MeView(APIView):
    @extend_schema(responses=MeSerializer)
    def get(self, request: Request) -> Response:
        """Who one is."""
        user = signed_in(request)
        return Response(
            {
                "id": user.pk,
                "username": user.username,
                "name": str(user),
                "language": user.language,
            }
        )

    @extend_schema(request=MeChangeSerializer, responses=MeSerializer)
    def patch(self, request: Request) -> Response:
        """Choose the language of the pages."""
        fields = validated(MeChangeSerializer, request.data)
        language_set(user=signed_in(request), language=fields["language"])
        return self.get(request)


class TokensView(APIView):
    @extend_schema(
        operation_id="token_list", parameters=PARAMETERS, responses=paged("Token", TokenSerializer)
    )
    def get(self, request: Request) -> Response:
        """One's own tokens that still open a door; their keys are not kept."""
        return Response(page(request, token_list(signed_in(request)), token_data))

    @extend_schema(request=TokenInSerializer, responses={201: TokenMadeSerializer})
    def post(self, request: Request) -> Response:
        """Make a token. Only from a browser session: a token makes no further tokens."""
        if isinstance(request.auth, ApiToken):
            raise Forbidden(_("Sign in with the browser to make a token."))
        fields = validated(TokenInSerializer, request.data)
        token, key = token_create(user=signed_in(request), **fields)
        return Response({**token_data(token), "key": key}, status=201)


class TokenView(APIView):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Revoke a token at once."""
        token_revoke(token=access_token(signed_in(request), pk))
        return Response(status=204)


def token_data(token: ApiToken) -> dict[str, Any]:
    return {
        "id": token.pk,
        "name": token.name,
        "scopes": token.scopes,
        "created_at": token.created_at,
        "expires_at": token.expires_at,
    }
