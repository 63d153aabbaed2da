/**
 * Stand-ins for the Python frameworks of the recipes, with the part of their documented interfaces that the recipes use.
 * They refuse what the frameworks refuse, and say what they have heard, as `retell` does.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const retell = `
import hashlib
def _retell(messages):
    if not isinstance(messages, list) or len(messages) == 0: raise TypeError("messages must be a list")
    for one in messages:
        if set(one) != {"role", "content"} or one["role"] not in ("user", "assistant"): raise TypeError(repr(one))
    heard = [one["content"] for one in messages if one["role"] == "user"]
    digest = hashlib.sha256("\\n".join(heard).encode()).hexdigest()[:16]
    return f"Heard {len(heard)} messages: {digest}"
`;

const openaiAgents = `${retell}
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
        return RunResult(_retell(input))
`;

const langchainOpenai = `
class ChatOpenAI:
    def __init__(self, *, model):
        self.model = model
`;

const langchainAgents = `${retell}
from types import SimpleNamespace
class _Graph:
    def __init__(self, model): self.model = model
    def invoke(self, state):
        messages = state["messages"]
        said = [*messages, {"role": "assistant", "content": _retell(messages)}]
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
