"""Waits for a change of files."""

import os
import re
import time
from typing import Callable, List, Optional, Sequence

_LOOK_EVERY_S = 0.25
_FILES_MAX = 2_000
"""Of a folder with more files, the others are not watched."""


def state_of(paths: Sequence[str], own: Sequence[str]) -> List[str]:
    """What the files and folders are like now: two equal states mean that nothing has changed.

    :param own: what the command itself writes
    """
    left_out = {os.path.abspath(path) for path in own}
    seen: List[str] = []
    for path in paths:
        seen += [file_state(path)] if os.path.abspath(path) not in left_out else []
        for folder, folders, files in os.walk(path):
            folders[:] = sorted(
                name
                for name in folders
                if not name.startswith(".")
                and name not in ("node_modules", "__pycache__")
                and os.path.abspath(os.path.join(folder, name)) not in left_out
            )
            inside = [os.path.join(folder, name) for name in sorted(files) if not name.startswith(".")]
            seen += [file_state(file) for file in inside if os.path.abspath(file) not in left_out]
            if len(seen) > _FILES_MAX:
                break
    return seen


def file_state(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError:
        return path
    # The time of a folder changes with what is left out.
    return path if os.path.isdir(path) else f"{path} {found.st_mtime_ns} {found.st_size}"


def changed_in(before: Sequence[str], now: Sequence[str]) -> Optional[str]:
    """The path of a file that differs."""
    known, found = set(before), set(now)
    changed = next((state for state in [*now, *before] if state not in known or state not in found), None)
    return None if changed is None else re.sub(r" [0-9]+ [0-9]+\Z", "", changed)


def wait_for_change(look: Callable[[], List[str]], before: List[str]) -> None:
    """Returns once the files differ from ``before`` and no longer change, because editors write in several steps.

    :param look: returns what they are like now
    """
    last = before
    while True:
        time.sleep(_LOOK_EVERY_S)
        now = look()
        if now != before and now == last:
            return
        last = now
