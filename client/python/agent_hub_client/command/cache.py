"""Keeps the replies of a program in a folder."""

import hashlib
import json
import os
import threading
import time
import uuid
from typing import Any, List

from ..evaluate import Case, Reply
from .programs import trial_of


class Cached:
    """An agent whose replies are kept."""

    def __init__(self, folder: str, kind: List[Any], agent: Any) -> None:
        """
        :param kind: replies are shared only by agents of the same kind: label and command
        """
        self._folder, self._kind, self._agent = folder, kind, agent
        self._lock = threading.Lock()
        self.kept = 0
        self.all = 0

    def answer(self, prompt: str, case: Case) -> Reply:
        system, tools = case.fields.get("system"), case.fields.get("tools")
        sent = json.dumps([*self._kind, trial_of(case.case_id), system, tools, case.messages])
        file = os.path.join(self._folder, f"{hashlib.sha256(sent.encode()).hexdigest()}.json")
        kept = _read(file)
        with self._lock:
            self.all += 1
            self.kept += kept is not None
        if kept is not None:
            return kept
        started = time.monotonic()
        reply: Reply = self._agent.answer(prompt, case)
        latency_ms = round((time.monotonic() - started) * 1_000)
        fields = {"text": reply} if isinstance(reply, str) else reply
        # Whole or not at all, also beside another program.
        part = f"{file}.{uuid.uuid4()}"
        with open(part, "w", encoding="utf-8") as written:
            json.dump({**fields, "latency_ms": latency_ms}, written)
        os.replace(part, file)
        return reply

    def close(self) -> None:
        self._agent.close()


def _read(file: str) -> Any:
    """Returns None if there is no file, or it has no reply with a time: without one, a kept reply would count as fast."""
    try:
        with open(file, encoding="utf-8") as opened:
            kept = json.load(opened)
    except (OSError, ValueError):
        return None
    return kept if isinstance(kept, dict) and "latency_ms" in kept else None
