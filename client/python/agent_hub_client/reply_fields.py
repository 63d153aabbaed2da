"""What an agent returns, as the hub takes it. SDKs write calls and usage in other forms."""

import json
from typing import Any, Dict, List, Optional


class OddReply(TypeError):
    """A reply that the hub could not take."""


def answer_fields(reply: Any) -> Dict[str, Any]:
    """An empty text is a reply, but nothing is none: some graders accept an empty text.

    :raises OddReply: if there is an error, a call in a form that is not read, or neither a text nor a call
    """
    given = {"text": reply} if isinstance(reply, str) else reply if isinstance(reply, dict) else {}
    if is_given(given.get("error")):
        raise OddReply(f"The agent returned an error: {describe_error(given['error'])}")
    said = given.get("content") if given.get("text") is None else given["text"]
    text = text_of(said)
    calls = _read_calls(given.get("tool_calls"))
    if not calls and has_other_calls(given):
        raise OddReply(UNREAD_CALLS)
    if text is None and (said is not None or not calls):
        raise OddReply("The agent returned no text.")
    usage = _read_usage(given.get("usage"))
    return {
        "text": storable(text or ""),
        **({"tool_calls": calls} if calls else {}),
        **({} if usage is None else {"usage": usage}),
    }


UNREAD_CALLS = (
    "The reply has tool calls in a form that cannot be read. Reply only with JSON such as "
    '{"tool_calls": [{"name": "…", "arguments": {…}}]}; with --serve, beside `case_id`.'
)


def has_other_calls(given: Dict[str, Any]) -> bool:
    """Whether calls are in fields that are not read, or in blocks of the message. The hub looks for calls in texts."""
    said = given.get("content")
    blocks = [one for one in said if isinstance(one, dict)] if isinstance(said, list) else []
    return any(
        is_given(given.get(name))
        for name in ("tool_calls", "toolCalls", "function_call", "functionCall", "toolUse")
    ) or any(block.get("type") in ("tool_use", "tool-call", "function_call") for block in blocks)


def is_given(value: Any) -> bool:
    """SDKs also write empty values, objects of empty values, and `{"code": 0}` for no error."""
    if not isinstance(value, dict):
        return bool(value)
    code = value.get("code")
    return any(value.values()) and (isinstance(code, bool) or code != 0)


def describe_error(error: Any) -> str:
    """SDKs write `{"message": "…"}`."""
    message = error.get("message", error) if isinstance(error, dict) else error
    if isinstance(message, str):
        return message
    try:
        return json.dumps(message, default=str)
    except (TypeError, ValueError):  # Other keys than texts, or an object that contains itself.
        return str(message)


_LATENCY_MS_MAX = 3_600_000


def latency_of(reply: Any) -> Dict[str, Any]:
    """How long a kept reply took, for a case that was fetched. The hub measures too, and counts the longer time."""
    given = reply.get("latency_ms") if isinstance(reply, dict) else None
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not given >= 0:
        return {}
    return {"latency_ms": round(min(_LATENCY_MS_MAX, given))}


def text_of(said: Any) -> Optional[str]:
    """A text, or the texts among the blocks of a message. Returns None if it is neither."""
    if isinstance(said, str):
        return said
    blocks = [one for one in said if isinstance(one, dict)] if isinstance(said, list) else []
    texts = [
        one["text"]
        for one in blocks
        if one.get("type") in ("text", "output_text") and isinstance(one.get("text"), str)
    ]
    return "".join(texts) if texts else None


def storable(text: str) -> str:
    """The hub takes neither NUL nor half surrogate pairs."""
    return "".join("\ufffd" if one == "\0" or "\ud800" <= one <= "\udfff" else one for one in text)


def _read_calls(given: Any) -> List[Dict[str, Any]]:
    """Of OpenAI, Anthropic and the AI SDK, or plain ones. The results of calls name their ids."""
    if not is_given(given):
        return []
    if not isinstance(given, (list, tuple)):
        raise OddReply("`tool_calls` of the agent must be a list.")
    return [_read_call(call, place) for place, call in enumerate(given)]


def _read_call(call: Any, place: int) -> Dict[str, Any]:
    fields = call if isinstance(call, dict) else {}
    function = fields.get("function")
    called = function if isinstance(function, dict) else fields
    name = _first(called, "name", "toolName")
    if not isinstance(name, str) or name == "":
        raise OddReply(f"`tool_calls[{place}]` of the agent must have a name.")
    given = _first(fields, "call_id", "toolCallId", "id")
    has_id = isinstance(given, (str, int)) and not isinstance(given, bool) and given != ""
    arguments = _first(called, "arguments", "input", "args")
    try:
        json.dumps(arguments, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise OddReply(f"`tool_calls[{place}]` of the agent has arguments that JSON cannot express.") from None
    return {
        "id": str(given) if has_id else f"call-{place + 1}",
        "name": name,
        "arguments": {} if arguments is None else arguments,
    }


def _first(fields: Dict[str, Any], *names: str) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


_CACHE_FIELDS = ("cache_creation_input_tokens", "cache_read_input_tokens")


def _read_usage(given: Any) -> Optional[Dict[str, Any]]:
    """Whole numbers of tokens, and their cost if it is reported. Returns None if they are not."""
    if not isinstance(given, dict):
        return None
    input_tokens = _count(_first(given, "input_tokens", "prompt_tokens", "inputTokens", "promptTokens"))
    output_tokens = _count(
        _first(given, "output_tokens", "completion_tokens", "outputTokens", "completionTokens")
    )
    if input_tokens is None or output_tokens is None:
        return None
    cached = sum(_count(given.get(name)) or 0 for name in _CACHE_FIELDS)
    cost = _first(given, "cost_usd", "cost")
    told = isinstance(cost, (int, float)) and not isinstance(cost, bool) and 0 <= cost <= 1e6
    return {
        "input_tokens": input_tokens + cached,
        "output_tokens": output_tokens,
        **({"cost_usd": cost} if told else {}),
    }


def _count(value: Any) -> Optional[int]:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1e9:
        return None
    return int(value + 0.5)
