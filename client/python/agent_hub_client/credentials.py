"""Verifies credentials of hubs offline: W3C Verifiable Credentials 2.0 with a Data Integrity proof of the cryptosuite
``eddsa-jcs-2022``. Nothing is fetched."""

import base64
import decimal
import hashlib
import json
import math
import zlib
from datetime import datetime, timezone
from typing import Any, Dict, List, Mapping, Optional

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


class CredentialError(ValueError):
    """Says why a credential is not genuine or no longer valid."""


def verify_credential(
    vc: Mapping[str, Any],
    document: Optional[Mapping[str, Any]] = None,
    *,
    status_list: Optional[Mapping[str, Any]] = None,
    now: Optional[datetime] = None,
) -> Dict[str, Any]:
    """Returns ``{"verified": True, "issuer": …}``.

    :param vc: the credential as the hub returned it
    :param document: the DID document of the issuer, from ``/.well-known/did.json``; a ``did:key`` needs none
    :param status_list: the credential at ``credentialStatus.statusListCredential``, to find out whether this one was
        revoked
    :raises CredentialError: says what is wrong
    """
    at = now or datetime.now(timezone.utc)
    issuer = _verify_proof(vc, document)
    _check_time(vc, at)
    if status_list is not None:
        if _verify_proof(status_list, document) != issuer:
            raise CredentialError("The status list is of another issuer.")
        _check_time(status_list, at)
        _check_status(vc, status_list)
    return {"verified": True, "issuer": issuer}


def _verify_proof(vc: Mapping[str, Any], document: Optional[Mapping[str, Any]]) -> str:
    proof = vc.get("proof")
    issuer = vc.get("issuer")
    if isinstance(issuer, dict):
        issuer = issuer.get("id")
    if not isinstance(proof, dict):
        raise CredentialError("The credential has no proof.")
    if not isinstance(issuer, str):
        raise CredentialError("The credential names no issuer.")
    if (proof.get("type"), proof.get("cryptosuite")) != ("DataIntegrityProof", "eddsa-jcs-2022"):
        raise CredentialError(
            "The proof is not a `DataIntegrityProof` with the cryptosuite `eddsa-jcs-2022`."
        )
    if proof.get("proofPurpose") != "assertionMethod":
        raise CredentialError("The purpose of the proof is not `assertionMethod`.")
    if "@context" in proof:
        contexts = _list_of(proof["@context"])
        if contexts != _list_of(vc.get("@context"))[: len(contexts)]:
            raise CredentialError("The contexts of the proof are not those of the credential.")
    method = proof.get("verificationMethod")
    if not isinstance(method, str) or not method.startswith(f"{issuer}#"):
        raise CredentialError(
            f"The proof was not made with a key of the issuer {issuer}."
        )
    key = _key_of(issuer, method, document)
    options = {name: value for name, value in proof.items() if name != "proofValue"}
    unsecured = {name: value for name, value in vc.items() if name != "proof"}
    signed = _hash_of(options) + _hash_of(unsecured)
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(
            _from_multibase(proof.get("proofValue")), signed
        )
    except InvalidSignature:
        raise CredentialError(
            "The signature does not match: the credential was changed after it was signed,"
            " or signed with another key."
        ) from None
    return issuer


def _key_of(issuer: str, method: str, document: Optional[Mapping[str, Any]]) -> bytes:
    if issuer.startswith("did:key:"):
        multikey = issuer[len("did:key:") :]
        if method != f"{issuer}#{multikey}":
            raise CredentialError("The proof names a key that is not that of its issuer.")
        return _read_multikey(multikey)
    if document is None:
        raise CredentialError(
            f"The DID document of {issuer} is needed: see its /.well-known/did.json."
        )
    if document.get("id") != issuer:
        raise CredentialError(f"The document is not that of {issuer}.")
    keys = [
        one.get("publicKeyMultibase")
        for one in _list_of(document.get("verificationMethod"))
        if isinstance(one, dict) and one.get("id") == method
    ]
    if not keys or method not in _list_of(document.get("assertionMethod")):
        raise CredentialError(f"The proof was made with another key: {issuer} has no such key.")
    return _read_multikey(keys[0])


def _read_multikey(multikey: Any) -> bytes:
    """Of an Ed25519 key: its multicodec ``0xed 0x01``, then 32 bytes."""
    data = _from_multibase(multikey)
    if len(data) != 34 or data[:2] != b"\xed\x01":
        raise CredentialError("The key of the issuer is not an Ed25519 key.")
    return data[2:]


def _check_time(vc: Mapping[str, Any], now: datetime) -> None:
    start, end = _time_of(vc.get("validFrom")), _time_of(vc.get("validUntil"))
    if start is not None and start > now:
        raise CredentialError(f"The credential is not valid before {start.isoformat()}.")
    if end is not None and end <= now:
        raise CredentialError(f"The credential lapsed on {end.isoformat()}.")


def _time_of(given: Any) -> Optional[datetime]:
    if given is None:
        return None
    try:
        # Python reads `Z` from version 3.11 on.
        time = datetime.fromisoformat(str(given).replace("Z", "+00:00"))
    except ValueError:
        raise CredentialError("The times of the credential cannot be read.") from None
    return time if time.tzinfo is not None else time.replace(tzinfo=timezone.utc)


_LIST_BYTES_MAX = 4 * 1024 * 1024


def _check_status(vc: Mapping[str, Any], status_list: Mapping[str, Any]) -> None:
    entries = [
        one
        for one in _list_of(vc.get("credentialStatus"))
        if isinstance(one, dict) and one.get("statusPurpose") == "revocation"
    ]
    if not entries:
        return
    if entries[0].get("statusListCredential") != status_list.get("id"):
        raise CredentialError("The credential names another status list.")
    try:
        encoded = str(status_list["credentialSubject"]["encodedList"])[1:]
        zipped = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
        bits = zlib.decompressobj(wbits=31).decompress(zipped, _LIST_BYTES_MAX)
        index = int(entries[0]["statusListIndex"])
        byte = bits[index // 8]
    except (KeyError, TypeError, ValueError, IndexError, zlib.error):
        raise CredentialError("The status of the credential cannot be read.") from None
    if byte & (0x80 >> (index % 8)):
        raise CredentialError("The issuer has revoked the credential.")


def _hash_of(value: Any) -> bytes:
    try:
        return hashlib.sha256(_canonical_form_of(value).encode("utf-8")).digest()
    except (OverflowError, UnicodeEncodeError):
        # `1e999`, and half of a surrogate pair.
        raise CredentialError(
            "The credential has a number or a character that JSON does not have."
        ) from None


def _canonical_form_of(value: Any) -> str:
    """RFC 8785: names in the order of their UTF-16 code units, numbers as JavaScript writes them."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_text(name)}:{_canonical_form_of(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical_form_of, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(value)
    return _text(value)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    number = float(value)
    if not math.isfinite(number):
        raise OverflowError
    if number == 0:
        return "0"
    sign, digits, exponent = decimal.Decimal(repr(number)).normalize().as_tuple()
    shown = "".join(map(str, digits))
    # The place of the decimal point, as ECMAScript counts it.
    point = len(shown) + int(exponent)
    if len(shown) <= point <= 21:
        text = shown + "0" * (point - len(shown))
    elif 0 < point <= 21:
        text = f"{shown[:point]}.{shown[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{shown}"
    else:
        rest = f".{shown[1:]}" if len(shown) > 1 else ""
        text = f"{shown[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return ("-" if sign else "") + text


_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_MULTIBASE_MAX = 200


def _from_multibase(text: Any) -> bytes:
    """Base58 with the prefix ``z``."""
    digits = text[1:] if isinstance(text, str) else ""
    known = isinstance(text, str) and text.startswith("z") and len(text) <= _MULTIBASE_MAX
    if not known or any(sign not in _BASE58 for sign in digits):
        raise CredentialError("A value of the proof is not in base58.")
    number = 0
    for sign in digits:
        number = number * 58 + _BASE58.index(sign)
    zeros = len(digits) - len(digits.lstrip("1"))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")


def _list_of(value: Any) -> List[Any]:
    return value if isinstance(value, list) else [value]
