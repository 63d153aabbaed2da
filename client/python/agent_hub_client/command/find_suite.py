"""Finds the suite to run: a published one, a file, or a file of another tool; the latter two are published."""

import json
import os
import re
import sys
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple
from urllib.parse import urlencode

from ..sending import HubError
from .connection import Connection, NotPossible
from .files_beside import FilesBeside
from .options import Options, UsageFault
from .printed import shown
from .run import Suite, read_suite

_CONTENT_TYPES = {
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}


def find_suite(hub: Connection, options: Options, named: Dict[str, str]) -> Optional[Suite]:
    """
    :param named: takes the paths of files that the file names, with what they were like when they were read
    """
    if "import" in options:
        file = options["import"]
        text, told = _imported(hub, file, options, named)
        return _publish(hub, text, "application/json", file, named, told)
    if "suite-file" not in options:
        return read_suite(hub, options["suite"], options.get("version")) if "suite" in options else None
    file = options["suite-file"]
    content_type = _CONTENT_TYPES.get(os.path.splitext(file)[1].lower())
    if content_type is None:
        endings = ", ".join(_CONTENT_TYPES)
        raise UsageFault(f"--suite-file must end with one of {endings}, but is {file}. Rename it.")
    return _publish(hub, _read("suite-file", file), content_type, file, named)


def _read(flag: str, file: str) -> str:
    try:
        with open(file, encoding="utf-8", newline="") as opened:
            return opened.read()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise NotPossible(f"--{flag} {file} cannot be read: {reason}. Check the name of the file.") from None


def _publish(
    hub: Connection, text: str, content_type: str, file: str, named: Dict[str, str], told: Sequence[str] = ()
) -> Suite:
    """Unchanged content is the version that there is.

    :param told: warnings about it that were shown
    """
    beside = FilesBeside(file, text)
    published = _or_faults(file, lambda: _send_with_files(hub, "/v1/suites", text, beside, named, content_type))
    state = "published" if published["created"] else "unchanged"
    print(shown(f"{published['ref']} version {published['version']} is {state}."), file=sys.stderr)
    _say_warnings(file, [warning for warning in published["warnings"] if warning not in told])
    lacks = published["lacks"]
    if lacks is not None:
        cases, them = ("case", "it") if lacks["cases"] == 1 else ("cases", "them")
        which = "the one before" if published["created"] else "the newest"
        page = f"{hub.url}/suites/{published['ref']}?version={lacks['version']}"
        note = (
            f"Note: version {lacks['version']}, {which}, has {lacks['cases']} {cases} that {file} lacks, "
            f"so this run does not ask {them}. {page} has {them} as YAML."
        )
        print(shown(note), file=sys.stderr)
    return read_suite(hub, published["ref"], published["version"])


def _imported(hub: Connection, file: str, options: Options, named: Dict[str, str]) -> Tuple[str, List[str]]:
    """Returns the suite as JSON, and warnings about it; what has no counterpart is said on standard error."""
    text = _read("import", file)
    name = options.get("name") or _name_of(file)
    if "name" not in options and "baseline" in options and _is_of_folder(file):
        print(
            f"Warning: The suite is named after its folder, {name}. If a CI names folders after branches, "
            f"each branch has a suite of its own, and no baseline. Add --name {name}.",
            file=sys.stderr,
        )
    query = {"from": options.get("from") or _format_of(file), "name": name}
    query.update({name: options[name] for name in ("map", "grading") if name in options})
    if "keep-ungraded" in options:
        query["ungraded"] = "keep"
    path = f"/v1/suites/import?{urlencode(query)}"
    found = _or_faults(file, lambda: _send_with_files(hub, path, text, FilesBeside(file, text), named))
    for line in _lost_lines(file, found["lost"]):
        print(shown(line), file=sys.stderr)
    _say_warnings(file, found["warnings"])
    count, left_out = len(found["lost"]), found["document"].get("left_out", 0)
    if "strict" in options and count + left_out > 0:
        raise NotPossible(
            f"--strict allows no loss. Constructs without a counterpart: {count}; cases left out: {left_out}. "
            "Nothing was run."
        )
    return json.dumps(found["document"]), found["warnings"]


def _say_warnings(file: str, warnings: Sequence[str]) -> None:
    """What is allowed, but may be a mistake."""
    for warning in warnings:
        print(shown(f"{file}: Warning: {warning}"), file=sys.stderr)


def _lost_lines(file: str, lost: Sequence[Mapping[str, Any]]) -> List[str]:
    """What was lost many times is one line. Assertions come first, because they decide verdicts."""
    groups: Dict[str, List[Mapping[str, Any]]] = {}
    for each in lost:
        groups.setdefault(f"{each['construct']}: {each['why']}", []).append(each)
    lines = []
    for what, every in sorted(groups.items(), key=lambda group: not group[0].startswith("assert")):
        times = f" ({len(every)} times)" if len(every) > 1 else ""
        lines.append(f"{_place_of(file, every[0])}  {what}{times}")
    return lines


def _send_with_files(
    hub: Connection,
    path: str,
    text: str,
    beside: FilesBeside,
    named: Dict[str, str],
    content_type: Optional[str] = None,
) -> Any:
    """Sends the files that a text names until the hub misses none.

    :param content_type: of the text, which is sent alone until the hub misses a file; without it, files are sent too
    """
    alone = content_type is not None
    while True:
        try:
            if alone:
                alone = False
                return hub.ask("POST", path, text, content_type)
            form = {"format": "jsonl"} if content_type == "application/jsonl" else {}
            body = json.dumps({"text": text, **form, "files": beside.answers})
            return hub.ask("POST", path, body, "application/json")
        except HubError as error:
            missing = error.fields.get("missing")
            if not isinstance(missing, list):
                raise
            beside.answer(missing)
            named.update({path: state for path, state in beside.states.items() if path not in named})


def _or_faults(file: str, send: Callable[[], Any]) -> Any:
    try:
        return send()
    except HubError as error:
        faults = error.fields.get("faults")
        if not isinstance(faults, list):
            raise
        lines = [
            f"{_place_of(file, fault)}:{fault['column']}: "
            + (f"{fault['path']}: " if fault["path"] else "")
            + fault["message"]
            for fault in faults
        ]
        raise NotPossible("\n".join(["The suite has faults, so nothing was run.", *lines])) from None


def _place_of(file: str, found: Dict[str, Any]) -> str:
    path = os.path.join(os.path.dirname(file), found["file"]) if "file" in found else file
    return f"{path}:{found['line']}"


def _format_of(file: str) -> str:
    ending = os.path.splitext(file)[1].lower()
    if ending in (".yaml", ".yml"):
        return "promptfoo"
    if ending in (".csv", ".tsv"):
        return "csv"
    raise UsageFault(f"--import {file} does not say which tool wrote it. Add --from.")


def _name_of(file: str) -> str:
    """Most projects have a ``promptfooconfig.yaml``, so the folder tells more."""
    named = os.path.dirname(os.path.abspath(file)) if _is_of_folder(file) else os.path.splitext(file)[0]
    stem = os.path.basename(named)
    name = re.sub(r"[^a-z0-9]+", "-", stem.lower())[:64]
    return name if len(name) >= 3 else f"{name}-suite"


def _is_of_folder(file: str) -> bool:
    return os.path.splitext(os.path.basename(file))[0] == "promptfooconfig"
