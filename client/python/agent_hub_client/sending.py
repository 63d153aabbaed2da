"""Sends a request, and retries it after 429, 503, connection errors, and errors of a proxy whose hub restarts."""

import http.client
import itertools
import json
import time
import urllib.error
import urllib.request
import uuid
from typing import Any, Dict, Optional

_TRIES_MAX = 5
_PROXY_WAIT_S = 60.0
"""How long a proxy may have no response of the hub."""
_FIRST_PAUSE_S = 0.5
_RETRY_AFTER_MAX_S = 60.0
"""With a longer ``Retry-After``, the caller decides."""
_TIMEOUT_S = 90.0
"""Longer than any wait that the hub offers."""


class HubError(Exception):
    """An error response of the hub: act on ``code``, read ``message`` and ``hint``."""

    def __init__(self, status: int, body: object) -> None:
        fields: Dict[str, Any] = body if isinstance(body, dict) else {}
        self.status = status
        self.code = _text(fields.get("error"), "unknown")
        self.message = _text(fields.get("message"), f"The hub responded with status {status}.")
        self.hint = _text(fields.get("hint"), "")
        self.request_id: Optional[str] = fields.get("request_id")
        self.fields = fields
        """The whole response, with further fields such as ``faults``."""
        super().__init__(self.message if self.hint == "" else f"{self.message} {self.hint}")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would send the token to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def open_without_redirects(request: urllib.request.Request, timeout_s: float) -> Any:
    """Returns error responses, too."""
    try:
        return _opener.open(request, timeout=timeout_s)
    except urllib.error.HTTPError as response:
        return response


def send(
    method: str,
    url: str,
    *,
    token: Optional[str],
    body: Optional[object] = None,
    content_type: Optional[str] = None,
    as_text: bool = False,
    headers: Optional[Dict[str, str]] = None,
) -> Any:
    """
    :param as_text: whether to return the response as a text
    :param body: sent as JSON, or with a ``content_type`` as the text that it is
    :raises HubError:
    :raises OSError: the connection error of the last try
    """
    headers = {"accept": "application/json", "user-agent": "agent-hub-client (Python)", **(headers or {})}
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    if body is not None:
        headers["content-type"] = content_type or "application/json"
    # The same key on every try, so that a retry changes nothing a second time.
    if method == "POST" and token is not None:
        headers["idempotency-key"] = str(uuid.uuid4())
    # Escapes would take up to three times the bytes that the hub counts. Only a lone surrogate needs one.
    text = json.dumps(body, ensure_ascii=False) if content_type is None else str(body)
    data = None if body is None else text.encode("utf-8", "backslashreplace")
    # The hub may have sent the message, and keeps no key of it.
    is_once = url.endswith("/v1/contact")
    begun = time.monotonic()
    for tries in itertools.count(1):
        pause_s = _FIRST_PAUSE_S * 2**tries
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        try:
            with open_without_redirects(request, _TIMEOUT_S) as response:
                data_read = response.read()
        except (OSError, http.client.HTTPException) as error:
            if tries >= _TRIES_MAX:
                raise error if isinstance(error, OSError) else ConnectionError(str(error)) from error
        else:
            if response.status < 300:
                return data_read.decode("utf-8") if as_text else _read_json(data_read)
            refused = HubError(response.status, _read_json(data_read))
            if refused.status >= 502 and refused.code == "unknown" and not is_once:
                if time.monotonic() - begun >= _PROXY_WAIT_S:
                    raise refused
            else:
                asked_s = _retry_pause_s(response, refused)
                # The caller waits for a place for a run.
                if tries >= _TRIES_MAX or asked_s is None or refused.code == "too_many_open_jobs":
                    raise refused
                pause_s = asked_s
        time.sleep(pause_s)


def _read_json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return None  # Not from the hub; for example, a proxy's error page.


def _retry_pause_s(response: Any, refused: HubError) -> Optional[float]:
    """None if a retry would not help."""
    if refused.status not in (429, 503) and refused.code != "request_in_progress":
        return None
    try:
        seconds = float(response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds <= _RETRY_AFTER_MAX_S else None


def _text(value: object, otherwise: str) -> str:
    return value if isinstance(value, str) else otherwise
