"""A proxy in front of a model server that keeps every completion request that passes."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Recording:
    """Passes everything on unchanged; ``prompts`` are the ids [T] of each completion, in order."""

    def __init__(self, upstream: str, *, served_name: str, model: Path) -> None:
        self.served_name, self.model = served_name, model
        self.requests: list[dict[str, Any]] = []
        recording = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._pass(None)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.path == "/v1/completions":
                    recording.requests.append(json.loads(body))
                self._pass(body)

            def _pass(self, body: bytes | None) -> None:
                headers = {"Content-Type": "application/json"} if body is not None else {}
                request = urllib.request.Request(f"{upstream}{self.path}", body, headers)
                try:
                    answer = urllib.request.urlopen(request, timeout=300)
                except urllib.error.HTTPError as error:
                    answer = error
                with answer:
                    self.send_response(answer.status)
                    self.send_header("Content-Type", answer.headers.get("Content-Type", ""))
                    self.send_header("Connection", "close")
                    self.end_headers()
                    while block := answer.read1(65536):
                        self.wfile.write(block)
                        self.wfile.flush()
                self.close_connection = True

            def handle(self) -> None:
                try:
                    super().handle()
                except ConnectionError:
                    # The web process closes the request to stop a stream.
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def prompts(self) -> list[list[int]]:
        return [request["prompt"] for request in self.requests]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
