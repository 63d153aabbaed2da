"""The command ``evaluate``: runs an agent on a suite or an evaluation of the hub, and sets the exit code, for CI."""

import json
import os
import re
import signal
import sys
import time
import traceback
from typing import Any, Callable, Dict, List, Mapping, NoReturn, Optional, Sequence, Tuple

from urllib.parse import urlencode, urlsplit

from ..challenge import ChallengeError
from ..hub import Hub
from ..keys import Key
from ..sending import HubError, send
from .cache import Cached
from .connection import Connection, NotPossible, no_hub
from .failed_reports import write_failed_reports
from .find_suite import find_suite
from .judges import Judges, open_judges
from .matrix import read_matrix, without_matrix
from .key_file import KeyFileFault, open_key_file
from ._flags import USAGE
from .options import Options, UsageFault, parse_options, read_headers, warnings_of
from .printed import shown
from .programs import EachTime, Once, ProgramFault, environment_of, require_program
from .resume import find_open_run
from .run import (
    Agent,
    Run,
    Suite,
    cancel,
    check_baseline,
    failure_text,
    finish,
    order,
    regrade,
    report_path,
)
from .try_agent import try_program, try_target
from .watch import changed_in, file_state, state_of, wait_for_change

_HELD, _FELL_SHORT, _NOT_POSSIBLE, _WRONG_FLAGS = range(4)
_EXIT_CODES = {"held": _HELD, "fell_short": _FELL_SHORT, "not_possible": _NOT_POSSIBLE}
_NO_OUTCOME = (
    "The report does not say whether the bars held. "
    "Check that nothing between this machine and the hub changes it."
)
_PROGRESS_EVERY = 10
_BAR_WIDTH = 30
_SAY_EVERY_S = 60.0
_DISTURBED_MAX = 2
"""Runs in a row during which watched files changed. An agent that writes among them would be run without end."""

Environment = Mapping[str, str]


class Interrupted(NotPossible):
    """A signal ended the command."""


def evaluate_command(words: Sequence[str], environment: Environment) -> int:
    """Returns the exit code: 0 all bars held, 1 one fell short, 2 the run was not possible, 3 wrong flags."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    if "--help" in words or "-h" in words:
        sys.stdout.write(USAGE)
        return _HELD
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    options: Optional[Options] = None
    try:
        options = parse_options(words, environment)
        if "matrix" in options:
            return _evaluate_matrix(options, without_matrix(words), environment)
        if "watch" in options:
            return _evaluate_again(options, environment)
        return _EXIT_CODES[_evaluate_with(options, environment, {})[0]]
    except Exception as error:
        return _report_fault(error, options or {}, environment)


def _report_fault(error: Exception, options: Options, environment: Environment) -> int:
    """Returns the exit code."""
    message = _explain(error)
    if message is None:
        traceback.print_exc()
        message = f"{type(error).__name__}: {error}"
    print(shown(f"error: {message}"), file=sys.stderr, flush=True)
    write_failed_reports(options, environment.get("GITHUB_STEP_SUMMARY"), message)
    if "json" in options:
        _print_json({"outcome": "not_possible", "error": message})
    return _WRONG_FLAGS if isinstance(error, UsageFault) else _NOT_POSSIBLE


def _evaluate_matrix(options: Options, words: Sequence[str], environment: Environment) -> int:
    """Returns the exit code of the run that did worst."""
    # Before anything is run.
    columns = read_matrix(options["matrix"]).items()
    runs = {label: parse_options([*words, *own, f"--label={label}"], environment) for label, own in columns}
    run_before: List[str] = []
    for label, chosen in runs.items():
        if chosen.get("only") in ("failed", "errors") and chosen.get("baseline", "latest") in run_before:
            raise UsageFault(
                f"--only {chosen['only']} in a matrix needs --baseline with another run or label. "
                f"Otherwise {label} asks what became of a label before it."
            )
        run_before += ["latest", f"branch:{label}"]
    exit_code, done, suite = _HELD, [], ""
    for label, chosen in runs.items():
        print(f"== {label}", file=sys.stderr, flush=True)
        try:
            outcome, run = _evaluate_with(chosen, environment, {})
            exit_code = max(exit_code, _EXIT_CODES[outcome])
            suite = run["suite"]["name"]
            done.append(label)
        except Exception as error:
            exit_code = _report_fault(error, {}, environment)
            if _is_stopped():
                return exit_code
    if len(done) < 2:
        raise NotPossible("Fewer than two runs ended, so there is no table.")
    hub = _connect(options, environment)
    _print_matrix(hub, suite, ",".join(done), "json" if "json" in options else "md")
    return exit_code


def _print_matrix(hub: Connection, suite: str, labels: str, form: str) -> None:
    """The cases of a suite by label, and the page that shows them."""
    query = urlencode({"labels": labels, "format": form})
    path = f"/v1/suites/{suite}/matrix?{query}"
    if form == "json":
        _print_json(hub.ask("GET", path))
    else:
        print(shown(hub.ask_text(path)), flush=True)
    print(shown(f"{hub.url}/suites/{suite}/matrix?{urlencode({'q': labels})}"), file=sys.stderr)


def _evaluate_again(options: Options, environment: Environment) -> int:
    """Each run is compared with the one before, unless ``--baseline`` names another. Returns the exit code of the last
    one.
    """
    paths = [options[name] for name in ("suite-file", "import") if name in options] + options["watch"]
    own = [options[name] for name in ("cache", "junit", "markdown", "trace") if name in options]
    if not paths:
        raise UsageFault("--watch needs --suite-file, --import or a PATH.")
    compared = options
    disturbed = 0
    while True:
        named: Dict[str, str] = {}
        """Those that the suite names, as far as they were read."""
        state = state_of(paths, own)
        try:
            outcome, run = _evaluate_with(compared, environment, named)
            exit_code = _EXIT_CODES[outcome]
            compared = {"baseline": run["id"], **options}
        except Exception as error:
            exit_code = _report_fault(error, options, environment)
            if isinstance(error, UsageFault) or _is_stopped():
                return exit_code

        def look() -> List[str]:
            return state_of(paths, own) + [file_state(path) for path in named]

        before, after = state + list(named.values()), look()
        changed = changed_in(before, after)
        disturbed = 0 if changed is None else disturbed + 1
        is_own = disturbed >= _DISTURBED_MAX
        if is_own:
            print(
                shown(
                    f"Files have changed during {disturbed} runs in a row, now {changed}, so this change starts no run. "
                    "If your agent writes it, let it write elsewhere; if not, save it again."
                ),
                file=sys.stderr,
            )
        also = f" and {len(named)} {'file' if len(named) == 1 else 'files'} named there" if named else ""
        print(f"Waiting for changes to {', '.join(paths)}{also}. Press Ctrl-C to stop.", file=sys.stderr, flush=True)
        sys.stdout.flush()
        try:
            wait_for_change(look, after if is_own else before)
        except Interrupted:
            return exit_code


def _is_stopped() -> bool:
    return signal.getsignal(signal.SIGINT) is not _stop


def _stop(*_: Any) -> NoReturn:
    # A second signal ends the process at once.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    raise Interrupted("Interrupted.")


def _evaluate_with(options: Options, environment: Environment, named: Dict[str, str]) -> Tuple[str, Run]:
    """Returns the outcome, as the hub decides it, and the run."""
    # Before anything is paid for.
    for flag in ("junit", "markdown", "trace"):
        if flag in options and not _is_endpoint(options[flag]):
            _write(flag, options[flag], "a", "")
    if "cache" in options:
        try:
            os.makedirs(options["cache"], exist_ok=True)
        except OSError as error:
            raise _cannot_write("cache", options["cache"], error) from None
    trace_headers = dict(read_headers("TRACE_HEADERS", environment))
    hub = _connect(options, environment)
    agent: Optional[Agent] = None
    judges: Optional[Judges] = None
    try:
        suite = find_suite(hub, options, named)
        check_baseline(hub, options, suite)
        if suite is not None:
            judges = open_judges(hub, options, environment, suite, _say_once())
        agent = _start_agent(options, environment, hub.token or "")
        opened = find_open_run(hub, options, suite)
        run = _start_run(hub, options, suite, agent) if opened is None else opened
        done = run["progress"]
        state = "has started" if opened is None else f"goes on after {done['done']} of {done['total']}"
        print(shown(f"Run {run['id']} of {run['suite']['name']} {state}."), file=sys.stderr, flush=True)
        cached = _cached(options, agent)
        try:
            ended = finish(hub, options, run, cached or agent, _show_progress())
        except Exception as error:
            message = _explain(error)
            if agent is not None:
                agent.close()
            if sys.stderr.isatty():
                print(file=sys.stderr)  # Below the bar.
            if isinstance(error, Interrupted) and "resume" in options:
                stays = f"The run stays open: --resume {run['id']} continues it."
                raise NotPossible(f"{message} {stays}") from None
            cancelled = cancel(hub, run)
            if message is None:
                raise
            raise NotPossible(f"{message} {cancelled}") from None
        if ended["status"] == "failed":
            raise NotPossible(failure_text(ended))
        if judges is not None:
            _judge(judges, run)
        summary_file = environment.get("GITHUB_STEP_SUMMARY")

        def read(form: str) -> str:
            return hub.ask_text(report_path(ended, options, form))

        outcome = _report(options, summary_file, read)
        for warning in warnings_of(options):
            print(f"Warning: {warning}", file=sys.stderr, flush=True)
        if "trace" in options:
            _write_trace(options["trace"], read("otlp"), trace_headers)
        if cached is not None:
            print(
                f"{cached.kept} of {cached.all} replies came from the cache {options['cache']}.",
                file=sys.stderr,
            )
        if "compare-label" in options:
            try:
                _print_matrix(hub, run["suite"]["name"], f"{options['compare-label']},{options['label']}", "md")
            except HubError as error:
                if error.code != "run_not_found":
                    raise
                print(shown(f"There is no table. {error.message}"), file=sys.stderr)  # The first run with a label.
        return outcome, run
    finally:
        if agent is not None:
            agent.close()
        if judges is not None:
            judges.close()
        if "key" in options:
            _log_out(hub)


def _judge(judges: Judges, run: Run) -> None:
    try:
        judges.judge(run["id"], _show_progress())
    except Exception as error:
        message = _explain(error)
        if sys.stderr.isatty():
            print(file=sys.stderr)
        if message is None:
            raise
        stored = f"The replies are stored: --resume {run['id']} asks the judges again."
        raise NotPossible(f"{message} {stored}") from None


def _cached(options: Options, agent: Optional[Agent]) -> Optional[Cached]:
    if agent is None or "cache" not in options:
        return None
    return Cached(options["cache"], [options.get("label"), options["cmd"]], agent)


def _start_run(hub: Connection, options: Options, suite: Optional[Suite], agent: Optional[Agent]) -> Run:
    if "regrade" in options:
        if suite is None:
            raise UsageFault("--regrade needs --suite, --suite-file or --import. Only suites have versions.")
        return regrade(hub, options, suite)
    if agent is not None:
        try_program(options, agent, suite)
    target = None if options["target"] is None else try_target(hub, options["target"], suite)
    say = _say_once()
    return order(hub, {**options, "target": target}, suite, lambda refusal: say(refusal.message))


def _log_out(hub: Connection) -> None:
    """Otherwise every run in CI would leave a token behind."""
    try:
        own = [token for token in hub.ask("GET", "/v1/agents/me/tokens")["tokens"] if token["current"]]
        for token in own:
            hub.ask("DELETE", f"/v1/agents/me/tokens/{token['id']}")
    except (HubError, NotPossible):
        pass  # The result counts, and the agent can revoke the token later.


def _connect(options: Options, environment: Environment) -> Connection:
    # Pasted values often end with a line break.
    url = (options.get("hub") or environment.get("HUB_URL") or "").strip().rstrip("/")
    if url == "":
        raise NotPossible("There is no hub. Set HUB_URL, or add --hub URL.")
    if not re.fullmatch(r"https?://\S+", url):
        raise NotPossible("HUB_URL must be an http or https URL.")
    if "key" not in options:
        token = environment.get("HUB_TOKEN", "").strip()
        if token == "":
            raise NotPossible("There is no token. Set HUB_TOKEN, or add --key FILE.")
        # The error of a request would quote it.
        if not re.fullmatch(r"[!-~]+", token):
            raise NotPossible(
                "HUB_TOKEN has a character that no token has, such as a space or a line break. Set it anew."
            )
        return Connection(url, token)
    try:
        key, handle = open_key_file(url, options["key"], options.get("handle"))
        return Connection(url, _log_in(url, options, handle, key))
    except OSError as error:
        if error.filename is not None:
            raise
        raise no_hub(url, error) from None


def _log_in(url: str, options: Options, handle: str, key: Key) -> Optional[str]:
    try:
        return Hub.log_in(url, handle=handle, key=key).token
    except HubError as error:
        # The key was stored, but its sign-up never reached the hub.
        if "handle" not in options or error.code != "unknown_handle":
            raise
        return Hub.sign_up(url, handle=handle, key=key).token
    except ChallengeError as error:
        if error.field != "public_key":
            raise
        raise NotPossible(
            f"{options['key']} of --key is not the key of {handle}: the hub at {url} has another one. "
            "Name the file with that key, or another agent with --handle."
        ) from None


def _start_agent(options: Options, environment: Environment, token: str) -> Optional[Agent]:
    if "cmd" not in options:
        return None
    own = environment_of(environment, token)
    require_program(options["cmd"], own)
    kind = Once if "serve" in options else EachTime
    return kind(options["cmd"], timeout_s=options.get("timeout"), environment=own)


def _say_once() -> Callable[[str], None]:
    """Says why a run waits, for a place or for its judge, at most once a minute."""
    said_at = -_SAY_EVERY_S

    def say(reason: str) -> None:
        nonlocal said_at
        if time.monotonic() - said_at >= _SAY_EVERY_S:
            said_at = time.monotonic()
            print(shown(f"Waiting: {reason}"), file=sys.stderr, flush=True)

    return say


def _show_progress() -> Callable[[int, int], None]:
    """A bar on a terminal, one line per ten items elsewhere."""
    shown = 0

    def show(done: int, total: int) -> None:
        nonlocal shown
        if done <= shown:
            return
        if sys.stderr.isatty():
            filled = round(done / total * _BAR_WIDTH)
            bar = f"[{'█' * filled}{'░' * (_BAR_WIDTH - filled)}] {done}/{total}"
            print(f"\r{bar}", end="\n" if done == total else "", file=sys.stderr, flush=True)
        elif done // _PROGRESS_EVERY > shown // _PROGRESS_EVERY or done == total:
            print(f"{done}/{total}", file=sys.stderr, flush=True)
        shown = done

    return show


def _report(options: Options, summary_file: Optional[str], read: Callable[[str], str]) -> str:
    """
    :param read: returns the report of the hub in a format
    """
    decided = json.loads(read("json"))
    if decided.get("outcome") not in _EXIT_CODES:
        raise NotPossible(_NO_OUTCOME)
    if "junit" in options:
        _write("junit", options["junit"], "w", read("junit"))
    if "markdown" in options or summary_file:
        text = read("markdown")
        if "markdown" in options:
            _write("markdown", options["markdown"], "w", text)
        if summary_file:  # GitHub collects what the steps of a job append.
            _write("markdown", summary_file, "a", text)
    if "json" in options:
        _print_json(decided)
    else:
        sys.stdout.write(shown(read("text")))
    outcome: str = decided["outcome"]
    return outcome


def _is_endpoint(destination: str) -> bool:
    return destination.startswith(("http://", "https://"))


def _write_trace(destination: str, exported: str, headers: Dict[str, str]) -> None:
    if not _is_endpoint(destination):
        return _write("trace", destination, "w", exported)
    url = urlsplit(destination)
    if url.path in ("", "/"):
        url = url._replace(path="/v1/traces")
    for body in filter(None, exported.split("\n")):
        try:
            send("POST", url.geturl(), token=None, body=body, content_type="application/json", headers=headers)
        except HubError as error:
            why = f"It responded with status {error.status}."
            raise NotPossible(f"The run has ended, but --trace {url.geturl()} failed. {why}") from None
        except OSError as error:
            raise NotPossible(f"The run has ended, but --trace {url.geturl()} failed. {error}") from None


def _write(flag: str, path: str, mode: str, text: str) -> None:
    try:
        with open(path, mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise _cannot_write(flag, path, error) from None


def _cannot_write(flag: str, path: str, error: OSError) -> NotPossible:
    return NotPossible(f"--{flag}: {path} cannot be written: {error.strerror}.")


def _print_json(value: Any) -> None:
    print(json.dumps(value, indent=2))


_TOKEN_ADVICE = (
    "It has expired, or belongs to another hub. Set HUB_TOKEN to another one, or add --key FILE, which logs in each "
    "time."
)


def _advice_in(error: HubError) -> str:
    """Drops sentences that name an operation of the API."""
    advice = _TOKEN_ADVICE if error.status == 401 else error.hint
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z`])", f"{error.message} {advice}".strip())
    return " ".join(one for one in sentences if not re.search(r"\b(?:GET|POST|PUT|PATCH|DELETE) /v1/", one))


def _explain(error: BaseException) -> Optional[str]:
    """What went wrong, for errors that a user can fix."""
    if isinstance(error, HubError):
        return _advice_in(error)
    if isinstance(error, (UsageFault, NotPossible, ProgramFault, KeyFileFault, ChallengeError, OSError)):
        return str(error)
    return None
