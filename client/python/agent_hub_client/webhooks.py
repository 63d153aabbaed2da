"""Verifies deliveries of the hub's webhooks (https://www.standardwebhooks.com)."""

import base64
import hashlib
import hmac
import json
import time
from typing import Any, Dict, Mapping, Union


def verify_webhook(
    *,
    secret: str,
    headers: Mapping[str, str],
    body: Union[str, bytes],
    tolerance_seconds: float = 300,
) -> Dict[str, Any]:
    """Returns the payload of a delivery.

    :param secret: what the hub showed once: ``whsec_`` and base64
    :param headers: names in any case
    :param body: as received, before parsing
    :raises ValueError: if the signature is wrong or the delivery is not recent
    """
    given = {name.lower(): value for name, value in headers.items()}
    data = body.encode("utf-8") if isinstance(body, str) else body
    timestamp = given.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()) or (
        abs(time.time() - int(timestamp)) > tolerance_seconds
    ):
        raise ValueError("The delivery is not recent.")
    key = base64.b64decode(secret[len("whsec_") :] if secret.startswith("whsec_") else secret)
    signed = f"{given.get('webhook-id', '')}.{timestamp}.".encode("utf-8") + data
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    signatures = given.get("webhook-signature", "").encode("utf-8").split(b" ")
    # Every signature is compared, in constant time.
    if not any([hmac.compare_digest(signature, expected) for signature in signatures]):
        raise ValueError("The signature is wrong.")
    payload: Dict[str, Any] = json.loads(data)
    return payload
