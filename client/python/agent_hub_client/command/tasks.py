"""Agent runs: the program calls tools, and this passes its calls to the hub and the results back."""

import json
import uuid
from typing import Any, Callable, Dict, List, Optional

from ..evaluate import Case, Reply
from ..sending import HubError
from .connection import Connection

_REMINDER = "Work on the task with the tools. Call `task_finish` to end it. Otherwise the task ends here."
_SILENT_MAX = 2


def work_on_tasks(
    hub: Connection,
    run: str,
    answer: Callable[[str, Case], Reply],
    on_remaining: Callable[[int], None],
) -> None:
    """One task is open at a time. The second reply of a task without a call ends it."""
    # A program that takes up a run does not know the calls of its predecessor.
    program = uuid.uuid4().hex[:8]
    n = silent = calls = 0
    messages: List[Dict[str, Any]] = []
    while True:
        found = hub.ask("GET", f"{run}/tasks/next")
        task = found["task"]
        on_remaining(found["remaining"])
        if task is None:
            return
        if task["n"] != n:
            n, silent = task["n"], 0
            messages = [{"role": "user", "content": task["prompt"]}]
        fields = {"system": task["policy"], "tools": task["tools"]}
        reply = answer(task["prompt"], Case(f"task-{n}", task["prompt"], messages, fields))
        text, given = (reply, None) if isinstance(reply, str) else (reply["text"], reply.get("tool_calls"))
        asked = _read_calls(given)
        messages.append({"role": "assistant", "content": text, "tool_calls": asked})
        for call in asked:
            calls += 1
            result = _make_call(hub, f"{run}/tasks/{n}/calls", f"{program}-{calls}", call)
            if result is None:
                break
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result)})
        if asked:
            continue
        silent += 1
        if silent < _SILENT_MAX:
            messages.append({"role": "user", "content": _REMINDER})
        else:
            calls += 1
            message = text.strip()[:1_000] or "I am done."
            finish = {"name": "task_finish", "arguments": {"message": message}}
            _make_call(hub, f"{run}/tasks/{n}/calls", f"{program}-{calls}", finish)


def _read_calls(calls: Any) -> List[Dict[str, Any]]:
    """Models give arguments as an object or as its JSON."""
    read = []
    for index, call in enumerate(calls if isinstance(calls, list) else []):
        if isinstance(call, dict) and isinstance(call.get("name"), str):
            call_id = call["id"] if isinstance(call.get("id"), str) else f"call_{index}"
            read.append({"id": call_id, "name": call["name"], "arguments": _parsed(call.get("arguments", {}))})
    return read


def _parsed(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except ValueError:
        return given


def _make_call(hub: Connection, path: str, call_id: str, call: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """Returns what the tool returned; None if the task has ended."""
    try:
        body = {"call_id": call_id, "tool": call["name"], "args": call["arguments"]}
        result: Dict[str, Any] = hub.ask("POST", path, body)["result"]
        return result
    except HubError as error:
        if error.code in ("task_ended", "budget_exhausted", "run_ended"):
            return None
        if error.status not in (400, 413):
            raise
        return {"error": error.code, "message": error.message}
