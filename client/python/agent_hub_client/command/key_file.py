"""Files with the key of an agent: JSON of the clients, or PEM of ``hub keygen`` and OpenSSL."""

import base64
import json
from typing import Optional, Tuple

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ..keys import Key


def read_key_file(path: str) -> Tuple[Key, Optional[str]]:
    """Returns the key, and the handle if the file names it.

    :raises OSError:
    :raises ValueError: there is no key in it
    """
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not text.lstrip().startswith("-----"):
        stored = json.loads(text)
        if not isinstance(stored, dict) or not {"publicKey", "privateKey"} <= stored.keys():
            raise ValueError("it has no `publicKey` and `privateKey`")
        return Key(public_key=stored["publicKey"], private_key=stored["privateKey"]), stored.get("handle")
    private = serialization.load_pem_private_key(text.encode("ascii"), password=None)
    if not isinstance(private, Ed25519PrivateKey):
        raise ValueError("it is not an Ed25519 key")
    raw = private.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    pkcs8 = private.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public_key, private_key = (base64.b64encode(part).decode("ascii") for part in (raw, pkcs8))
    return Key(public_key=public_key, private_key=private_key), None
