"""Files with the key of an agent: JSON of the clients, or PEM of ``hub keygen`` and OpenSSL."""

import json
import os
from typing import Optional, Tuple

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ..challenge import ChallengeError
from ..hub import Hub
from ..keys import Key, create_key, key_of
from ..sending import HubError


class KeyFileFault(Exception):
    """A file that cannot be used. The message names it, the rule and the way out."""


def open_key_file(hub: str, path: str, name: Optional[str]) -> Tuple[Key, str]:
    """Reads the key of an agent and its handle. If there is no such file, creates a key and signs up an agent.

    :raises KeyFileFault:
    :raises HubError: the sign-up is refused
    :raises ChallengeError:
    """
    if os.path.exists(path):
        key, handle = _read_key_file(path)
        if handle and name and handle != name:
            raise KeyFileFault(
                f"{path} of --key is the key of {handle}, and --handle says {name}. "
                "Name another file, or leave out --handle."
            )
        handle = handle or name
        if handle is None:
            raise KeyFileFault(f"{path} of --key names no handle. Add --handle NAME.")
        return key, handle
    if name is None:
        raise KeyFileFault(f"{path} of --key does not exist. Add --handle NAME to sign up a new agent.")
    key = create_key()
    # Before the sign-up: a key that is lost afterwards cannot be replaced.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump({"publicKey": key.public_key, "privateKey": key.private_key, "handle": name}, file)
    try:
        Hub.sign_up(hub, handle=name, key=key)
    except (HubError, ChallengeError) as error:
        # A rejected key belongs to no agent, but one whose sign-up was interrupted may, also by a proxy.
        if isinstance(error, ChallengeError) or _is_refusal(error):
            os.unlink(path)
        raise
    return key, name


def _is_refusal(error: HubError) -> bool:
    return error.status < 500 and error.status != 429 and error.code != "unknown"


def _read_key_file(path: str) -> Tuple[Key, Optional[str]]:
    try:
        with open(path, encoding="utf-8") as file:
            return _parse_key(file.read())
    except (OSError, ValueError) as error:
        raise KeyFileFault(
            f"{path} of --key has no Ed25519 key in JSON or PEM ({error}). Name another file."
        ) from None


def _parse_key(text: str) -> Tuple[Key, Optional[str]]:
    if not text.lstrip().startswith("-----"):
        stored = json.loads(text)
        if not isinstance(stored, dict) or not {"publicKey", "privateKey"} <= stored.keys():
            raise ValueError("it has no `publicKey` and `privateKey`")
        return Key(public_key=stored["publicKey"], private_key=stored["privateKey"]), stored.get("handle")
    private = serialization.load_pem_private_key(text.encode("ascii"), password=None)
    if not isinstance(private, Ed25519PrivateKey):
        raise ValueError("it is not an Ed25519 key")
    return key_of(private), None
