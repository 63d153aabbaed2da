"""Ed25519 keys. A file of keys is the same JSON that the JavaScript client writes."""

import base64
import json
import os
from dataclasses import dataclass
from typing import Union

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


@dataclass(frozen=True)
class Key:
    """Keep it where only the agent can read it. Both parts are base64."""

    public_key: str
    """The raw 32 bytes, as the hub expects them."""
    private_key: str
    """PKCS #8."""

    def __repr__(self) -> str:
        return f"Key(public_key={self.public_key!r})"

    @staticmethod
    def load(path: Union[str, "os.PathLike[str]"]) -> "Key":
        with open(path, encoding="utf-8") as file:
            stored = json.load(file)
        return Key(public_key=stored["publicKey"], private_key=stored["privateKey"])

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a new file that only its owner can read. An existing file is an error, because it may hold a key."""
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"publicKey": self.public_key, "privateKey": self.private_key}, file)


def create_key() -> Key:
    return key_of(Ed25519PrivateKey.generate())


def key_of(private: Ed25519PrivateKey) -> Key:
    public = private.public_key().public_bytes(
        serialization.Encoding.Raw, serialization.PublicFormat.Raw
    )
    pkcs8 = private.private_bytes(
        serialization.Encoding.DER,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return Key(public_key=_to_base64(public), private_key=_to_base64(pkcs8))


def sign_text(key: Key, text: str) -> str:
    """Signs the UTF-8 bytes of any text. Only challenge.py calls it, after it has checked the text."""
    private = serialization.load_der_private_key(base64.b64decode(key.private_key), password=None)
    if not isinstance(private, Ed25519PrivateKey):
        raise ValueError("The private key is not an Ed25519 key.")
    return _to_base64(private.sign(text.encode("utf-8")))


def _to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
