"""The file of ``--matrix``: flags of its own for each label."""

import re
from typing import Dict, List, Optional, Sequence

from .options import UsageFault

_COLUMNS_MAX = 8


def read_matrix(path: str) -> Dict[str, List[str]]:
    """Reads YAML of two levels: labels, and below each, or in braces behind it, its flags with their values.

    Returns words of a command line.

    :raises UsageFault:
    """
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
    except (OSError, ValueError):
        raise UsageFault(f"--matrix {path} cannot be read. Check the name of the file.") from None
    columns: Dict[str, List[str]] = {}
    for number, line in ((at, each) for at, line in enumerate(lines, 1) for each in _in_lines(line)):
        if re.fullmatch(r"\s*(#.*)?", line):
            continue
        label = re.fullmatch(r"([^\s:#'\",][^:,]*?)\s*:\s*", line)
        flag = re.fullmatch(r"\s+([a-z][a-z-]*)\s*:\s+(\S.*?)\s*", line)
        value = None if flag is None else _unquoted(flag[2])
        if label is not None and label[1] not in columns:
            columns[label[1]] = []
        elif flag is not None and value is not None and columns:
            columns[list(columns)[-1]].append(f"--{flag[1]}" + ("" if flag[2] == "true" else f"={value}"))
        else:
            raise UsageFault(
                f"--matrix {path}:{number} must be a label without a comma, such as `small:`, or an indented flag with "
                "its value, such as `  model: small`; in double quotes, a value has no `\\`."
            )
    if not 2 <= len(columns) <= _COLUMNS_MAX:
        raise UsageFault(f"--matrix {path} must have 2 to {_COLUMNS_MAX} labels, but has {len(columns)}.")
    return columns


def _in_lines(line: str) -> List[str]:
    """``main: { cmd: echo }`` as the two lines that say the same."""
    match = re.fullmatch(r"([^\s:#'\"][^:]*:)\s*\{(.*)\}\s*(?:#.*)?", line)
    if match is None:
        return [line]
    return [match[1], *(f"  {flag.strip()}" for flag in re.findall(r"(?:[^,'\"]|'[^']*'|\"[^\"]*\")+", match[2]))]


def _unquoted(value: str) -> Optional[str]:
    """Returns None for quotes that cannot be read."""
    quoted = re.fullmatch(r"(?:'((?:[^']|'')*)'|\"([^\"\\]*)\")(?:\s+#.*)?", value)
    if quoted is None:
        return None if value[0] in "'\"" else re.sub(r"\s+#.*$", "", value)
    return quoted[2] if quoted[1] is None else quoted[1].replace("''", "'")


def without_matrix(words: Sequence[str]) -> List[str]:
    """The other words of the command line."""
    return [
        word
        for at, word in enumerate(words)
        if not word.startswith("--matrix") and (at == 0 or words[at - 1] != "--matrix")
    ]
