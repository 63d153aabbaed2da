"""Reads the flags of ``evaluate``, and checks their values."""

import difflib
import re
import unicodedata
from typing import Any, Dict, List, Mapping, NoReturn, Optional, Sequence, Tuple

from ._flags import FIELDS, FLAGS

_HEADERS_MAX = 5
_HEADERS_VARIABLE = "TARGET_HEADERS"
_QUOTE_MAX = 60
_BARE = ("switch", "paths")
"""Kinds of flags that may have no value."""

Options = Dict[str, Any]
"""The flags that were given, by name, with ``product``, ``concurrency`` and ``target``, which is None if a program
answers."""


class UsageFault(Exception):
    """A flag or a value that cannot be used. The message names the flag, the rule and the way out."""


def parse_options(words: Sequence[str], environment: Mapping[str, str]) -> Options:
    """
    :raises UsageFault:
    """
    given = _read_words(words)
    _require_one(given, ("suite", "suite-file", "import", "product"), "to say what to run")
    _require_one(given, ("cmd", "target", "regrade", "matrix"), "to say what your agent is")
    for name in given:
        _check_company(given, name)
    if given.get("product") == "agent-run" and "cmd" in given and "serve" not in given:
        raise UsageFault(
            "--cmd answers one prompt, but --product agent-run needs an agent that calls tools. "
            "Add --serve, or use --target."
        )
    options = {"product": "suite-run", "concurrency": 4, **given}
    return {**options, "target": _read_target(options, environment)}


def warnings_of(options: Options) -> List[str]:
    """What is allowed, but may be a mistake."""
    score = options.get("min-score", 0)
    if not 0 < score <= 1:
        return []
    shown = shown_number(score)
    return [f"--min-score {shown} is a score from 0 to 100. For a share from 0 to 1, use --min-pass {shown}."]


def order_of(options: Options) -> Dict[str, Any]:
    """The fields of the redemption that were given."""
    return {name.replace("-", "_"): options[name] for name in FIELDS if name in options}


def shown_number(number: float) -> str:
    return f"{number:.6f}".rstrip("0").rstrip(".")


def _proposal(given: str) -> str:
    """The flag that is probably meant."""
    nearest = difflib.get_close_matches(given[:40], FLAGS, 1, 0.75)
    return f" Did you mean --{nearest[0]}?" if nearest else ""


def _read_words(words: Sequence[str]) -> Dict[str, Any]:
    texts: Dict[str, List[str]] = {}
    rest = list(words)
    while rest:
        head, separator, value = rest.pop(0).partition("=")
        name = head[2:]
        if not head.startswith("--") or name not in FLAGS:
            raise UsageFault(f"There is no flag {_quote(head)}.{_proposal(head.lstrip('-'))} `evaluate --help` lists the flags.")
        flag = FLAGS[name]
        if flag["kind"] == "switch" and separator:
            raise UsageFault(f"--{name} takes no value. Write --{name}.")
        if name in texts and flag["kind"] not in (*_BARE, "list"):
            raise UsageFault(f"--{name} is given twice. Give it once.")
        values = [value] if separator else []
        if flag["kind"] == "paths":
            while not separator and rest and not rest[0].startswith("--"):
                values.append(rest.pop(0))
        elif flag["kind"] != "switch" and not separator:
            is_last = not rest or rest[0].startswith("--")
            values = [flag.get("bare", "") if is_last else rest.pop(0)]
        if "" in values or (not values and flag["kind"] not in _BARE):
            way_out = f"Write --{name} VALUE, or --{name}=VALUE if it begins with --. A variable that is not set gives none."
            raise UsageFault(f"--{name} needs a value. {way_out}")
        texts[name] = texts.get(name, []) + values
    return {name: _read_value(name, values, "target" in texts) for name, values in texts.items()}


def _read_value(name: str, values: List[str], has_target: bool) -> Any:
    flag = FLAGS[name]
    kind = flag["kind"]
    if kind == "switch":
        return True
    if kind in ("list", "paths"):
        return values
    text = values[0]

    def refuse(rule: str) -> NoReturn:
        raise UsageFault(f"--{name} must {rule}, but is {_quote(text)}.")

    if kind == "line":
        if len(text) > flag["most"] or text.strip() == "" or any(map(_is_control, text)):
            raise UsageFault(f"--{name} must have 1 to {flag['most']} characters on one line. Shorten it.")
    elif kind == "whole":
        least, most = flag["target"] if has_target and "target" in flag else (flag["least"], flag["most"])
        if not (re.fullmatch(r"[0-9]{1,4}", text) and least <= int(text) <= most):
            refuse(f"be a whole number from {least} to {most}")
        return int(text)
    elif kind == "decimal":
        if not (re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", text) and float(text) <= flag["most"]):
            refuse(f"be a number from 0 to {flag['most']}, such as {flag['example']}")
        return float(text)
    elif kind == "choice":
        if text not in map(str, flag["values"]):
            refuse(f"be one of {', '.join(map(str, flag['values']))}")
        return next(value for value in flag["values"] if str(value) == text)
    elif kind == "pattern" and not re.search(flag["pattern"], text, re.ASCII):
        refuse(flag["rule"])
    return text


def _read_target(given: Mapping[str, Any], environment: Mapping[str, str]) -> Optional[Dict[str, Any]]:
    headers = given.get("header", [])
    if "target" not in given:
        return None
    named = [_read_header(text, "--header must be") for text in headers]
    named += read_headers(_HEADERS_VARIABLE, environment)
    count = len(named)
    if count > _HEADERS_MAX:
        raise UsageFault(
            f"A target takes {_HEADERS_MAX} headers, but --header and {_HEADERS_VARIABLE} give {count}. Omit some."
        )
    return {
        "url": given["target"],
        "concurrency": given["concurrency"],
        **{name: given[name] for name in ("protocol", "model") if name in given},
        **({"headers": dict(named)} if named else {}),
        **({"timeout_s": given["timeout"]} if "timeout" in given else {}),
    }


def _check_company(given: Mapping[str, Any], name: str) -> None:
    """Checks the flags that this one needs and excludes."""
    needs = FLAGS[name].get("needs", [])
    if needs and not any(other in given for other in needs):
        added = "it" if len(needs) == 1 else "one"
        raise UsageFault(f"--{name} needs --{' or --'.join(needs)}. Add {added}, or omit --{name}.")
    for other in FLAGS[name].get("excludes", []):
        if other in given:
            raise UsageFault(f"--{name} cannot be combined with --{other}. Omit one of them.")


def read_headers(variable: str, environment: Mapping[str, str]) -> List[Tuple[str, str]]:
    """Headers from a variable of the environment, one on each line. Other users of the machine cannot see them."""
    lines = [line.strip() for line in environment.get(variable, "").split("\n")]
    return [_read_header(line, f"Each line of {variable} must be") for line in lines if line != ""]


def _read_header(text: str, rule: str) -> Tuple[str, str]:
    """The value is a secret, so it is not repeated."""
    found = re.fullmatch(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(\S.*)", text)
    if found is None:
        raise UsageFault(f"{rule} a name and a value, such as 'authorization: Bearer …'.")
    return found[1], found[2]


def _require_one(given: Mapping[str, Any], names: Sequence[str], purpose: str) -> None:
    found = [f"--{name}" for name in names if name in given]
    if len(found) != 1:
        flags = ", ".join(f"--{name}" for name in names)
        raise UsageFault(f"Give exactly one of {flags} {purpose}. Found: {' and '.join(found) or 'None'}.")


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Cs")


def _quote(text: str) -> str:
    shown = "".join("?" if _is_control(character) else character for character in text)
    return f"`{shown}`" if len(shown) <= _QUOTE_MAX else f"`{shown[:_QUOTE_MAX]}…`"
