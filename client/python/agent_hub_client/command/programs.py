"""Agents that are programs: started for each case, or once and fed with JSON lines."""

import json
import os
import queue
import re
import selectors
import signal
import subprocess
import threading
import time
from typing import IO, Any, Dict, Mapping, Optional, Set, Tuple, Union

from ..evaluate import Case, Reply
from ..reply_fields import UNREAD_CALLS, describe_error, has_other_calls, is_given, storable, text_of
from .printed import redactor, without_colours

_REPLY_BYTES_MAX = 256 * 1024
"""As many as the hub accepts."""
_COMPLAINT_CHARACTERS = 2_000
_SHOWN_LINE_MAX = 100
_LOOK_EVERY_S = 0.2
_NOT_STARTED = (126, 127)
"""Exit codes of ``sh`` for a program that it cannot start."""


class ProgramFault(Exception):
    """Why a program has not replied to a case."""


class ProgramGone(ProgramFault):
    """The agent cannot reply to any further case."""


_HIDDEN = ("HUB_TOKEN", "HUB_KEY", "TARGET_HEADERS", "JUDGE_HEADERS", "TRACE_HEADERS")
"""They have no business with the hub, the target, the judges and the traces."""


def environment_of(environment: Mapping[str, str], token: str) -> Dict[str, str]:
    """What programs may see of the environment."""
    return {name: value for name, value in environment.items() if name not in _HIDDEN and token not in value}


def require_program(
    command: str, environment: Mapping[str, str], *, name: str = "--cmd", folder: Optional[str] = None
) -> None:
    """Finds a misspelt program before a run is spent on it. Only simple commands are checked; ``sh`` reports the
    others.

    :param name: of the flag or the judge that has the command
    """
    found = re.match(r"([\w./-]+)(?:\s|$)", command, re.ASCII)
    program = "sh" if found is None else found[1]
    words = ["sh", "-c", 'command -v "$1"', "sh", program]
    try:
        look = subprocess.run(
            words, env=dict(environment), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except OSError as error:
        raise ProgramGone(_no_shell(error)) from error
    if look.returncode != 0:
        raise ProgramGone(f"The program `{program}` of {name} was not found. Check its name and PATH.")


def _no_shell(error: OSError) -> str:
    return (
        f"Programs need `sh`, which did not start: {error}. Install a POSIX shell and put it on the PATH; "
        "on Windows, use WSL."
    )


class Program:
    def __init__(self, command: str, *, environment: Mapping[str, str], folder: Optional[str] = None) -> None:
        """
        :param folder: where it runs; by default, where this command does
        """
        self._command = command
        self._environment = environment
        self._folder = folder
        self._redact = redactor(environment)
        self._lock = threading.Lock()
        self._running: Set["subprocess.Popen[bytes]"] = set()
        self._closed = False

    def print(self, said: str, seconds: int) -> str:
        """Starts it once. Returns what it prints, without the last line break, which programs add.

        :raises ProgramFault:
        """
        with self._lock:
            if self._closed:
                raise ProgramGone("The program was ended.")
            child = _start(self._command, self._environment, self._folder)
            self._running.add(child)
        try:
            printed, complaints = _converse(child, said.encode("utf-8", "replace"), seconds)
        finally:
            _end_group(child)
            child.wait()
            with self._lock:
                self._running.discard(child)
        if child.returncode != 0:
            kind = ProgramGone if child.returncode in _NOT_STARTED else ProgramFault
            raise kind(_ended_with(child.returncode, self._redact(_last_line(complaints))))
        return re.sub(r"\r?\n\Z", "", printed.decode("utf-8", "replace"))

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for child in self._running:
                _end_group(child)


class EachTime(Program):
    """The prompt goes to stdin, and stdout is the reply. A case with tools or images goes to stdin as JSON, and the
    program may print ``{"tool_calls": […]}``.
    """

    def __init__(self, command: str, *, timeout_s: Optional[int], environment: Mapping[str, str]) -> None:
        super().__init__(command, environment=environment)
        self._timeout_s = timeout_s

    def answer(self, prompt: str, case: Case) -> Reply:
        has_images = any("images" in message for message in case.messages)
        is_text = not _has_tools(case) and not has_images
        said = _transcript_of(prompt, case) if is_text else _line_of(prompt, case)
        reply = clean_text(self.print(said, _seconds_for(case, self._timeout_s)))
        if not _has_tools(case):
            return reply
        return _read_calls(reply) or {"text": reply}


def _has_tools(case: Case) -> bool:
    """Also if its earlier messages have calls, which a transcript cannot show."""
    earlier = case.fields.get("messages") or []
    return bool(case.fields.get("tools")) or any(message.get("role") == "tool" for message in earlier)


class Once:
    """Both directions are JSON lines; replies may come in any order."""

    def __init__(self, command: str, *, timeout_s: Optional[int], environment: Mapping[str, str]) -> None:
        self._timeout_s = timeout_s
        self._redact = redactor(environment)
        self._odd_line = ""
        """The last line that was no reply."""
        self._lock = threading.Condition()
        self._replies: Dict[str, Union[Reply, ProgramFault, None]] = {}
        self._with_tools: Set[str] = set()
        self._gone: Optional[str] = None
        self._child = _start(command, environment)
        self._complaints = b""
        self._lines: "queue.Queue[str]" = queue.Queue()
        for work in (self._write_lines, self._read_complaints, self._read_replies):
            threading.Thread(target=work, daemon=True).start()

    def answer(self, prompt: str, case: Case) -> Reply:
        seconds = _seconds_for(case, self._timeout_s)
        with self._lock:
            slow = _too_slow(seconds) + (_BUSY_NOTE if self._replies else "")
            self._replies[case.case_id] = None
            if _has_tools(case):
                self._with_tools.add(case.case_id)
            try:
                self._lines.put(_line_of(prompt, case))
                self._lock.wait_for(
                    lambda: self._gone is not None or self._replies[case.case_id] is not None,
                    seconds,
                )
                reply = self._replies[case.case_id]
            finally:
                del self._replies[case.case_id]
                self._with_tools.discard(case.case_id)
            if isinstance(reply, ProgramFault):
                raise reply
            if reply is not None:
                return reply
            if self._gone is not None:
                raise ProgramGone(self._gone)
            odd_line = self._odd_line
        form = '{"case_id": "…", "text": "…"}'
        more = "" if odd_line == "" else f" With --serve, each reply is a line such as {form}, but one is {odd_line}"
        raise ProgramFault(slow + more)

    def _write_lines(self) -> None:
        """A program that does not read must not stop anything else."""
        assert self._child.stdin is not None
        try:
            while True:
                self._child.stdin.write(self._lines.get().encode("utf-8") + b"\n")
                self._child.stdin.flush()
        except OSError:
            pass  # It has ended, which the reader of its output reports.

    def _read_replies(self) -> None:
        assert self._child.stdout is not None
        while True:
            line = self._child.stdout.readline(_REPLY_BYTES_MAX + 1)
            if line == b"":
                break
            if len(line) > _REPLY_BYTES_MAX:
                reason = f"The program printed a line of more than {_REPLY_BYTES_MAX} characters."
                self._refuse_line(line.decode("utf-8", "replace"), reason)
                # The rest of it.
                while line != b"" and not line.endswith(b"\n"):
                    line = self._child.stdout.readline(_REPLY_BYTES_MAX)
            elif line.strip() != b"":
                # Progress bars return to the start of their line, and some programs begin with a byte order mark.
                text = line.decode("utf-8", "replace").strip().strip("\ufeff")
                self._take_line(text.split("\r")[-1])
        code = self._child.wait()
        _end_group(self._child)
        self._leave(_ended_with(code, self._redact(_last_line(self._complaints))))

    def _read_complaints(self) -> None:
        assert self._child.stderr is not None
        while True:
            chunk = os.read(self._child.stderr.fileno(), 65_536)
            if chunk == b"":
                return
            self._complaints = (self._complaints + chunk)[-_COMPLAINT_CHARACTERS:]

    def _take_line(self, line: str) -> None:
        read = _read_reply(line)
        if read is None:
            self._refuse_line(line, "The program printed a line that is not JSON.")
            return
        with self._lock:
            case_id, reply = read
            is_text = isinstance(reply, dict) and "tool_calls" not in reply
            if case_id in self._with_tools and is_text and has_other_calls(json.loads(line)):
                reply = ProgramFault(UNREAD_CALLS)
            if case_id in self._replies:
                self._replies[case_id] = reply
                self._lock.notify_all()

    def _refuse_line(self, line: str, reason: str) -> None:
        """A line that is no reply is an error of the case that it names. Other programs write their logs to stdout."""
        named = re.findall(r"[\"']case_id[\"']\s*:\s*[\"']([^\"'\\]{1,200})[\"']", line)
        with self._lock:
            self._odd_line = self._redact(without_colours(line[:_REPLY_BYTES_MAX]))[:_SHOWN_LINE_MAX]
            for case_id in named:
                if case_id in self._replies:
                    self._replies[case_id] = ProgramFault(reason)
            self._lock.notify_all()

    def _leave(self, reason: str) -> None:
        with self._lock:
            self._gone = self._gone or reason
            self._lock.notify_all()
        _end_group(self._child)

    def close(self) -> None:
        self._leave("The program was ended.")


_BUSY_NOTE = " Other cases were open before this one: if the program works on one at a time, add --concurrency 1."
_SECONDS_DEFAULT = 60


def _seconds_for(case: Case, chosen: Optional[int]) -> int:
    """For each reply: as chosen, or as the suite of the case says."""
    return chosen or int(case.fields.get("timeout_s") or _SECONDS_DEFAULT)


def trial_of(case_id: str) -> int:
    """With several trials, the id of a case ends with the number of the trial."""
    trial = re.search(r"/(\d+)\Z", case_id)
    return 1 if trial is None else int(trial[1])


def _line_of(prompt: str, case: Case) -> str:
    """What a program reads of a case."""
    more = {name: case.fields[name] for name in ("system", "tools") if case.fields.get(name) is not None}
    line = {
        "case_id": case.case_id,
        "trial": trial_of(case.case_id),
        "step": case.fields.get("step", 0),
        "prompt": prompt,
        "messages": case.messages,
        **more,
    }
    return json.dumps(line)


def _read_calls(printed: str) -> Optional[Reply]:
    """Returns None for a text."""
    try:
        value = json.loads(printed)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("text"), (str, type(None))):
        return None
    calls, text = value.get("tool_calls"), value.get("text")
    has_calls = is_given(calls)
    has_others = "tool_calls" not in value or has_other_calls(value) or is_given(value.get("error"))
    if not isinstance(calls, list) if has_calls else text is None or has_others:
        return None
    usage = {} if value.get("usage") is None else {"usage": value["usage"]}
    return {"text": text or "", **({"tool_calls": calls} if has_calls else {}), **usage}


def _read_reply(line: str) -> Optional[Tuple[str, Union[Reply, ProgramFault]]]:
    """Returns None for a line that is no reply, and an empty id for one of a log that names its case."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("case_id"), (str, int)):
        return None
    case_id, calls, error = str(value["case_id"]), value.get("tool_calls"), value.get("error")
    has_calls = isinstance(calls, list) and bool(calls)
    said = value.get("content") if value.get("text") is None else value["text"]
    is_log = any(name in value for name in ("level", "severity", "levelname"))
    if is_log and said is None and not is_given(error) and not has_calls:
        return "", ProgramFault("")
    if is_given(error):
        return case_id, ProgramFault(describe_error(error))
    text = text_of(said)
    if text is None and (said is not None or not has_calls):
        return case_id, ProgramFault("The program printed a line without `text`.")
    more = {**({"tool_calls": calls} if has_calls else {}), **({"usage": value["usage"]} if value.get("usage") else {})}
    return case_id, {"text": clean_text(text or ""), **more}


def _start(
    command: str, environment: Mapping[str, str], folder: Optional[str] = None
) -> "subprocess.Popen[bytes]":
    """Leads a process group of its own, so that its children end with it."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        ["sh", "-c", command],
        env=dict(environment),
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        cwd=folder,
        start_new_session=True,
    )


def _converse(child: "subprocess.Popen[bytes]", said: bytes, seconds: int) -> Tuple[bytes, bytes]:
    """Returns what it prints and the end of its complaints. What it leaves behind would keep its output open."""
    ends_at = time.monotonic() + seconds
    assert child.stdin is not None and child.stdout is not None and child.stderr is not None
    threading.Thread(target=_feed, args=(child.stdin, said), daemon=True).start()
    printed = complaints = b""
    with child.stdout, child.stderr, selectors.DefaultSelector() as selector:
        for pipe in (child.stdout, child.stderr):
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            ended = child.poll() is not None
            if ended:
                _end_group(child)
            left_s = ends_at - time.monotonic()
            ready = selector.select(0 if ended else max(0.0, min(_LOOK_EVERY_S, left_s)))
            for key, _ in ready:
                chunk = os.read(key.fd, 65_536)
                if chunk == b"":
                    selector.unregister(key.fileobj)
                elif key.fileobj is child.stdout:
                    printed += chunk
                else:
                    complaints = (complaints + chunk)[-_COMPLAINT_CHARACTERS:]
            if len(printed) > _REPLY_BYTES_MAX:
                raise ProgramFault(f"The program printed more than {_REPLY_BYTES_MAX} bytes.")
            if ended and not ready:
                break
            if left_s <= 0:
                raise ProgramFault(_too_slow(seconds))
    try:
        child.wait(max(0.0, ends_at - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise ProgramFault(_too_slow(seconds)) from None
    return printed, complaints


def _feed(pipe: IO[bytes], said: bytes) -> None:
    """A program need not read its input."""
    try:
        with pipe:
            pipe.write(said)
    except OSError:
        pass


def _end_group(child: "subprocess.Popen[bytes]") -> None:
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # All of its processes have ended.


def _ended_with(code: int, complaint: str) -> str:
    end = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
    return f"The program {end}." if complaint == "" else f"The program {end}: {complaint}"


def _too_slow(timeout_s: int) -> str:
    return f"The program took longer than {timeout_s} s (--timeout)."


def _last_line(complaints: bytes) -> str:
    text = without_colours(complaints[-_COMPLAINT_CHARACTERS:].decode("utf-8", "replace")).strip()
    return text.split("\n")[-1].strip()


def clean_text(text: str) -> str:
    return storable(without_colours(text))


def _transcript_of(prompt: str, case: Case) -> str:
    """The prompt alone, or below the instructions and the earlier turns of its case."""
    system = case.fields.get("system")
    earlier = case.messages[:-1]
    if system is None and not earlier:
        return prompt
    parts = [] if system is None else [("system", system)]
    parts += [(message["role"], message["content"]) for message in earlier]
    return "\n\n".join(f"[{role}]\n{said}" for role, said in [*parts, ("user", prompt)])
