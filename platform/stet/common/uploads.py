"""Uploads go to a temporary file, and no further than the limit."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.utils.translation import gettext as _

MAX_UPLOAD = 200 * 2**20


class LimitedUploadHandler(TemporaryFileUploadHandler):
    """Counts what arrives, since a chunked request says no length ahead."""

    received = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> Any:
        self.received += len(raw_data)
        if self.received > MAX_UPLOAD:
            self.file.close()
            raise RequestDataTooBig(
                _("An upload may have %(size)d MB.") % {"size": MAX_UPLOAD // 2**20}
            )
        return super().receive_data_chunk(raw_data, start)
