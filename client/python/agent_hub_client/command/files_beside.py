"""Reads the files that a suite or a configuration names.

The hub says which it needs. A name is answered only if it stands in a text that the hub has been sent, and the file lies
in the folder of the first one or in the working directory, so that no hub can ask for anything else.
"""

import os
import posixpath
import re
from typing import Dict, List, Optional, Sequence, Union

from .connection import NotPossible

_ENTRIES_MAX = 20_000
"""Entries of folders that a pattern looks at."""


class FilesBeside:
    """``answers``: a file has its text, or None if there is none that may be sent; a pattern the names that match it."""

    def __init__(self, file: str, text: str) -> None:
        self.answers: Dict[str, Union[None, str, List[str]]] = {}
        self._folder = os.path.dirname(os.path.abspath(file))
        self._roots = [os.path.realpath(self._folder), os.path.realpath(os.getcwd())]
        self._sent = [text]

    def answer(self, missing: Sequence[str]) -> None:
        """
        :raises NotPossible: a name stands in no text that was sent, or a file is not UTF-8
        """
        for name in missing:
            if not any(name in text for text in self._sent):
                raise NotPossible(
                    f"The hub asks for the file {name!r}, which no text sent to it names. Nothing was sent."
                )
            if re.search(r"[*?]", name):
                self.answers[name] = [each for each in self._matches(name) if self._add(each)]
            else:
                self._add(name)

    def _add(self, name: str) -> bool:
        """Returns whether there is such a file."""
        path = os.path.join(self._folder, name)
        text = self._read(path) if self._may_be_sent(path) else None
        self.answers[name] = text
        if text is not None:
            self._sent.append(text)
        return text is not None

    def _may_be_sent(self, path: str) -> bool:
        if not os.path.isfile(path):
            return False
        inside = [os.path.relpath(os.path.realpath(path), root) for root in self._roots]
        return any(not any(part.startswith(".") for part in each.split(os.sep)) for each in inside)

    @staticmethod
    def _read(path: str) -> Optional[str]:
        try:
            with open(path, encoding="utf-8", newline="") as opened:
                return opened.read()
        except (OSError, ValueError) as error:
            raise NotPossible(f"{path} cannot be read: {error}. Save it as UTF-8.") from None

    def _matches(self, pattern: str) -> List[str]:
        start = re.split(r"[*?]", pattern, maxsplit=1)[0].rpartition("/")[0]
        fits = re.compile(_expression_of(pattern), re.S)
        found: List[str] = []
        left = _ENTRIES_MAX
        for folder, folders, names in os.walk(os.path.join(self._folder, start)):
            folders[:] = [each for each in folders if not each.startswith(".") and each != "node_modules"]
            left -= len(names) + len(folders)
            if left < 0:
                break
            within = os.path.relpath(folder, os.path.join(self._folder, start)).replace(os.sep, "/")
            paths = [posixpath.normpath(posixpath.join(start, within, name)) for name in names]
            found += [path for path in paths if fits.fullmatch(path) and not posixpath.basename(path).startswith(".")]
        return sorted(found)


def _expression_of(pattern: str) -> str:
    """``*`` and ``?`` stand for anything in a name, ``**`` for folders too."""
    parts = re.split(r"(\*\*/?|\*|\?)", posixpath.normpath(pattern))
    marks = {"*": "[^/]*", "?": "[^/]"}
    return "".join(marks.get(part, ".*") if re.match(r"[*?]", part) else re.escape(part) for part in parts)
