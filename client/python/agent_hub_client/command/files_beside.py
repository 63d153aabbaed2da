"""Reads the files that a suite or a configuration names.

The hub says which it needs. A name is answered only if it stands in a text that the hub has been sent, and the file lies
in the folder of the first one or in the working directory, so that no hub can ask for anything else.
"""

import base64
import json
import os
import posixpath
import re
from typing import Any, Dict, List, Optional, Sequence, Union

from .connection import NotPossible
from .watch import file_state

_ENTRIES_MAX = 20_000
"""Entries of folders that a pattern looks at."""
_FILES_MAX = 500
_BYTES_MAX = 15 * 1024 * 1024
"""What a hub takes."""


class FilesBeside:
    """``answers``: a file has its text, an image a data URL, or None if there is none that may be sent; a pattern the names that match it."""

    def __init__(self, file: str, text: str) -> None:
        self.answers: Dict[str, Union[None, str, List[str]]] = {}
        self.states: Dict[str, str] = {}
        """By the path of each file that was named, what it was like before it was read."""
        self._folder = os.path.dirname(os.path.abspath(file))
        self._roots = [os.path.realpath(self._folder), os.path.realpath(os.getcwd())]
        self._sent = [text]
        self._bytes_left = _BYTES_MAX

    def answer(self, missing: Sequence[Any]) -> None:
        """
        :raises NotPossible: a name stands in no text that was sent, was answered, or is one too many; a file is not UTF-8
        """
        if not missing:
            raise NotPossible("The hub misses files and names none.")
        answered = set(self.answers)
        for name in missing:
            if not isinstance(name, str) or not any(_names(text, name) for text in self._sent):
                raise NotPossible(f"The hub asks for the file {json.dumps(name)}, which no text sent to it names.")
            if name in answered:
                raise NotPossible(f"The hub asks for the file {json.dumps(name)} again.")
            if re.search(r"[*?]", name):
                self.answers[name] = [each for each in self._matches(name) if self._add(each)]
            else:
                self._add(name)

    def _add(self, name: str) -> bool:
        """Returns whether there is such a file."""
        # A pattern may match what was named.
        if name in self.answers:
            return isinstance(self.answers[name], str)
        if len(self.answers) >= _FILES_MAX:
            raise NotPossible(f"A file may name at most {_FILES_MAX} others.")
        path = os.path.join(self._folder, name)
        self.states[path] = file_state(path)
        is_sent = self._may_be_sent(path)
        image = _data_url_of(path) if is_sent else None
        text = self._read(path) if is_sent and image is None else None
        self.answers[name] = image or text
        if text is not None:
            self._sent.append(text)
        return is_sent

    def _may_be_sent(self, path: str) -> bool:
        if not os.path.isfile(path):
            return False
        real = os.path.realpath(path)
        roots = [os.path.join(root, "") for root in self._roots]
        within = [real[len(root) :] for root in roots if real.startswith(root)]
        if all(any(part.startswith(".") for part in each.split(os.sep)) for each in within):
            return False
        self._bytes_left -= os.path.getsize(path)
        if self._bytes_left < 0:
            raise NotPossible(f"With {path}, the files named have more than {_BYTES_MAX} bytes together.")
        return True

    @staticmethod
    def _read(path: str) -> Optional[str]:
        try:
            with open(path, encoding="utf-8", newline="") as opened:
                return opened.read()
        except (OSError, ValueError) as error:
            raise NotPossible(f"{path} cannot be read: {error}. Save it as UTF-8.") from None

    def _matches(self, pattern: str) -> List[str]:
        start = re.split(r"[*?]", pattern, maxsplit=1)[0].rpartition("/")[0]
        wanted = posixpath.normpath(pattern)
        found: List[str] = []
        left = _ENTRIES_MAX
        for folder, folders, names in os.walk(os.path.join(self._folder, start)):
            folders[:] = [each for each in folders if not each.startswith(".") and each != "node_modules"]
            left -= len(names) + len(folders)
            if left < 0:
                break
            within = os.path.relpath(folder, os.path.join(self._folder, start)).replace(os.sep, "/")
            paths = [posixpath.normpath(posixpath.join(start, within, name)) for name in names]
            found += [path for path in paths if _fits(wanted, path) and not posixpath.basename(path).startswith(".")]
        return sorted(found)


_IMAGE_TYPES = (
    ("image/png", rb"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", rb"\xff\xd8\xff"),
    ("image/gif", rb"GIF8[79]a"),
    ("image/webp", rb"RIFF.{4}WEBP"),
)
"""The images that a hub takes, by their first bytes."""


def _data_url_of(path: str) -> Optional[str]:
    """Returns None if the file is no image."""
    try:
        with open(path, "rb") as opened:
            data = opened.read()
    except OSError as error:
        raise NotPossible(f"{path} cannot be read: {error}.") from None
    for kind, beginning in _IMAGE_TYPES:
        if re.match(beginning, data, re.S):
            return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
    return None


def _names(text: str, name: str) -> bool:
    """Whether a text has the name as a whole, not within a word or a longer path. A word is one only after ``file://``."""
    if re.search(r"\w", name) is None:
        return False
    marked = "?" if re.search(r"[./]", name) else ""
    # A registry of OpenAI Evals has its samples there.
    literal = re.escape(re.sub(r"^\.\./data/", "", name))
    form = rf"""(?<![^\s"'\[{{,:])(?:file://){marked}(?:\./)?{literal}(?![^\s"'\]}},:#])"""
    return re.search(form, text) is not None


def _fits(pattern: str, name: str) -> bool:
    """``*`` and ``?`` stand for anything in a name, ``**`` for folders too.

    Takes time in proportion to both, not to their power.
    """
    ends = [True] + [False] * len(name)
    for mark in re.findall(r"\*\*/?|.", pattern, re.S):
        before, ends = ends, [False] * len(ends)
        is_star = mark.startswith("*")
        for at in range(len(ends)):
            last = name[at - 1] if at > 0 else ""
            reads = last != "/" if mark in ("?", "*") else is_star or last == mark
            if is_star:
                ends[at] = before[at] or (at > 0 and ends[at - 1] and reads)
            else:
                ends[at] = at > 0 and before[at - 1] and reads
    return ends[-1]
