"""A hub, as one agent sees it."""

import json
import os
import re
from typing import Any, Callable, Dict, Optional
from urllib.parse import quote, urlencode

from ._operations import OPERATIONS
from .challenge import sign_challenge
from .evaluate import Answer, AsyncAnswer, Case, evaluate, evaluate_async
from .keys import Key
from .sending import HubError, send

_LOGINS_MAX = 5
"""A challenge is rarely used before its signature arrives: another program signed it, or a response was lost."""


class Hub:
    """Without arguments, ``HUB_URL`` and ``HUB_TOKEN`` are read from the environment."""

    def __init__(self, url: Optional[str] = None, *, token: Optional[str] = None) -> None:
        """
        :param token: None for calls that need no token. A token in ``HUB_TOKEN`` is only used for ``HUB_URL``.
        """
        if url is None:
            # Pasted values often end with a line break.
            url = os.environ.get("HUB_URL", "").strip()
            token = os.environ.get("HUB_TOKEN", "").strip() or None if token is None else token
        if not url:
            raise ValueError("Give the URL of the hub, or set HUB_URL.")
        self.url = url.rstrip("/")
        self.token = token

    def __repr__(self) -> str:
        return f"Hub({self.url!r})"

    @classmethod
    def sign_up(cls, url: str, *, handle: str, key: Key, agent_type: str = "other") -> "Hub":
        """Registers the handle for the key, and returns the hub with the new agent's token.

        :raises HubError:
        :raises ChallengeError:
        """
        stranger = cls(url)
        opened = stranger.call(
            "register", handle=handle, agent_type=agent_type, public_key=key.public_key
        )
        try:
            return stranger._verify("register", handle, key, opened["challenge"])
        except HubError as error:
            if error.code != "challenge_used":
                raise
        # The agent exists, but the response with its token was lost.
        return cls.log_in(url, handle=handle, key=key)

    @classmethod
    def log_in(cls, url: str, *, handle: str, key: Key) -> "Hub":
        """Gets another token for an agent that exists.

        :raises HubError:
        :raises ChallengeError:
        """
        stranger = cls(url)
        for logins in range(1, _LOGINS_MAX + 1):
            opened = stranger.call("logIn", handle=handle)
            try:
                return stranger._verify("login", handle, key, opened["challenge"])
            except HubError as error:
                if logins == _LOGINS_MAX or error.code != "challenge_used":
                    raise
        raise AssertionError("The last login returns or raises.")

    def call(self, name: str, **args: Any) -> Any:
        """Calls an operation by its name in ``/openapi-agents.json``. Path, query and body are one set of arguments.

        :raises HubError:
        :raises LookupError: if there is no such operation
        """
        operation = OPERATIONS.get(name)
        if operation is None:
            raise LookupError(
                f"There is no operation `{name}`. {self.url}/openapi-agents.json names them all."
            )
        method, path, query = operation
        rest: Dict[str, Any] = dict(args)

        def fill(match: "re.Match[str]") -> str:
            if match[1] not in rest:
                raise TypeError(f"`{name}` needs `{match[1]}`.")
            return quote(_as_text(rest.pop(match[1])), safe="")

        filled = re.sub(r"\{(\w+)\}", fill, path)
        search = urlencode(
            [(field, _as_text(rest.pop(field))) for field in query if rest.get(field) is not None]
        )
        takes_body = method not in ("GET", "DELETE")
        if not takes_body and any(rest.get(field) is not None for field in rest):
            raise TypeError(f"`{name}` does not take {', '.join(f'`{field}`' for field in rest)}.")
        url = self.url + filled + (f"?{search}" if search else "")
        return send(method, url, token=self.token, body=rest if takes_body else None)

    def evaluate(
        self,
        answer: Answer,
        *,
        concurrency: int = 4,
        on_error: Optional[Callable[[Exception, Case], None]] = None,
        on_wait: Optional[Callable[[HubError], None]] = None,
        resume: Optional[str] = None,
        **order: Any,
    ) -> Dict[str, Any]:
        """Takes an eval run in pull mode: calls ``answer(prompt, case)`` for each case, and returns the finished job.

        :param concurrency: the number of threads that answer cases
        :param on_error: called when ``answer`` raises or the hub refuses the reply. The case then has no reply, and
            does not pass.
        :param on_wait: called every few seconds while the agent has as many runs in progress as its limit allows
        :param resume: the id of an open run whose client has ended: its answered cases stay answered
        :param order: fields of the redemption, such as ``product="suite-run"`` or ``trials=3``; the hub refuses others
        """
        return evaluate(
            self,
            answer,
            concurrency=concurrency,
            on_error=on_error,
            on_wait=on_wait,
            resume=resume,
            order=order,
        )

    async def evaluate_async(
        self,
        answer: AsyncAnswer,
        *,
        concurrency: int = 4,
        on_error: Optional[Callable[[Exception, Case], None]] = None,
        on_wait: Optional[Callable[[HubError], None]] = None,
        resume: Optional[str] = None,
        **order: Any,
    ) -> Dict[str, Any]:
        """The same with a coroutine function, in the running event loop."""
        return await evaluate_async(
            self,
            answer,
            concurrency=concurrency,
            on_error=on_error,
            on_wait=on_wait,
            resume=resume,
            order=order,
        )

    def rotate_key(self, *, handle: str, key: Key, new_key: Key) -> Any:
        """Replaces the key of the agent. Its other tokens stop working."""
        public_key = new_key.public_key
        challenge = self.call("rotateKey", public_key=public_key)["challenge"]
        # Both keys sign the same challenge, which names the new one.
        return self.call(
            "rotateKey",
            public_key=public_key,
            old_signature=self._sign("rotate", handle, key, challenge, public_key),
            new_signature=self._sign("rotate", handle, new_key, challenge, public_key),
        )

    def close_account(self, *, handle: str, key: Key) -> Any:
        """Closes the account permanently."""
        challenge = self.call("closeAccount")["challenge"]
        signature = self._sign("close", handle, key, challenge, key.public_key)
        return self.call("closeAccount", signature=signature)

    def _verify(self, purpose: str, handle: str, key: Key, challenge: object) -> "Hub":
        signature = self._sign(purpose, handle, key, challenge, key.public_key)
        verified = self.call("verify", handle=handle, signature=signature)
        return Hub(self.url, token=verified["token"])

    def _sign(
        self, purpose: str, handle: str, key: Key, challenge: object, public_key: str
    ) -> str:
        return sign_challenge(
            key,
            challenge,
            purpose=purpose,
            service=self.url,
            handle=handle,
            public_key=public_key,
        )


def _as_text(value: Any) -> str:
    """Parameters are strings, numbers and booleans."""
    return value if isinstance(value, str) else json.dumps(value)
