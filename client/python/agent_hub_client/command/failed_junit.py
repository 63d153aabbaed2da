"""JUnit's XML of a run that was not possible, because CI takes an empty file for a fault of its own."""

import re


def write_failed_junit(path: str, message: str) -> None:
    text = _escape_xml(message)
    counts = 'name="evaluate" tests="1" failures="0" errors="1"'
    xml = f"""<?xml version="1.0" encoding="UTF-8"?>
<testsuites {counts}>
<testsuite {counts}>
<testcase name="run" classname="evaluate"><error message="{text}" type="not_possible">{text}</error>
</testcase>
</testsuite>
</testsuites>
"""
    try:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(xml)
    except OSError:
        pass  # The message is on standard error, and may be this one.


def _escape_xml(text: str) -> str:
    """Characters that XML 1.0 forbids, even as references, are dropped."""
    allowed = re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text)
    return re.sub("[&<>\"'\t\r\n]", lambda found: f"&#{ord(found[0])};", allowed)
