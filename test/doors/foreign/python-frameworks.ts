/**
 * Stand-ins for the Python frameworks of the recipes, with the part of their documented interfaces that the recipes use.
 * They refuse what the frameworks refuse, and ask the same APIs of models.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const ask = `
import json, os, urllib.request
def _ask(path, body):
    headers = {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "content-type": "application/json"}
    url = os.environ["OPENAI_BASE_URL"] + path
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)
def _check(messages):
    if not isinstance(messages, list) or len(messages) == 0: raise TypeError("messages must be a list")
    for one in messages:
        if set(one) != {"role", "content"} or one["role"] not in ("user", "assistant"): raise TypeError(repr(one))
    return messages
`;

const openaiAgents = `${ask}
from dataclasses import dataclass
@dataclass
class Agent:
    name: str
    instructions: str = ""
    model: str = ""
@dataclass
class RunResult:
    final_output: object
class Runner:
    @classmethod
    async def run(cls, starting_agent, input):
        if isinstance(input, str): input = [{"role": "user", "content": input}]
        body = {"model": starting_agent.model, "instructions": starting_agent.instructions, "input": _check(input)}
        output = _ask("/responses", body)["output"]
        texts = [part["text"] for item in output if item["type"] == "message" for part in item["content"]]
        return RunResult("".join(texts))
`;

const langchainOpenai = `
class ChatOpenAI:
    def __init__(self, *, model):
        self.model = model
`;

const langchainAgents = `${ask}
from types import SimpleNamespace
class _Graph:
    def __init__(self, model): self.model = model
    def invoke(self, state):
        messages = _check(state["messages"])
        reply = _ask("/chat/completions", {"model": self.model.model, "messages": messages})
        said = [*messages, reply["choices"][0]["message"]]
        return {"messages": [SimpleNamespace(type=one["role"], content=one["content"]) for one in said]}
def create_agent(model, tools=None):
    return _Graph(model)
`;

const files = {
  'agents/__init__.py': openaiAgents,
  'langchain/__init__.py': '',
  'langchain/agents.py': langchainAgents,
  'langchain_openai/__init__.py': langchainOpenai,
};

/** @param folder which Python then searches for modules */
export async function writePythonFrameworks(folder: string): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
