"""The reports of a run that was not possible, because CI takes an empty file for a fault of its own."""

import re
from typing import Optional

from .options import Options
from .printed import shown


def write_failed_reports(options: Options, summary_file: Optional[str], message: str) -> None:
    """
    :param summary_file: where GitHub collects what the steps of a job append
    """
    text = _markdown_of(message)
    if "junit" in options:
        _write(options["junit"], "w", _junit_of(message))
    if "markdown" in options:
        _write(options["markdown"], "w", text)
    if summary_file:
        _write(summary_file, "a", text)


def _write(path: str, mode: str, text: str) -> None:
    try:
        with open(path, mode, encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError:
        pass  # The message is on standard error, and may be this one.


def _markdown_of(message: str) -> str:
    """Nothing in an indented block is markup."""
    return "## Not possible\n\n" + re.sub("^", "    ", shown(message), flags=re.MULTILINE) + "\n"


def _junit_of(message: str) -> str:
    text = _escape_xml(message)
    counts = 'name="evaluate" tests="1" failures="0" errors="1"'
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<testsuites {counts}>
<testsuite {counts}>
<testcase name="run" classname="evaluate"><error message="{text}" type="not_possible">{text}</error>
</testcase>
</testsuite>
</testsuites>
"""


def _escape_xml(text: str) -> str:
    """Characters that XML 1.0 forbids, even as references, are dropped."""
    allowed = re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text)
    return re.sub("[&<>\"'\t\r\n]", lambda found: f"&#{ord(found[0])};", allowed)
