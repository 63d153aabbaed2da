"""The receiving side of a push run: serves the agent at a URL that the hub can call."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List

from .evaluate import Reply
from .reply_fields import answer_fields

_BODY_MAX_BYTES = 8 * 1024 * 1024
"""A case has images of up to 5 MiB."""
_READ_TIMEOUT_S = 30

Messages = List[Dict[str, Any]]


class ServedAgent:
    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server
        host, port = server.server_address[:2]
        self.url = f"http://{host!s}:{port}/"
        self._thread = threading.Thread(target=server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Waits for answers in progress."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def __enter__(self) -> "ServedAgent":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def serve_agent(
    answer: Callable[[str, Messages], Reply], *, port: int = 0, host: str = "127.0.0.1"
) -> ServedAgent:
    """Responds to ``POST {prompt}``, or ``{prompt, messages}``, with ``{text}``, and returns immediately.

    Some prompts make sense only after the earlier messages.

    :param answer: gets the prompt and the whole conversation, returns a text, or a dictionary with ``text`` and
        ``usage``, and may be called from several threads
    :param port: 0 lets the system choose
    """

    class Handler(BaseHTTPRequestHandler):
        timeout = _READ_TIMEOUT_S

        def do_POST(self) -> None:
            try:
                prompt, messages = _read_call(self)
            except ValueError as error:
                self._respond(400, {"error": str(error)})
                return
            try:
                self._respond(200, answer_fields(answer(prompt, messages)))
            except Exception as error:
                self._respond(500, {"error": repr(error)})

        def _respond(self, status: int, body: object) -> None:
            data = json.dumps(body).encode("utf-8")
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        # `close` waits for the threads.
        daemon_threads = False
        request_queue_size = 64

    return ServedAgent(Server((host, port), Handler))


def _read_call(request: BaseHTTPRequestHandler) -> "tuple[str, Messages]":
    try:
        length = int(request.headers.get("content-length", ""))
    except ValueError:
        raise ValueError("The request has no content-length.") from None
    if not 0 <= length <= _BODY_MAX_BYTES:
        raise ValueError(f"The body must have at most {_BODY_MAX_BYTES} bytes.")
    body = json.loads(request.rfile.read(length))
    if not isinstance(body, dict) or not isinstance(body.get("prompt"), str):
        raise ValueError("The body has no `prompt`.")
    prompt = body["prompt"]
    # The hub always sends both.
    return prompt, body.get("messages") or [{"role": "user", "content": prompt}]
