"""A model that judges, called over HTTP. What it is asked comes from the hub."""

import http.client
import json
import socket
import time
import urllib.error
import urllib.request
from typing import Any, Callable, Dict, List, Mapping, Optional
from urllib.parse import urlsplit, urlunsplit

from ..sending import open_without_redirects
from .options import Options, read_headers
from .printed import redactor
from .programs import ProgramFault, ProgramGone

Message = Dict[str, str]
AskModel = Callable[[List[Message]], str]
"""Raises ProgramFault if it does not judge this reply, ProgramGone if it judges no other either."""

_HEADERS_VARIABLE = "JUDGE_HEADERS"
_TRIES_MAX = 5
_FIRST_PAUSE_S = 1.0
_RETRY_AFTER_MAX_S = 60.0
_COMPLAINT_CHARACTERS = 200
_OF_ONE_REPLY = (400, 413, 422)
"""What the model refuses about a request; anything else, such as a wrong key, is wrong with all of them."""
_PATHS = {"openai-chat": "/chat/completions", "openai-responses": "/responses", "anthropic-messages": "/messages"}


def _body_of(protocol: str, model: str, messages: List[Message]) -> Dict[str, Any]:
    if protocol == "openai-responses":
        return {"model": model, "input": messages}
    if protocol == "openai-chat":
        return {"model": model, "messages": messages}
    system = "\n\n".join(one["content"] for one in messages if one["role"] == "system")
    others = [one for one in messages if one["role"] != "system"]
    return {"model": model, "max_tokens": 8_192, "system": system, "messages": others}


def _texts_in(protocol: str, response: Any) -> List[Any]:
    if protocol == "openai-chat":
        return [_at(_at(choice, "message"), "content") for choice in _list_in(response, "choices")[:1]]
    if protocol == "anthropic-messages":
        return [_at(part, "text") for part in _list_in(response, "content")]
    return [_at(part, "text") for item in _list_in(response, "output") for part in _list_in(item, "content")]


def _at(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _list_in(value: Any, name: str) -> List[Any]:
    found = _at(value, name)
    return found if isinstance(found, list) else []


def judge_model(
    options: Options, environment: Mapping[str, str], timeout_s: int, on_wait: Callable[[str], None]
) -> AskModel:
    """Asks a model again if it is busy or its connection breaks.

    :param on_wait: told why the model is asked again
    :raises UsageFault:
    """
    protocol = options.get("judge-protocol", "openai-chat")
    secret = dict(read_headers(_HEADERS_VARIABLE, environment))
    redact = redactor({f"KEY_{number}": value.split(" ")[-1] for number, value in enumerate(secret.values())})
    url = _address_of(options["judge-target"], _PATHS[protocol])
    version = {"anthropic-version": "2023-06-01"} if protocol == "anthropic-messages" else {}
    headers = {"content-type": "application/json", "accept": "application/json", **version, **secret}

    def ask(messages: List[Message]) -> str:
        data = json.dumps(_body_of(protocol, options["judge-model"], messages)).encode("utf-8")
        for tries in range(1, _TRIES_MAX + 1):
            request = urllib.request.Request(url, data=data, headers=headers, method="POST")
            status: Optional[int] = None
            retry_after = ""
            try:
                with open_without_redirects(request, timeout_s) as response:
                    data_read = response.read()
                if response.status < 300:
                    return _said_in(_texts_in(protocol, _parsed(data_read)))
                status, retry_after = response.status, response.headers.get("retry-after", "")
                said = redact(data_read.decode("utf-8", "replace")).strip()[:_COMPLAINT_CHARACTERS]
                why = f"The judge responded with status {status}: {said or 'no text'}"
            except (OSError, http.client.HTTPException) as error:
                reason = error.reason if isinstance(error, urllib.error.URLError) else error
                if isinstance(reason, (TimeoutError, socket.timeout)):
                    raise ProgramFault(f"The judge took longer than {timeout_s} s (--timeout).") from None
                why = f"The judge at {urlsplit(url).netloc} does not respond: {redact(str(reason))}"
            if not (status is None or status in (408, 429) or status >= 500):
                raise (ProgramFault if status in _OF_ONE_REPLY else ProgramGone)(why)
            if tries == _TRIES_MAX:
                raise ProgramGone(why)
            on_wait(why)
            time.sleep(_pause_s(retry_after, tries))
        raise AssertionError("The last try returns or raises.")

    return ask


def _address_of(target: str, end: str) -> str:
    """A model is given by its base, as SDKs take it, or in full."""
    parts = urlsplit(target)
    path = parts.path.rstrip("/")
    if path.endswith(end):
        return target
    return urlunsplit(parts._replace(path=f"{path or '/v1'}{end}"))


def _pause_s(retry_after: str, tries: int) -> float:
    try:
        asked = float(retry_after)
    except ValueError:
        asked = -1.0
    return min(asked, _RETRY_AFTER_MAX_S) if asked >= 0 else _FIRST_PAUSE_S * 2 ** (tries - 1)


def _said_in(texts: List[Any]) -> str:
    text = "".join(one for one in texts if isinstance(one, str))
    if text.strip() == "":
        raise ProgramFault("The response of the judge has no text. Check --judge-protocol.")
    return text


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
