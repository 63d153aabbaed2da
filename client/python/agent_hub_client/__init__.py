"""Client of an Agent Hub."""

from ._version import __version__
from .challenge import ChallengeError, check_challenge, sign_challenge
from .credentials import CredentialError, verify_credential
from .evaluate import Case
from .hub import Hub
from .keys import Key, create_key
from .sending import HubError
from .serving import ServedAgent, serve_agent
from .webhooks import verify_webhook

__all__ = [
    "Case",
    "ChallengeError",
    "CredentialError",
    "Hub",
    "HubError",
    "Key",
    "ServedAgent",
    "__version__",
    "check_challenge",
    "create_key",
    "serve_agent",
    "sign_challenge",
    "verify_credential",
    "verify_webhook",
]
