/** Agent runs: the program calls tools, and this passes its calls to the hub and the results back. */
import type { EvalCase } from '../evaluate.ts';
import type { Reply } from '../reply-fields.ts';
import { HubError } from '../hub-error.ts';
import { ask, type Connection } from './connection.ts';

export type AnswerItem = (prompt: string, evalCase: EvalCase) => Promise<Reply>;

interface Task {
  readonly n: number;
  readonly prompt: string;
  readonly policy: string;
  readonly tools: readonly object[];
}

interface NextTask {
  readonly task: Task | null;
  readonly remaining: number;
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

const reminder =
  'Work on the task with the tools. Call `task_finish` to end it. Otherwise the task ends here.';
const silentMax = 2;

/** One task is open at a time. The second reply of a task without a call ends it. */
export async function workOnTasks(
  hub: Connection,
  run: string,
  answer: AnswerItem,
  onRemaining: (remaining: number) => void,
): Promise<void> {
  // A program that takes up a run does not know the calls of its predecessor.
  const program = crypto.randomUUID().slice(0, 8);
  let n = 0;
  let messages: object[] = [];
  let silent = 0;
  let calls = 0;
  for (;;) {
    const { task, remaining } = (await ask(hub, 'GET', `${run}/tasks/next`)) as NextTask;
    onRemaining(remaining);
    if (task === null) return;
    if (task.n !== n) {
      ({ n } = task);
      [messages, silent] = [[{ role: 'user', content: task.prompt }], 0];
    }
    const { policy, tools, prompt } = task;
    const presented = { case_id: `task-${n}`, messages, system: policy, tools };
    // The program gets these fields; the others are for cases.
    const { text = '', tool_calls } = await answer(prompt, presented as unknown as EvalCase);
    const asked = readCalls(tool_calls);
    messages.push({ role: 'assistant', content: text, tool_calls: asked });
    for (const call of asked) {
      calls += 1;
      const result = await makeCall(hub, `${run}/tasks/${n}/calls`, `${program}-${calls}`, call);
      if (result === null) break;
      messages.push({ role: 'tool', tool_call_id: call.id, content: JSON.stringify(result) });
    }
    if (asked.length > 0) continue;
    silent += 1;
    if (silent < silentMax) messages.push({ role: 'user', content: reminder });
    else {
      calls += 1;
      const message = text.trim().slice(0, 1_000) || 'I am done.';
      const finish = { id: 'end', name: 'task_finish', arguments: { message } };
      await makeCall(hub, `${run}/tasks/${n}/calls`, `${program}-${calls}`, finish);
    }
  }
}

/** Models give arguments as an object or as its JSON. */
function readCalls(calls: unknown): readonly Call[] {
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call: unknown, index) => {
    // Checked field by field.
    const { id, name, arguments: given = {} } = (call ?? {}) as Record<string, unknown>;
    if (typeof name !== 'string') return [];
    return [{ id: typeof id === 'string' ? id : `call_${index}`, name, arguments: parsed(given) }];
  });
}

function parsed(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

/** @returns what the tool returned; null if the task has ended */
async function makeCall(hub: Connection, path: string, id: string, { name, arguments: args }: Call) {
  try {
    const made = (await ask(hub, 'POST', path, { call_id: id, tool: name, args })) as {
      readonly result: object;
    };
    return made.result;
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    if (['task_ended', 'budget_exhausted', 'run_ended'].includes(error.code)) return null;
    if (error.status !== 400 && error.status !== 413) throw error;
    return { error: error.code, message: error.message };
  }
}
