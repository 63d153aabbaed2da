"""What programs print, as texts that can be graded and reports that can be shown."""

import re
from typing import Callable, Mapping

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\^-~])")
"""Escape sequences of terminals: colours, moves, titles and links."""


def without_colours(text: str) -> str:
    return _ESCAPES.sub("", text)


_UNSHOWN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def shown(text: str) -> str:
    """A text of a hub or of a file, which must not move the cursor of a terminal or hide what it says."""
    return _UNSHOWN.sub("\ufffd", without_colours(text).replace("\r\n", "\n"))


_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|COOKIE|_DSN$|_URL$", re.IGNORECASE)
_SECRET_LENGTH_MIN = 8
_SECRET_FORMS = (
    re.compile(
        r"\b(?:sk|pk|rk)[-_][\w-]{16,}|\bgh[oprsu]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
        r"|\bxox[abeprs]-[\w-]{10,}|\bA(?:KIA|SIA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}|\bhf_\w{20,}"
        r"|(?<![\w-])eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*"
    ),
    re.compile(r"(?<=\bbearer )[\w+/=.~-]{8,}|(?<=\bbasic )[\w+/=.~-]{8,}", re.IGNORECASE),
)
"""Keys of well-known services, and values of headers."""
_NAMED_SECRET = re.compile(
    r"""(\b\w{0,30}(?:key|token|secret|password|passwd|credential)s?["']?\s{0,3}[:=]\s{0,3}["']?)[^\s"',;]{4,}""",
    re.IGNORECASE,
)


def redactor(environment: Mapping[str, str]) -> Callable[[str], str]:
    """Replaces keys: the values of variables whose names say that they are secret, and what looks like a key."""
    values = sorted(
        (
            value
            for name, value in environment.items()
            if _SECRET_NAME.search(name) and len(value) >= _SECRET_LENGTH_MIN
        ),
        key=len,
        reverse=True,
    )

    def redact(text: str) -> str:
        for value in values:
            text = text.replace(value, "[redacted]")
        for form in _SECRET_FORMS:
            text = form.sub("[redacted]", text)
        return _NAMED_SECRET.sub(r"\1[redacted]", text)

    return redact
