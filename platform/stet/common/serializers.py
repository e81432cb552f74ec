"""Input that is checked whole: unknown fields are refused, every fault is listed at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from stet.common.errors import Invalid


class StrictSerializer(serializers.Serializer[Any]):
    """A serializer that refuses fields it does not know, together with all other faults."""

    def to_internal_value(self, data: Any) -> Any:
        unknown: dict[str, list[str]] = {}
        if isinstance(data, Mapping):
            known = {field.field_name for field in self._writable_fields}
            unknown = {
                str(name): [_("This field is not known here.")]
                for name in data
                if name not in known
            }
        try:
            value = super().to_internal_value(data)
        except serializers.ValidationError as error:
            if unknown and isinstance(error.detail, dict):
                raise serializers.ValidationError({**error.detail, **unknown}) from None
            raise
        if unknown:
            raise serializers.ValidationError(unknown)
        return value


def validated(serializer: type[serializers.Serializer[Any]], data: Any, **kwargs: Any) -> Any:
    """The checked values of ``data``; raises Invalid (422) with one entry per fault."""
    checked = serializer(data=data, **kwargs)
    if not checked.is_valid():
        raise invalid(checked.errors)
    return checked.validated_data


def invalid(detail: Any) -> Invalid:
    """DRF's nested error detail as one Invalid with ``errors`` of {field, detail}."""
    errors = [{"field": field, "detail": text} for field, text in _flat(detail, "")]
    names = ", ".join(dict.fromkeys(error["field"] or "body" for error in errors))
    text = _("Nothing was changed. Please look at: %(names)s.") % {"names": names}
    return Invalid(text, errors=errors)


def _flat(detail: Any, field: str) -> Iterator[tuple[str, str]]:
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            own = "" if name == "non_field_errors" else str(name)
            yield from _flat(inner, f"{field}.{own}".strip("."))
    elif isinstance(detail, list | tuple):
        plain = all(isinstance(inner, str) for inner in detail)
        for index, inner in enumerate(detail):
            yield from _flat(inner, field if plain else f"{field}[{index}]")
    else:
        yield field, str(detail)
