"""Finds the programs that the user's own file has as judges.

A hub must not have any other text of the file run, so only ``judges.*.command`` counts, and a value that is written in a
rarer form of YAML is not found.
"""

import json
import re
from typing import Dict, List, Optional, Set


def commands_in(file: str) -> Set[str]:
    """Of JSON, JSONL or YAML: values on one line or in a block, without white space at their ends."""
    file = re.sub(r"\A\ufeff", "", file).replace("\r\n", "\n")
    judges = _fields_of(_fields_of(file).get("judges", "")).values()
    commands = (_scalar_of(_fields_of(judge).get("command", "")) for judge in judges)
    return {without_end(command) for command in commands if command is not None} - {""}


def without_end(command: str) -> str:
    return command.rstrip(" \t\n")


def _fields_of(text: str) -> Dict[str, str]:
    """The fields of a mapping, each as it is written."""
    content = _content_of(text)
    return _flow_fields(content) if re.match(r"[ \t]*\{", content) else _block_fields(content)


def _content_of(text: str) -> str:
    """Without the lines before it that are blank or a comment."""
    return re.sub(r"\A(?:[ \t]*(?:#[^\n]*)?\n)*", "", text)


def _block_fields(text: str) -> Dict[str, str]:
    """Keys stand where the first one stands; the lines of a value are deeper, but for a brace that closes it."""
    fields: Dict[str, List[str]] = {}
    least: Optional[int] = None
    value: List[str] = []
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip(" "))
        if _is_empty(line) or (least is not None and depth > least) or re.match(r" *[}\]]", line):
            value.append(line)
            continue
        least = depth
        key = re.fullmatch(r" *([\"']?)([A-Za-z0-9_-]+)\1[ \t]*:(?=[ \t]|\Z)([^\n]*)", line)
        value = [] if key is None else [key[3]]
        if key is not None:
            fields[key[2]] = value
    return {key: "\n".join(lines) for key, lines in fields.items()}


def _is_empty(line: str) -> bool:
    return re.fullmatch(r"[ \t]*(?:#[^\n]*)?", line) is not None


_FLOW_TOKEN = re.compile(
    r"\"(?:[^\"\\]|\\[\s\S])*\"|'[^']*'|[{}\[\],:]|#[^\n]*|[ \t\n]+"
    r"|(?![\"'])(?:[^,\[\]{}:#]|:(?![ \t\n,\[\]{}]|\Z)|(?<![ \t\n])#)+"
)
"""A quoted text, a mark, a comment, white space, or a text without quotes."""


def _flow_fields(text: str) -> Dict[str, str]:
    """What stands in braces, as all of JSON does."""
    fields: Dict[str, str] = {}
    depth = start = 0
    key: Optional[str] = None
    token = _FLOW_TOKEN.match(text)
    while token is not None:
        is_end = token[0] in ("}", "]")
        if depth == 1 and (is_end or token[0] == ","):
            if key is not None:
                fields[key] = text[start : token.start()]
            key, start = None, token.end()
        elif depth == 1 and token[0] == ":" and key is None:
            key, start = _scalar_of(text[start : token.start()]), token.end()
        if token[0] in ("{", "["):
            depth += 1
        if depth == 1 and start == 0:
            start = token.end()
        if is_end:
            depth -= 1
        if is_end and depth == 0:
            return fields
        token = _FLOW_TOKEN.match(text, token.end())
    return {}


_SCALAR = re.compile(
    r"[ \t]*(?:(\"(?:[^\"\\]|\\[^\n])*\")|'((?:[^']|'')*)'|([^ \t\"'&*!|>%@`{}\[\],#][^\n]*?))(?:[ \t]+#[^\n]*)?[ \t]*"
)


def _scalar_of(text: str) -> Optional[str]:
    """Returns None if it is no text, or on several lines outside a block."""
    line, *more = _content_of(text).split("\n")
    header = re.fullmatch(r"[ \t]*([|>])[-+]?[ \t]*(?:(?<=[ \t])#[^\n]*)?", line)
    if header is not None:
        return _block_of(more, header[1])
    scalar = _SCALAR.fullmatch(line)
    if scalar is None or not all(map(_is_empty, more)):
        return None
    double, single, plain = scalar.groups()
    if double is None:
        return str(plain) if single is None else str(single).replace("''", "'")
    try:
        return str(json.loads(double))
    except ValueError:
        return None


def _block_of(lines: List[str], style: str) -> Optional[str]:
    """The text of a block, ``|`` or ``>``."""
    first = next((line for line in lines if line.strip(" \t")), "")
    indent = first[: len(first) - len(first.lstrip(" "))]
    if indent == "":
        return None
    end = next(
        (at for at, line in enumerate(lines) if line.strip(" \t") and not line.startswith(indent)), len(lines)
    )
    block = without_end("\n".join(line[len(indent) :] for line in lines[:end]))
    return block if style == "|" else re.sub(r"(?<=[^ \t\n])\n(?=[^ \t\n])", " ", block)
