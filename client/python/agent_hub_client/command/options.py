"""The flags of ``evaluate`` and the rules for their values."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple, TypeVar

USAGE = """\
Usage: evaluate (--suite @OWNER/NAME | --suite-file FILE | --product eval-run|agent-run)
                (--cmd COMMAND [--serve] | --target URL) [options]

Runs your agent on a suite of cases or on the hub's own evaluation, and sets the exit code.

What to run:
  --suite @OWNER/NAME   a published suite
  --suite-file FILE     a suite as YAML, JSON or JSONL: checked, published if it has changed, and run
  --product NAME        eval-run or agent-run, the hub's own evaluations
  --trials N            replies to each case, 1 to 8
  --only CASES          some cases of a suite: failed or errors in --baseline (default: the latest run), ID,ID,
                        tag:NAME, or /PATTERN/ for their ids
  --limit N             at most N cases of a suite, the first ones
  --label TEXT          name of the run, such as the branch; at most 64 characters
  --resume [RUN]        go on with an open run whose client has ended: its id, or the newest of the same suite and
                        label; without one, a new run starts. With this flag, an interrupted run stays open.

Your agent:
  --cmd COMMAND         started by `sh -c` for each case: the prompt on stdin, the reply on stdout
  --serve               start the command once: a JSON line for each case on stdin, and for each reply on stdout
  --target URL          an agent that the hub can reach, called by the hub
  --protocol NAME       of the target: hub, openai-chat, openai-responses, anthropic-messages or a2a (default: detected)
  --model NAME          sent to the target
  --header 'NAME: TEXT' sent to the target; up to 5 times. Other users of the machine can see it, so put secrets in
                        TARGET_HEADERS, one NAME: TEXT on each line
  --concurrency N       cases at the same time, 1 to 64, with --target 1 to 8 (default: 4)
  --timeout SECONDS     time for a reply, 1 to 600, with --target 10 to 600 (default: as the suite says, or 60)

When to fail:
  --min-pass SHARE      lowest pass rate, 0 to 1
  --min-score SCORE     lowest score, 0 to 100
  --baseline RUN        compare with a run: its id, latest, or branch:LABEL for the newest with that label
  --fail-on WHAT        broken: a case that passed in the baseline fails; worse: the run is clearly worse
  --min-compared SHARE  lowest share of cases that --fail-on can compare, 0 to 1 (default: 0.5)

Reports:
  --junit FILE          write JUnit XML
  --markdown FILE       write a summary for a pull request; it is also added to $GITHUB_STEP_SUMMARY
  --json                print the result as JSON

The hub:
  --hub URL             address of the hub (default: HUB_URL)
  --key FILE            key of the agent, to log in with instead of HUB_TOKEN
  --handle NAME         handle of the agent, if FILE does not name it; if there is no FILE, a new agent is signed up

Exit codes: 0 all bars held, 1 a bar fell short, 2 the run was not possible, 3 wrong flags.
"""

_SWITCHES = ("serve", "json")
_VALUED = (
    "suite",
    "suite-file",
    "product",
    "trials",
    "only",
    "limit",
    "label",
    "resume",
    "cmd",
    "target",
    "protocol",
    "model",
    "header",
    "concurrency",
    "timeout",
    "min-pass",
    "min-score",
    "baseline",
    "fail-on",
    "min-compared",
    "junit",
    "markdown",
    "hub",
    "key",
    "handle",
)
_PROTOCOLS = ("hub", "openai-chat", "openai-responses", "anthropic-messages", "a2a")
_HEADERS_MAX = 5
_HEADERS_VARIABLE = "TARGET_HEADERS"
_LABEL_MAX = 64
_QUOTE_MAX = 60
_RUN_ID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"

Value = TypeVar("Value")
Given = Mapping[str, str]


class UsageFault(Exception):
    """A flag or a value that cannot be used. The message names the flag, the rule and the way out."""


@dataclass(frozen=True)
class Options:
    product: str
    suite: Optional[str]
    """For ``suite-run``: this or ``suite_file``."""
    suite_file: Optional[str]
    trials: Optional[int]
    only: Optional[str]
    """Which cases, as the hub reads it."""
    limit: Optional[int]
    label: Optional[str]
    resume: Optional[str]
    """The open run to take up: ``latest``, or its id. None: a new run."""
    command: Optional[str]
    """None if the hub calls ``target``."""
    serve: bool
    target: Optional[Dict[str, Any]]
    concurrency: int
    timeout_s: Optional[int]
    min_pass: Optional[float]
    min_score: Optional[float]
    baseline: Optional[str]
    """``latest``, ``branch:NAME`` or the id of a run."""
    fail_on: Optional[str]
    min_compared: Optional[float]
    junit: Optional[str]
    markdown: Optional[str]
    json: bool
    hub: Optional[str]
    key: Optional[str]
    handle: Optional[str]


def parse_options(words: Sequence[str], environment: Mapping[str, str]) -> Options:
    """
    :raises UsageFault:
    """
    given, headers, on = _read_words(words)
    suite = given.get("suite")
    _require_one(given, ("suite", "suite-file", "product"), "to say what to run")
    _require_one(given, ("cmd", "target"), "to say what your agent is")
    if suite is not None and not re.fullmatch(r"@[a-z0-9-]{3,24}/[a-z0-9-]{3,64}", suite):
        raise UsageFault(f"--suite must be @OWNER/NAME, such as @ada/refund-desk, but is {_quote(suite)}.")
    product = _optional(given, "product", _one_of(("eval-run", "agent-run"))) or "suite-run"
    for name in ("only", "limit"):
        if product != "suite-run" and name in given:
            raise UsageFault(f"--{name} chooses cases of a suite, and an {product} asks all of its own. Omit it.")
    command, serve = given.get("cmd"), "serve" in on
    if serve and command is None:
        raise UsageFault("--serve needs --cmd. Add --cmd, or omit --serve.")
    if product == "agent-run" and command is not None and not serve:
        raise UsageFault(
            "--cmd answers one prompt, but --product agent-run needs an agent that calls tools. "
            "Add --serve, or use --target."
        )
    baseline = _optional(given, "baseline", _baseline)
    fail_on = _optional(given, "fail-on", _one_of(("broken", "worse")))
    if fail_on is not None and baseline is None:
        raise UsageFault(f"--fail-on {fail_on} needs a run to compare with. Add --baseline latest.")
    if fail_on is None and "min-compared" in given:
        raise UsageFault("--min-compared needs --fail-on. Add --fail-on broken, or omit it.")
    concurrency = _optional(given, "concurrency", _whole(1, 8 if command is None else 64)) or 4
    timeout_s = _optional(given, "timeout", _whole(10 if command is None else 1, 600))
    return Options(
        product=product,
        suite=suite,
        suite_file=given.get("suite-file"),
        trials=_optional(given, "trials", _whole(1, 8)),
        only=given.get("only"),
        limit=_optional(given, "limit", _whole(1, 2_000)),
        label=_optional(given, "label", _label),
        resume=_optional(given, "resume", _resume),
        command=command,
        serve=serve,
        target=_read_target(given, headers, environment, concurrency, timeout_s),
        concurrency=concurrency,
        timeout_s=timeout_s,
        min_pass=_optional(given, "min-pass", _decimal(1, "0.9")),
        min_score=_optional(given, "min-score", _decimal(100, "70")),
        baseline=baseline,
        fail_on=fail_on,
        min_compared=_optional(given, "min-compared", _decimal(1, "0.5")),
        junit=given.get("junit"),
        markdown=given.get("markdown"),
        json="json" in on,
        hub=_optional(given, "hub", _address),
        key=given.get("key"),
        handle=given.get("handle"),
    )


def shown_number(number: float) -> str:
    return f"{number:.6f}".rstrip("0").rstrip(".")


def _read_words(words: Sequence[str]) -> Tuple[Dict[str, str], List[str], Set[str]]:
    given: Dict[str, str] = {}
    headers: List[str] = []
    on: Set[str] = set()
    rest = list(words)
    while rest:
        flag, separator, value = rest.pop(0).partition("=")
        name = flag[2:]
        if not flag.startswith("--") or name not in _SWITCHES + _VALUED:
            raise UsageFault(f"There is no flag {_quote(flag)}. `evaluate --help` lists the flags.")
        if name in _SWITCHES:
            if separator:
                raise UsageFault(f"--{name} takes no value. Write --{name}.")
            on.add(name)
            continue
        if not separator:
            is_bare = name == "resume" and (not rest or rest[0].startswith("--"))
            value = "latest" if is_bare else rest.pop(0) if rest else ""
        if value == "":
            raise UsageFault(f"--{name} needs a value. Write --{name} VALUE.")
        if name == "header":
            headers.append(value)
        elif name in given:
            raise UsageFault(f"--{name} is given twice. Give it once.")
        else:
            given[name] = value
    return given, headers, on


def _read_target(
    given: Given,
    headers: Sequence[str],
    environment: Mapping[str, str],
    concurrency: int,
    timeout_s: Optional[int],
) -> Optional[Dict[str, Any]]:
    if "target" not in given:
        needing = [name for name in ("protocol", "model") if name in given] + (["header"] if headers else [])
        if needing:
            raise UsageFault(f"--{needing[0]} needs --target. Use --target instead of --cmd, or omit it.")
        return None
    secret = [line.strip() for line in environment.get(_HEADERS_VARIABLE, "").split("\n") if line.strip() != ""]
    count = len(headers) + len(secret)
    if count > _HEADERS_MAX:
        raise UsageFault(
            f"A target takes {_HEADERS_MAX} headers, but --header and {_HEADERS_VARIABLE} give {count}. Omit some."
        )
    target: Dict[str, Any] = {"url": _address("target", given["target"]), "concurrency": concurrency}
    protocol = _optional(given, "protocol", _one_of(_PROTOCOLS))
    if protocol is not None:
        target["protocol"] = protocol
    if "model" in given:
        target["model"] = given["model"]
    if count > 0:
        target["headers"] = dict(
            [_read_header(text, "--header must be") for text in headers]
            + [_read_header(text, f"Each line of {_HEADERS_VARIABLE} must be") for text in secret]
        )
    if timeout_s is not None:
        target["timeout_s"] = timeout_s
    return target


def _read_header(text: str, rule: str) -> Tuple[str, str]:
    """The value is a secret, so it is not repeated."""
    found = re.fullmatch(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(\S.*)", text)
    if found is None:
        raise UsageFault(f"{rule} a name and a value, such as 'authorization: Bearer …'.")
    return found[1], found[2]


def _require_one(given: Given, names: Sequence[str], purpose: str) -> None:
    found = [f"--{name}" for name in names if name in given]
    if len(found) != 1:
        flags = ", ".join(f"--{name}" for name in names)
        raise UsageFault(f"Give exactly one of {flags} {purpose}. Found: {' and '.join(found) or 'None'}.")


def _optional(given: Given, name: str, read: Callable[[str, str], Value]) -> Optional[Value]:
    return read(name, given[name]) if name in given else None


def _baseline(_: str, text: str) -> str:
    if text == "latest" or re.fullmatch(_RUN_ID, text):
        return text
    if text.startswith("branch:"):
        _label("baseline branch:NAME", text[len("branch:") :])
        return text
    raise UsageFault(f"--baseline must be latest, branch:NAME or the id of a run, but is {_quote(text)}.")


def _resume(_: str, text: str) -> str:
    if text == "latest" or re.fullmatch(_RUN_ID, text):
        return text
    raise UsageFault(
        f"--resume must be the id of a run, but is {_quote(text)}. Without a value, it takes the newest one."
    )


def _label(name: str, text: str) -> str:
    if 1 <= len(text) <= _LABEL_MAX and text.strip() != "" and not any(map(is_control, text)):
        return text
    raise UsageFault(f"--{name} must have 1 to {_LABEL_MAX} characters on one line. Shorten it.")


def _one_of(values: Sequence[str]) -> Callable[[str, str], str]:
    def read(name: str, text: str) -> str:
        if text in values:
            return text
        raise UsageFault(f"--{name} must be one of {', '.join(values)}, but is {_quote(text)}.")

    return read


def _whole(least: int, most: int) -> Callable[[str, str], int]:
    def read(name: str, text: str) -> int:
        if re.fullmatch(r"[0-9]{1,4}", text) and least <= int(text) <= most:
            return int(text)
        raise UsageFault(f"--{name} must be a whole number from {least} to {most}, but is {_quote(text)}.")

    return read


def _decimal(most: int, example: str) -> Callable[[str, str], float]:
    def read(name: str, text: str) -> float:
        if re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", text) and float(text) <= most:
            return float(text)
        raise UsageFault(
            f"--{name} must be a number from 0 to {most}, such as {example}, but is {_quote(text)}."
        )

    return read


def _address(name: str, text: str) -> str:
    if re.match(r"https?://[^\s/]+", text):
        return text
    raise UsageFault(f"--{name} must be an http or https URL, but is {_quote(text)}.")


def is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Cs")


def _quote(text: str) -> str:
    shown = "".join("?" if is_control(character) else character for character in text)
    return f"`{shown}`" if len(shown) <= _QUOTE_MAX else f"`{shown[:_QUOTE_MAX]}…`"
