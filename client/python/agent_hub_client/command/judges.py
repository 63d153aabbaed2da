"""Asks the judges of a suite what the hub says, and sends it what they say."""

import json
import os
import re
import sys
import threading
from typing import Any, Callable, Dict, List, Mapping, Optional, Set

from ..evaluate import practice
from .connection import Connection, NotPossible
from .judge_model import AskModel, Message, judge_model
from .options import Options
from .own_commands import commands_in, without_end
from .programs import Program, ProgramFault, ProgramGone, clean_text, environment_of, require_program
from .run import Suite

_FETCHED_AT_ONCE = 32
_SENT_AT_ONCE = 8
_REPLY_CHARACTERS = 3_000
"""For all votes on a reply together. Only the last line of what a model says counts, so its beginning may be cut."""
_PRINTED_CHARACTERS = 8_000
"""For all votes too. What a program prints is read whole, so none of it may be cut."""
_REASON_CHARACTERS = 250
_SECONDS_DEFAULT = 120
_NO_MODEL = (
    "The suite has judges with a rubric. Add --judge-target URL and --judge-model NAME, or --judge-cmd COMMAND."
)


def open_judges(
    hub: Connection,
    options: Options,
    environment: Mapping[str, str],
    suite: Suite,
    on_wait: Callable[[str], None],
) -> Optional["Judges"]:
    """Finds what is missing, and tries the model, before a run is spent on it. Returns None for a suite without judges.

    :param on_wait: told why a judge is asked again
    :raises NotPossible, ProgramGone, UsageFault:
    """
    needed = suite["judges"]
    if not needed:
        return None
    judges = Judges(hub, options, environment, on_wait)
    # Verdicts of judges that have not changed are kept, so there may be none to ask.
    if "regrade" in options:
        return judges
    for judge in needed:
        if judge["kind"] == "command":
            judges.program_of(judge["name"], judge.get("command", ""))
    if any(judge["kind"] == "rubric" for judge in needed):
        judges.try_model()
    return judges


class Judges:
    def __init__(
        self,
        hub: Connection,
        options: Options,
        environment: Mapping[str, str],
        on_wait: Callable[[str], None],
    ) -> None:
        self._hub, self._options = hub, options
        self._environment = environment_of(environment, hub.token or "")
        self._seconds: int = options.get("timeout", _SECONDS_DEFAULT)
        self._commands: Set[str] = set()
        """Of the user's own file."""
        if "suite-file" in options:
            with open(options["suite-file"], encoding="utf-8", newline="") as file:
                self._commands = commands_in(file.read())
        self._lock = threading.Lock()
        self._programs: Dict[str, Program] = {}
        """By their commands."""
        self._ask_model: AskModel = self._refuse
        if "judge-target" in options:
            self._ask_model = judge_model(options, environment, self._seconds, on_wait)
        elif "judge-cmd" in options:
            program = self._start("--judge-cmd", options["judge-cmd"])
            self._ask_model = lambda messages: program.print(_transcript_of(messages), self._seconds)

    @staticmethod
    def _refuse(_: List[Message]) -> str:
        raise NotPossible(_NO_MODEL)

    def _start(self, name: str, command: str, folder: Optional[str] = None) -> Program:
        with self._lock:
            if command not in self._programs:
                require_program(command, self._environment, name=name, folder=folder)
                self._programs[command] = Program(command, environment=self._environment, folder=folder)
            return self._programs[command]

    def program_of(self, judge: str, command: str) -> Program:
        """A hub cannot have a command run that the user's own file does not have as a judge.

        :raises NotPossible, ProgramGone:
        """
        if without_end(command) not in self._commands:
            raise NotPossible(
                f"The judge {judge} is the program {json.dumps(command, ensure_ascii=False)}. Only programs that "
                "a file of yours has as the `command` of a judge, on one line or in a block, are run. "
                "Add --suite-file FILE."
            )
        return self._start(f"the judge {judge}", command, os.path.dirname(self._options["suite-file"]) or ".")

    def try_model(self) -> None:
        """:raises NotPossible:"""
        try:
            self._ask_model([{"role": "user", "content": practice()[0]}])
        except ProgramFault as fault:
            raise NotPossible(
                f"The judge did not reply to a practice prompt, so no run was started. {fault}"
            ) from None

    def judge(self, run_id: str, on_progress: Callable[[int, int], None]) -> None:
        """Until each reply of an ended run has its verdicts, or has none after several attempts."""
        path = f"/v1/runs/{run_id}/judgements"
        total: Optional[int] = None

        def send(said: List[Dict[str, Any]]) -> None:
            body: Dict[str, Any] = {"judgements": said}
            if "judge-model" in self._options:
                body["model"] = self._options["judge-model"]
            if "judge-cmd" in self._options:
                body["program"] = True
            remaining = self._hub.ask("POST", path, body)["remaining"]
            on_progress((total or 0) - remaining, total or 0)

        while True:
            following = self._hub.ask("GET", f"{path}?limit={_FETCHED_AT_ONCE}")
            if not following["judgements"]:
                return
            if total is None:
                total = following["remaining"]
                print(f"Judging {'1 reply' if total == 1 else f'{total} replies'}.", file=sys.stderr, flush=True)
            self._judge_all(following["judgements"], send)

    def _judge_all(self, judgements: List[Dict[str, Any]], send: Callable[[List[Dict[str, Any]]], None]) -> None:
        """What was said before a judge failed is sent as well."""
        rest = list(judgements)
        said: List[Dict[str, Any]] = []
        failed: List[BaseException] = []
        lock = threading.Lock()
        over = threading.Event()
        working = self._options["concurrency"]

        def work() -> None:
            nonlocal working
            try:
                while not failed:
                    with lock:
                        if not rest:
                            break
                        judgement = rest.pop(0)
                    verdict = self._ask(judgement)
                    with lock:
                        said.append(verdict)
                        full = said[:] if len(said) >= _SENT_AT_ONCE else []
                        if full:
                            said.clear()
                            send(full)
            except BaseException as error:
                failed.append(error)
            with lock:
                working -= 1
                if working == 0:
                    over.set()

        # They end with the process, so that Ctrl-C waits for none.
        for _ in range(working):
            threading.Thread(target=work, daemon=True).start()
        over.wait()
        if said:
            send(said)
        if failed:
            raise failed[0]

    def _ask(self, judgement: Dict[str, Any]) -> Dict[str, Any]:
        """
        :raises NotPossible, ProgramGone: for a judge that judges no other reply either
        """
        command, votes = judgement.get("command"), judgement["votes"]
        program = None if command is None else self.program_of(judgement["judge"], command)
        replies: List[str] = []
        try:
            while len(replies) < votes:
                if program is None:
                    reply = clean_text(self._ask_model(judgement["messages"])).strip()
                    replies.append(reply[-(_REPLY_CHARACTERS // votes) :])
                    continue
                reply = clean_text(program.print(json.dumps(judgement["input"]), self._seconds)).strip()
                # The hub counts as UTF-16 does.
                length, most = len(reply.encode("utf-16-le")) // 2, _PRINTED_CHARACTERS // votes
                if length > most:
                    raise ProgramFault(f"The judge printed {length} characters. Print at most {most}.")
                replies.append(reply)
        except ProgramGone:
            raise
        except ProgramFault as fault:
            reason = re.sub(r"\s+", " ", clean_text(str(fault)))[:_REASON_CHARACTERS]
            return {"id": judgement["id"], "error": reason}
        return {"id": judgement["id"], "replies": replies}

    def close(self) -> None:
        for program in self._programs.values():
            program.close()


def _transcript_of(messages: List[Message]) -> str:
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in messages)
