"""The hub, as the command talks to it."""

from typing import Any, Optional

from ..sending import send


class NotPossible(Exception):
    """The run was not possible. The message says why, and what to do."""


def no_hub(url: str, error: OSError) -> NotPossible:
    return NotPossible(
        f"No hub responds at {url} ({error}). Check HUB_URL or --hub. If the hub is your own, check that it runs: "
        "`npm start` in its folder starts it."
    )


class Connection:
    def __init__(self, url: str, token: Optional[str]) -> None:
        self.url = url
        self.token = token

    def ask(self, method: str, path: str, body: Any = None, content_type: Optional[str] = None) -> Any:
        """
        :param content_type: of a body that is a text; others are sent as JSON
        """
        return self._send(method, path, body=body, content_type=content_type)

    def ask_text(self, path: str) -> str:
        text: str = self._send("GET", path, as_text=True)
        return text

    def _send(self, method: str, path: str, **content: Any) -> Any:
        try:
            return send(method, self.url + path, token=self.token, **content)
        except OSError as error:
            raise no_hub(self.url, error) from None
