"""/exports and the files of an export."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pyarrow.parquet as pq
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from stet.accounts.selectors import signed_in
from stet.common.errors import NotFound
from stet.common.pages import PARAMETERS, page, paged
from training.api.filters import PROJECT, number, of_project
from training.api.serializers import ExportSerializer
from training.documents import export_data, export_note
from training.manifest import MANIFEST_FILE
from training.models import Export
from training.ranges import FOREVER, file_response
from training.selectors import access_export, export_list
from training.services import export_folder

TYPES = {
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "gz": "application/gzip",
    "parquet": "application/vnd.apache.parquet",
}


PANDA = ".panda.json"


class ExportsView(APIView):
    @extend_schema(
        operation_id="export_list",
        parameters=[*PARAMETERS, PROJECT, OpenApiParameter("dataset", OpenApiTypes.INT)],
        responses=paged("Export", ExportSerializer),
    )
    def get(self, request: Request) -> Response:
        """Exports of the projects in which one is researcher or owner, the newest first."""
        rows = of_project(request, export_list(signed_in(request)), "dataset__project_id")
        dataset = number(request, "dataset")
        if dataset is not None:
            rows = rows.filter(dataset_id=dataset)
        return Response(page(request, rows, export_data, newest_first=True))


class ExportView(APIView):
    @extend_schema(responses=ExportSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """How far the export is, what it left out and why, and where its files are."""
        return Response(export_data(access_export(signed_in(request), pk)))


class Anything(BaseContentNegotiation):
    """A file has one type, whatever the client would like."""

    def select_parser(self, request, parsers):  # type: ignore[no-untyped-def]
        return parsers[0]

    def select_renderer(self, request, renderers, format_suffix=None):  # type: ignore[no-untyped-def]
        return renderers[0], renderers[0].media_type


class ExportFileView(APIView):
    content_negotiation_class = Anything

    @extend_schema(
        operation_id="export_file",
        parameters=[OpenApiParameter("Range", OpenApiTypes.STR, OpenApiParameter.HEADER)],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, pk: int, sha256: str, name: str) -> HttpResponseBase:
        """A file, for ever the same at this address; HEAD, Range and If-None-Match work."""
        export = access_export(signed_in(request), pk)
        if not export.sha256 or sha256 != export.sha256:
            raise NotFound(_("This export has no content with that hash."))
        if name.endswith(PANDA):
            return _panda(export, name.removesuffix(PANDA))
        path, size, etag = _find(export, name)
        if not path.is_file():
            raise NotFound(
                _(
                    "The file is no longer in the data folder. Export the same watermark again to "
                    "get the same bytes."
                ),
                code="file_gone",
            )
        content_type = TYPES[name.rpartition(".")[2]]
        return file_response(
            request._request, path, size=size, etag=etag, content_type=content_type
        )

    @extend_schema(exclude=True)
    def head(self, request: Request, pk: int, sha256: str, name: str) -> HttpResponseBase:
        return self.get(request, pk, sha256, name)


def _panda(export: Export, external_id: str) -> HttpResponse:
    """The document of one task of a panda export, as a file of its own."""
    for shard in sorted(export_folder(export).glob("shard-*.parquet")):
        if "document" not in pq.read_schema(shard).names:
            break
        wanted = [("external_id", "==", external_id)]
        found = pq.read_table(shard, columns=["document"], filters=wanted)
        if found.num_rows:
            data = found["document"][0].as_py().encode()
            etag = hashlib.sha256(data).hexdigest()
            return HttpResponse(
                data,
                content_type=TYPES["json"],
                headers={"ETag": f'"{etag}"', "Cache-Control": FOREVER},
            )
    raise NotFound(_("This export has no panda file of that task."), code="no_such_file")


def _find(export: Export, name: str) -> tuple[Path, int, str]:
    """Path, size and entity tag of a file of the export."""
    folder = export_folder(export)
    if name == MANIFEST_FILE:
        path = folder / name
        return path, path.stat().st_size if path.exists() else 0, export.sha256
    file = next((file for file in export.files.all() if file.name == name), None)
    if file is None:
        raise NotFound(
            export_note(export) or _("This export has no file of that name."), code="no_such_file"
        )
    return folder / file.name, file.size, file.sha256
