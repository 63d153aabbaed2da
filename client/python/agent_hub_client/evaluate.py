"""An eval run without a public URL: the agent fetches cases and submits answers."""

import asyncio
import contextlib
import inspect
import threading
import time
import uuid
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Dict, Iterator, List, Optional, Set, Tuple, Union

from .reply_fields import answer_fields, latency_of, storable
from .sending import HubError, send

_WAIT_S = 25
_END_POLL_S = 0.5
LEASE_S = 60
"""If this program is killed, its cases are free again after this time."""
_RENEW_EVERY_S = 20.0
_PLACE_POLL_S = 5.0
_PLACE_WAIT_MAX_S = 6 * 60 * 60.0
"""Every run has ended within this time, so something else is wrong."""


@dataclass(frozen=True)
class Case:
    case_id: str
    prompt: str
    messages: List[Dict[str, Any]]
    """The whole conversation, as ``{role, content}``, with the calls of the agent and their results."""
    fields: Dict[str, Any]
    """The case as the hub presents it."""


Reply = Union[str, Dict[str, Any]]
"""A text, or a dictionary with ``text`` or ``tool_calls``, and optionally ``usage``. A reply that was kept from before may
have ``latency_ms``: how long it took then.
"""
Answer = Callable[[str, Case], Reply]
AsyncAnswer = Callable[[str, Case], Awaitable[Reply]]
OnError = Optional[Callable[[Exception, Case], None]]
OnWait = Optional[Callable[[HubError], None]]


def redeem(ask: Callable[[str, str, Any], Any], order: Dict[str, Any], on_wait: OnWait = None) -> Any:
    """Starts a run, and waits for a place while the agent has as many runs in progress as its limit allows.

    :param on_wait: called for each refusal, which says when a place is free
    """
    ends_at = time.monotonic() + _PLACE_WAIT_MAX_S
    while True:
        try:
            return ask("POST", "/v1/redemptions", order)
        except HubError as refusal:
            if refusal.code != "too_many_open_jobs" or time.monotonic() > ends_at:
                raise
            if on_wait is not None:
                on_wait(refusal)
        time.sleep(_PLACE_POLL_S)


_PRACTICE = "This is a practice prompt, which is not graded. Reply with the word: ready"


def practice(**more: Any) -> Tuple[str, Case]:
    """A prompt for the agent before a run is redeemed, so that an agent that does not work costs none.

    :param more: what cases of the product have besides a prompt
    """
    return _PRACTICE, _case_of({"case_id": "practice", "prompt": _PRACTICE, **more})


def evaluate(
    hub: Any,
    answer: Answer,
    *,
    concurrency: int,
    on_error: OnError,
    on_wait: OnWait,
    resume: Optional[str],
    order: Dict[str, Any],
    stop: Optional[threading.Event] = None,
) -> Dict[str, Any]:
    """
    :param stop: when it is set, no further case is taken
    """
    if resume is None:
        # The cases of a suite may be all that the agent understands, but a ranked run is not refunded.
        if order.get("product") != "suite-run" or order.get("ranked") is True:
            answer_fields(answer(*practice()))

        def ask(method: str, path: str, body: Any) -> Any:
            return send(method, hub.url + path, token=hub.token, body=body)

        resume = redeem(ask, {"product": "eval-run", **order}, on_wait)["run"]["id"]
    run = PullRun(hub, str(resume), stop)
    run.answer_all(answer, concurrency=concurrency, on_error=on_error)
    return run.wait_for_end()


async def evaluate_async(
    hub: Any, answer: AsyncAnswer, *, on_error: OnError, on_wait: OnWait, **options: Any
) -> Dict[str, Any]:
    """The same with a coroutine function. The running event loop carries out all that it is given.

    :param options: the others of ``evaluate``
    """
    loop = asyncio.get_running_loop()
    stop = threading.Event()
    running: Set["Future[Any]"] = set()

    def in_loop(function: Callable[..., Any]) -> Callable[..., Any]:
        async def call(*given: Any) -> Any:
            result = function(*given)
            return await result if inspect.isawaitable(result) else result

        def run(*given: Any) -> Any:
            future = asyncio.run_coroutine_threadsafe(call(*given), loop)
            running.add(future)
            try:
                return future.result()
            finally:
                running.discard(future)

        return run

    def evaluate_in_thread() -> Dict[str, Any]:
        callbacks: Dict[str, Any] = {
            "on_error": on_error and in_loop(on_error),
            "on_wait": on_wait and in_loop(on_wait),
        }
        return evaluate(hub, in_loop(answer), stop=stop, **callbacks, **options)

    try:
        return await loop.run_in_executor(None, evaluate_in_thread)
    finally:
        stop.set()
        for future in list(running):
            future.cancel()


class PullRun:
    """A run whose cases the agent fetches."""

    def __init__(self, hub: Any, run_id: str, stop: Optional[threading.Event] = None) -> None:
        """
        :param stop: when it is set, no further case is taken
        """
        self._hub = hub
        self._path = f"/v1/runs/{run_id}"
        self._name = uuid.uuid4().hex[:8]
        self._over = stop or threading.Event()

    def answer_all(
        self,
        answer: Answer,
        *,
        concurrency: int,
        on_error: OnError,
        on_remaining: Optional[Callable[[int], None]] = None,
    ) -> None:
        """Answers the cases until the run has ended. Raises what ended a worker; the others then take no further case.

        :param on_error: called when ``answer`` raises or the hub refuses the reply. What it raises itself ends the run.
        :param on_remaining: called with the number of cases without an answer
        """
        lock = threading.Lock()
        failures: List[BaseException] = []
        working = max(1, concurrency)

        def take_step(case: Case) -> Tuple[bool, Optional[Case]]:
            try:
                reply = answer(case.prompt, case)
                fields = {**answer_fields(reply), **latency_of(reply)}
            except Exception as error:
                if self._over.is_set():
                    return True, None
                fields = error_fields(error)
                if on_error is not None:
                    on_error(error, case)
            ended, remaining, open_case = self.submit(case, fields, on_error)
            if remaining is not None and on_remaining is not None:
                with lock:
                    on_remaining(remaining)
            return ended, open_case

        def work(worker: str) -> None:
            nonlocal working
            try:
                ended = False
                while not ended and not self._over.is_set():
                    cases, ended = self.next_cases(worker)
                    for case in cases:
                        open_case: Optional[Case] = case
                        with self.renewing(worker):
                            while open_case is not None:
                                ended, open_case = take_step(open_case)
            except BaseException as error:
                failures.append(error)
                self._over.set()
            with lock:
                working -= 1
                if working == 0:
                    self._over.set()

        # Daemons, so that a worker that waits for the hub does not keep the process alive. A case belongs to the worker
        # that fetched it, so worker names must differ, even between programs on the same run.
        for index in range(working):
            threading.Thread(target=work, args=(f"{self._name}-{index + 1}",), daemon=True).start()
        self._over.wait()
        if failures:
            raise failures[0]

    def next_cases(self, worker: str) -> Tuple[List[Case], bool]:
        try:
            found = self._ask("GET", self._fetch(worker, limit=1, wait_s=_WAIT_S))
        except HubError as error:
            if not error.code.endswith("_ended"):  # Another worker may have submitted the last answer.
                raise
            return [], True
        return [_case_of(fields) for fields in found["cases"]], found["ended"]

    @contextlib.contextmanager
    def renewing(self, worker: str) -> Iterator[None]:
        """Renews the leases of the worker while it works."""
        over = threading.Event()

        def renew() -> None:
            while not over.wait(_RENEW_EVERY_S):
                # The answer counts even if the lease is lost.
                with contextlib.suppress(HubError, OSError):
                    self._ask("GET", self._fetch(worker, limit=0, wait_s=0))

        threading.Thread(target=renew, daemon=True).start()
        try:
            yield
        finally:
            over.set()

    def _fetch(self, worker: str, *, limit: int, wait_s: int) -> str:
        return f"{self._path}/cases/next?limit={limit}&wait={wait_s}&worker={worker}&lease_s={LEASE_S}"

    def submit(
        self, case: Case, fields: Dict[str, Any], on_error: OnError
    ) -> Tuple[bool, Optional[int], Optional[Case]]:
        """Returns whether the run has ended, how many cases remain if the hub says so, and the case if it goes on."""
        answers = {"answers": [{"case_id": case.case_id, "step": case.fields.get("step", 0), **fields}]}
        try:
            taken = self._ask("POST", f"{self._path}/answers", answers)
            return bool(taken["ended"]), taken["remaining"], _next_of(case, fields, taken["cases"])
        except HubError as error:
            # Another program has taken the step, or its time had run out. What is open is fetched again.
            if error.code in ("case_answered", "wrong_step"):
                return False, None, None
            if error.code.endswith("_ended"):
                return True, None, None
            # One reply that the hub cannot take, such as a text that is too long, is an error of its case.
            if error.code in ("invalid_body", "body_too_large") and "error" not in fields:
                if on_error is not None:
                    on_error(error, case)
                return self.submit(case, error_fields(error), on_error)
            raise

    def wait_for_end(self) -> Dict[str, Any]:
        """The hub settles the run right after the last answer."""
        while True:
            run: Dict[str, Any] = self._ask("GET", self._path)["run"]
            if run["status"] in ("completed", "failed"):
                return run
            time.sleep(_END_POLL_S)

    def _ask(self, method: str, path: str, body: Optional[object] = None) -> Any:
        return send(method, self._hub.url + path, token=self._hub.token, body=body)


_REASON_CHARACTERS = 250


def error_fields(error: Exception) -> Dict[str, Any]:
    """As the hub accepts it: short, and without NUL and half surrogate pairs."""
    reason = error.message if isinstance(error, HubError) else str(error)
    return {"error": storable(reason)[:_REASON_CHARACTERS] or "The agent failed."}


def _case_of(fields: Dict[str, Any]) -> Case:
    messages = fields.get("messages") or [{"role": "user", "content": fields["prompt"]}]
    return Case(fields["case_id"], fields["prompt"], messages, fields)


def _next_of(case: Case, fields: Dict[str, Any], answered: List[Dict[str, Any]]) -> Optional[Case]:
    """Returns None if the case is over."""
    if not answered or answered[0]["done"]:
        return None
    added = answered[0]["messages"]
    calls = fields.get("tool_calls")
    said = {"role": "assistant", "content": fields["text"], **({} if calls is None else {"tool_calls": calls})}
    messages = [*case.messages, said, *added]
    prompts = [message["content"] for message in added if message["role"] == "user"]
    prompt = prompts[-1] if prompts else case.prompt
    return Case(case.case_id, prompt, messages, {**case.fields, "step": answered[0]["step"]})
