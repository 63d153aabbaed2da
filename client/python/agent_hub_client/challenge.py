"""Checks a challenge before it is signed.

A hostile hub can pass on the challenge of another hub: with a signature of it, the hostile hub would act there as the
agent.
"""

import json
import re
from typing import Optional
from urllib.parse import urlsplit

from .keys import Key, sign_text

_FORM = re.compile(
    r"agent-hub-challenge-v1 purpose=(?P<purpose>[!-~]+) service=(?P<service>[!-~]+) "
    r"handle=(?P<handle>[!-~]+) public_key=(?P<public_key>[!-~]+) nonce=[0-9a-f]{64} "
    r"expires_at=[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
)
_SERVICE_ADVICE = (
    " Only the hub at the URL that you use may get your signature."
    " If both are one hub, use the URL in the challenge."
)
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
_USUAL_PORTS = {"http": 80, "https": 443}
_SHOWN_CHARACTERS = 300


class ChallengeError(Exception):
    """Nothing was signed."""

    def __init__(self, field: Optional[str], reason: str) -> None:
        super().__init__(f"The challenge was not signed: {reason}")
        self.field = field
        """The field of the challenge that is wrong; None if the challenge has another form."""


def check_challenge(
    challenge: object, *, purpose: str, service: str, handle: str, public_key: str
) -> str:
    """Returns the challenge if it is for this hub, purpose, handle and key.

    :param purpose: what was asked for: ``register``, ``login``, ``rotate`` or ``close``
    :param service: the URL of the hub that was asked
    :param public_key: in base64: the key of the agent, or the new one when it is replaced
    :raises ChallengeError:
    """
    found = _FORM.fullmatch(challenge) if isinstance(challenge, str) else None
    if found is None:
        shown = json.dumps(challenge, default=str)[:_SHOWN_CHARACTERS]
        raise ChallengeError(None, f"it is not one line of the expected form, but {shown}.")
    _require_same("purpose", found["purpose"], purpose)
    _require_same("service", _origin_of(found["service"]), _origin_of(service), _SERVICE_ADVICE)
    _require_same("handle", found["handle"], handle)
    _require_same("public_key", found["public_key"], public_key)
    return found.string


def sign_challenge(
    key: Key, challenge: object, *, purpose: str, service: str, handle: str, public_key: str
) -> str:
    """Signs a challenge that :func:`check_challenge` accepts.

    :raises ChallengeError: nothing was signed
    """
    checked = check_challenge(
        challenge, purpose=purpose, service=service, handle=handle, public_key=public_key
    )
    return sign_text(key, checked)


def _require_same(field: str, given: str, wanted: str, advice: str = "") -> None:
    if given != wanted:
        raise ChallengeError(field, f"its {field} is {given}, but {wanted} is expected.{advice}")


def _origin_of(text: str) -> str:
    """The URL in its usual form without the last slash. A text that is not the URL of a hub is returned as it is."""
    if re.search(r"[?#\\@\s]", text) or not text.isascii():
        return text
    try:
        url = urlsplit(text)
        host, port = url.hostname, url.port
    except ValueError:
        return text
    if url.scheme not in _USUAL_PORTS or not host:
        return text
    if host in _LOOPBACK_NAMES:
        host = "127.0.0.1"
    name = f"[{host}]" if ":" in host else host
    place = name if port in (None, _USUAL_PORTS[url.scheme]) else f"{name}:{port}"
    return f"{url.scheme}://{place}{url.path}".rstrip("/")
